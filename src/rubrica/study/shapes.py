"""Shapes of system outputs, each read as documents: texts, or lists of sentences.

A shape's reader yields, per document, a list of references or variants, each a `Piece`: a text
still to be split, or its sentences. One document per output line, in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rubrica.data.files import read_text_lines
from rubrica.data.jsonl import read_json, read_jsonl
from rubrica.errors import DataError, ParameterError, UnknownNameError
from rubrica.text.tags import DUPLICATE, is_stand_in, sentences_of, without_tags

REF_SEPARATOR = "||sep||"


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a document: `text` to be split, or its `sentences`; a stand-in line has neither."""

    text: str | None = None
    sentences: tuple[str, ...] | None = None
    stand_in: str | None = None


@dataclass(frozen=True, slots=True)
class ShapeOptions:
    """Options of the shapes: the column of a table, the key of an object, a separator."""

    column: int | None = None
    key: str | None = None
    separator: str | None = None
    ref_separator: str | None = None
    join_word_pieces: bool = False
    tags: str = "strict"


Reader = Callable[[str, ShapeOptions], Iterator[list[Piece]]]


def _pieces(line: str, options: ShapeOptions, make: Callable[[str], Piece]) -> list[Piece]:
    """Return the texts of a line: several if references are joined by a separator."""
    parts = line.split(options.ref_separator) if options.ref_separator else [line]
    pieces = []
    for part in parts:
        if is_stand_in(part):
            pieces.append(Piece(stand_in=without_tags(part).strip()))
        else:
            pieces.append(make(join_word_pieces(part) if options.join_word_pieces else part))
    return pieces


def join_word_pieces(text: str) -> str:
    """Join BERT's word pieces: `play ##ing` becomes `playing`."""
    return text.replace(" ##", "")


def _split_on(separator: str) -> Callable[[str], Piece]:
    def make(text: str) -> Piece:
        parts = (" ".join(part.split()) for part in text.split(separator))
        return Piece(sentences=tuple(part for part in parts if part))

    return make


