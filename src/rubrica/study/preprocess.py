"""Preprocessing: convert system outputs of any shape into tagged lines or rows, and record each step."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import rubrica
from rubrica.errors import MismatchError, MissingResourceError, ParameterError
from rubrica.study.shapes import REF_SEPARATOR, Piece
from rubrica.text.detokenize import detokenize
from rubrica.text.sentences import split_sentences
from rubrica.text.tags import tagged
from rubrica.text.truecase import Truecaser

Splitter = Callable[[str], list[str]]
SPLITTERS = ("rules", "spacy", "none")

# A period glued to the next word, " .next"; not the end of an address such as " .com".
_GLUED = re.compile(r"(?<=\s)([.!?])(?=[^\W\d_]{2})(?!(?:com|net|org|gov|edu|co|tv|uk|us|info)\b)")


@dataclass(slots=True)
class Record:
    """The steps taken, in order, and counts of texts and changes."""

    steps: list[str] = field(default_factory=list)
    documents: int = 0
    sentences: int = 0
    empty: int = 0
    stand_ins: int = 0
    one_sentence: int = 0
    changed: dict[str, int] = field(default_factory=dict)
    # Whether any text was split; texts that arrive as sentences are not.
    split: bool = False

    def taken(self) -> list[str]:
        """Return the steps that were taken."""
        return [step for step in self.steps if self.split or not step.startswith("split:")]

    def to_dict(self, **more: Any) -> dict[str, Any]:
        """Return the record that is written beside the output."""
        return {
            **more,
            "steps": self.taken(),
            "documents": self.documents,
            "sentences": self.sentences,
            "empty": self.empty,
            "stand_ins": self.stand_ins,
            "one_sentence": self.one_sentence,
            "changed": self.changed,
            "rubrica": rubrica.__version__,
        }


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps to take. By default only sentences are split; all other steps change the words.

    `boundaries` are the same texts in another spelling, already split: sentences end where theirs do.
    """

    splitter: str = "rules"
    unglue: bool = False
    detokenize: bool = False
    truecaser: Truecaser | None = None
    boundaries: Sequence[Sequence[str]] | None = None

    def names(self) -> list[str]:
        """Return the names of the steps, in the order they are taken."""
        named = [("unglue", self.unglue), (f"split:{self.splitter}", self.splitter != "none")]
        named += [("boundaries", self.boundaries is not None), ("detokenize", self.detokenize)]
        named += [("truecase", self.truecaser is not None)]
        return [name for name, used in named if used]


def sentence_splitter(name: str) -> Splitter:
    """Return a splitter by name: `rules` (Rubrica's), `spacy` (its rule-based sentencizer) or `none`."""
    if name == "rules":
        return split_sentences
    if name == "none":
        return lambda text: [text.strip()] if text.strip() else []
    if name != "spacy":
        raise ParameterError(f"a splitter is one of {', '.join(SPLITTERS)}, not {name!r}")
    try:
        import spacy
    except ImportError as missing:
        raise MissingResourceError("spaCy is not installed; pip install spacy") from missing
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return lambda text: [s for sentence in pipeline(text).sents if (s := sentence.text.strip())]


def preprocess(
    documents: Iterable[Sequence[Piece]], steps: Steps, record: Record
) -> Iterator[list[list[str] | str]]:
    """Yield the texts of each document: lists of sentences, or stand-in lines unchanged.

    Counts go into `record`. There must be one item of `boundaries` per document, with the same letters.
    """
    split = sentence_splitter(steps.splitter)
    record.steps = steps.names()
    count = 0
    for count, pieces in enumerate(documents, 1):
        texts: list[list[str] | str] = []
        for piece in pieces:
            if piece.stand_in is not None:
                record.stand_ins += 1
                texts.append(piece.stand_in)
                continue
            sentences = _sentences(piece, steps, split, record, count)
            record.sentences += len(sentences)
            record.empty += not sentences
            record.one_sentence += len(sentences) == 1
            texts.append(sentences)
        record.documents += 1
        yield texts
    if steps.boundaries is not None and len(steps.boundaries) != count:
        raise MismatchError(
            f"{count} documents but boundaries of {len(steps.boundaries)}; both files must have the "
            "same number of lines"
        )


def _sentences(
    piece: Piece, steps: Steps, split: Splitter, record: Record, number: int
) -> list[str]:
    if piece.text is not None:
        record.split = True
        text = _step(record, "unglue", unglue, piece.text) if steps.unglue else piece.text
        sentences = split(text)
    else:
        sentences = list(piece.sentences or ())
        if steps.unglue:
            loose = [_step(record, "unglue", unglue, sentence) for sentence in sentences]
            if loose != sentences:
                record.split = True
                sentences = [s for sentence in loose for s in split(sentence)]
    if steps.boundaries is not None and number <= len(steps.boundaries):
        sentences = cut_like(
            " ".join(sentences), steps.boundaries[number - 1], f"document {number}"
        )
    if steps.detokenize:
        sentences = [_step(record, "detokenize", detokenize, sentence) for sentence in sentences]
    if steps.truecaser is not None:
        sentences = [_step(record, "truecase", steps.truecaser, sentence) for sentence in sentences]
    return [sentence for sentence in sentences if sentence.strip()]


def _step(record: Record, name: str, function: Callable[[str], str], text: str) -> str:
    result = function(text)
    record.changed[name] = record.changed.get(name, 0) + (result != text)
    return result


def unglue(text: str) -> str:
    """Insert a blank after a period that is glued to the next word: `he left .she stayed`."""
    return _GLUED.sub(r"\1 ", text)


def letters(text: str) -> str:
    """Return the letters and digits in lower case: what alignment compares."""
    return re.sub(r"\W+", "", text.lower())


def cut_like(text: str, model: Sequence[str], where: str) -> list[str]:
    """Split a text into sentences where `model`, the same text in another spelling, is split.

    Both are compared by letters and digits. A text with other letters raises an error.
    """
    ends, total = set(), 0
    for sentence in model:
        total += len(letters(sentence))
        ends.add(total)
    if letters(text) != "".join(letters(sentence) for sentence in model):
        raise MismatchError(f"{where}: the text with boundaries is not the same text")
    sentences, current, seen = [], "", 0
    for token in re.findall(r"\S+\s*", text):
        wordless = not letters(token)
        if seen in ends and not wordless and current.strip():
            sentences.append(current.strip())
            current = ""
        current += token
        seen += len(letters(token))
    return [*sentences, current.strip()] if current.strip() else sentences


def as_line(texts: Sequence[Sequence[str] | str], separator: str = REF_SEPARATOR) -> str:
    """Return a document's texts as a line of tagged sentences, texts joined by the separator."""
    parts = [text if isinstance(text, str) else tagged(text) for text in texts]
    return f" {separator} ".join(parts)


def text_digest(text: str) -> str:
    """Return sixteen hexadecimal digits that identify a text, whatever the blanks between words."""
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=8).hexdigest()
