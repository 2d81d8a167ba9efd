"""Preprocessing: any shape of output into one tagged summary per line, or rows, with a record of each step."""

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
    """What was done: the steps in order, and counts of what was met on the way."""

    steps: list[str] = field(default_factory=list)
    documents: int = 0
    sentences: int = 0
    empty: int = 0
    stand_ins: int = 0
    one_sentence: int = 0
    changed: dict[str, int] = field(default_factory=dict)
    # Whether any text had to be split: sentences that came as such were not touched.
    split: bool = False

    def taken(self) -> list[str]:
        """The steps that were taken."""
        return [one for one in self.steps if self.split or not one.startswith("split:")]

    def to_dict(self, **more: Any) -> dict[str, Any]:
        """As written beside the output."""
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
    """Which steps are taken. Only sentences are split by default; all else changes the words.

    `boundaries` are sentences of the same texts, spelled otherwise, whose ends are taken over.
    """

    splitter: str = "rules"
    unglue: bool = False
    detokenize: bool = False
    truecaser: Truecaser | None = None
    boundaries: Sequence[Sequence[str]] | None = None

    def names(self) -> list[str]:
        """In the order in which they are done."""
        named = [("unglue", self.unglue), (f"split:{self.splitter}", self.splitter != "none")]
        named += [("boundaries", self.boundaries is not None), ("detokenize", self.detokenize)]
        named += [("truecase", self.truecaser is not None)]
        return [name for name, used in named if used]


def sentence_splitter(name: str) -> Splitter:
    """A splitter by name: `rules` (ours), `spacy` (its rule-based sentencizer), `none`."""
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
    return lambda text: [s for one in pipeline(text).sents if (s := one.text.strip())]


def preprocess(
    documents: Iterable[Sequence[Piece]], steps: Steps, record: Record
) -> Iterator[list[list[str] | str]]:
    """For each document its texts, as sentences, or as the stand-in line that it was.

    Counts go into `record`. Boundaries must be as many as documents, each of the same letters.
    """
    split = sentence_splitter(steps.splitter)
    record.steps = steps.names()
    count = 0
    for count, pieces in enumerate(documents, 1):
        made: list[list[str] | str] = []
        for piece in pieces:
            if piece.stand_in is not None:
                record.stand_ins += 1
                made.append(piece.stand_in)
                continue
            sentences = _sentences(piece, steps, split, record, count)
            record.sentences += len(sentences)
            record.empty += not sentences
            record.one_sentence += len(sentences) == 1
            made.append(sentences)
        record.documents += 1
        yield made
    if steps.boundaries is not None and len(steps.boundaries) != count:
        raise MismatchError(
            f"{count} documents, and boundaries of {len(steps.boundaries)}; they belong together "
            "line by line"
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
            loose = [_step(record, "unglue", unglue, one) for one in sentences]
            if loose != sentences:
                record.split = True
                sentences = [s for one in loose for s in split(one)]
    if steps.boundaries is not None and number <= len(steps.boundaries):
        sentences = cut_like(
            " ".join(sentences), steps.boundaries[number - 1], f"document {number}"
        )
    if steps.detokenize:
        sentences = [_step(record, "detokenize", detokenize, one) for one in sentences]
    if steps.truecaser is not None:
        sentences = [_step(record, "truecase", steps.truecaser, one) for one in sentences]
    return [one for one in sentences if one.strip()]


def _step(record: Record, name: str, function: Callable[[str], str], text: str) -> str:
    made = function(text)
    record.changed[name] = record.changed.get(name, 0) + (made != text)
    return made


def unglue(text: str) -> str:
    """A blank after a period that was glued to the next word: `he left .she stayed`."""
    return _GLUED.sub(r"\1 ", text)


def letters(text: str) -> str:
    """What alignment compares: small letters and digits, without all else."""
    return re.sub(r"\W+", "", text.lower())


def cut_like(text: str, model: Sequence[str], where: str) -> list[str]:
    """A text cut into sentences where `model`, the same text in another spelling, is cut.

    Both are compared by letters and digits. A text with other letters is refused.
    """
    ends, total = set(), 0
    for sentence in model:
        total += len(letters(sentence))
        ends.add(total)
    if letters(text) != "".join(letters(one) for one in model):
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
    """A document's texts as a line: tagged sentences; several texts joined by the separator."""
    parts = [one if isinstance(one, str) else tagged(one) for one in texts]
    return f" {separator} ".join(parts)


def text_digest(text: str) -> str:
    """Sixteen hexadecimal digits of a text, blanks between words not counting."""
    return hashlib.blake2b(" ".join(text.split()).encode(), digest_size=8).hexdigest()