def _lines(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    for _, line in read_text_lines(file):
        yield _pieces(line, options, lambda text: Piece(text=text.strip()))


def _separated(mark: str) -> Reader:
    def read(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
        make = _split_on(options.separator or mark)
        for _, line in read_text_lines(file):
            yield _pieces(line, options, make)

    return read


def _blanks(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    def make(text: str) -> Piece:
        inner = re.sub(r"</?t>", " ", text)
        parts = re.split(r"\s{2,}", inner.strip())
        return Piece(sentences=tuple(part for part in parts if part))

    for _, line in read_text_lines(file):
        yield _pieces(line, options, make)


def _tagged(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    for number, line in read_text_lines(file):
        rule: Any = options.tags

        def make(text: str, number: int = number, rule: Any = rule) -> Piece:
            return Piece(sentences=tuple(sentences_of(text, rule, file=file, number=number)))

        yield _pieces(line, options, make)


def _sentence_lines(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    """Read one sentence per line, a blank line after each document (optional after the last)."""
    sentences: list[str] = []
    waiting = False
    for _, line in read_text_lines(file):
        if line.strip():
            sentences.append(
                join_word_pieces(line).strip() if options.join_word_pieces else line.strip()
            )
            waiting = True
        else:
            # Two blank lines in a row: a document without a sentence, kept so that lines stay aligned.
            yield [Piece(sentences=tuple(sentences))]
            sentences, waiting = [], False
    if waiting:
        yield [Piece(sentences=tuple(sentences))]


def _tsv(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    column = 2 if options.column is None else options.column
    if column < 1:
        raise ParameterError(f"columns are counted from 1: {column}")
    for number, line in read_text_lines(file):
        cells = line.split("\t")
        if len(cells) < column:
            raise DataError(
                f"{len(cells)} columns, and column {column} was asked for", file=file, line=number
            )
        yield _pieces(cells[column - 1], options, lambda text: Piece(text=text.strip()))


def _jsonl(file: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    key = options.key or "decoded"
    for number, row in read_jsonl(file):
        if key not in row:
            raise DataError(
                f"no field {key!r} (found: {', '.join(row)}); name it with --key",
                file=file,
                line=number,
            )
        value = row[key]
        if isinstance(value, list) and all(isinstance(sentence, str) for sentence in value):
            yield [
                Piece(sentences=tuple(sentence.strip() for sentence in value if sentence.strip()))
            ]
        elif isinstance(value, str):
            yield _pieces(value, options, lambda text: Piece(text=text.strip()))
        else:
            raise DataError(
                f"field {key!r} is neither text nor a list of texts", file=file, line=number
            )


@dataclass(frozen=True, slots=True)
class TacTopics:
    """Peyrard's TAC JSON: topics in order, each with its references and its peers' summaries.

    `humans` are the ids of people who wrote summaries, which are letters; peers have numbers.
    """

    topics: tuple[str, ...]
    references: dict[str, list[Piece]] = field(default_factory=dict)
    peers: dict[str, dict[str, Piece]] = field(default_factory=dict)
    humans: set[str] = field(default_factory=set)

    def of_peer(self, peer: str) -> Iterator[list[Piece]]:
        """Yield a peer's summary of each topic; a topic that it lacks is `### DUPLICATE ###`."""
        for topic in self.topics:
            yield [self.peers[peer].get(topic, Piece(stand_in=DUPLICATE))]


def read_tac(file: str) -> TacTopics:
    """Read a TAC JSON file: `{topic: {documents, references, annotations}}`.

    A reference is a text, a list of sentences, `[id, sentences]` as Peyrard has it, or an object
    with `text`. Annotations whose `summ_id` is not a number are people's summaries, not peers.
    """
    content = read_json(file)
    if not isinstance(content, dict) or not content:
        raise DataError("expected an object of topics", file=file)
    tac = TacTopics(tuple(content))
    for topic, entry in content.items():
        for name in ("references", "annotations"):
            if not isinstance(entry, dict) or not isinstance(entry.get(name), list):
                raise DataError(f"topic {topic!r} has no list {name!r}", file=file)
        tac.references[topic] = [_tac_text(file, topic, text) for text in entry["references"]]
        for annotation in entry["annotations"]:
            _add_tac_summary(file, tac, topic, annotation)
    if not tac.peers:
        raise DataError("no annotation has a number as summ_id, so there are no peers", file=file)
    return tac


def _add_tac_summary(file: str, tac: TacTopics, topic: str, annotation: Any) -> None:
    if not isinstance(annotation, dict) or "summ_id" not in annotation:
        raise DataError(f"topic {topic!r} has an annotation without summ_id", file=file)
    peer = str(annotation["summ_id"])
    if not peer.isdecimal():
        tac.humans.add(peer)
        return
    summaries = tac.peers.setdefault(peer, {})
    if topic in summaries:
        raise DataError(f"topic {topic!r} has two summaries of {peer!r}", file=file)
    summaries[topic] = _tac_text(file, topic, annotation)


def _tac_text(file: str, topic: str, value: Any) -> Piece:
    text = value.get("text") if isinstance(value, dict) else value
    if isinstance(text, list) and len(text) == 2 and isinstance(text[1], list):
        text = text[1]  # [id, sentences]
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        return Piece(sentences=tuple(part.strip() for part in text if part.strip()))
    if not isinstance(text, str):
        raise DataError(f"topic {topic!r} has a summary without text", file=file)
    return Piece(text=text)


SHAPES: dict[str, tuple[str, Reader]] = {
    "lines": ("one text per line, sentences not marked", _lines),
    "tagged": ("one text per line, sentences as <t> a </t>", _tagged),
    "sentence-lines": ("one sentence per line, a blank line after each document", _sentence_lines),
    "sent": ("one text per line, sentences separated by ##SENT##", _separated("##SENT##")),
    "q": ("one text per line, sentences separated by <q>", _separated("<q>")),
    "x-sep": ("one text per line, sentences separated by [X_SEP]", _separated("[X_SEP]")),
    "blanks": ("one text per line, sentences separated by two or more spaces", _blanks),
    "tsv": ("a column of a tab-separated table (--column, from 1; default: 2)", _tsv),
    "jsonl": ("a field of JSON lines (--field; default: decoded)", _jsonl),
}


def read_shape(file: str, shape: str, options: ShapeOptions) -> Iterator[list[Piece]]:
    """Yield the documents of a file of this shape."""
    if shape not in SHAPES:
        raise UnknownNameError("shape", shape, [*SHAPES, "tac"])
    return SHAPES[shape][1](file, options)
