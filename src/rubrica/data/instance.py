"""`EvalInstance`: one summary with the fields that metrics may need."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

from rubrica.errors import UnknownNameError

Text: TypeAlias = str | Sequence[str]
SummaryType: TypeAlias = Text
ReferenceType: TypeAlias = Text
DocumentType: TypeAlias = Text
SummarizerType: TypeAlias = Literal["peer", "reference"]


def flatten(text: Text) -> str:
    """Return one string; a list of sentences is joined by single spaces."""
    return text if isinstance(text, str) else " ".join(text)


def hashable(text: Text) -> str | tuple[str, ...]:
    """Return the text as a key of a dict."""
    return text if isinstance(text, str) else tuple(text)


class Fields(dict[str, Any]):
    """Field names (`summary`, `references`, `documents`, `pyramid`, `annotation`) to their values."""

    def __missing__(self, name: str) -> Any:
        raise UnknownNameError("field", name, self)

    def select_fields(self, names: Iterable[str]) -> Fields:
        """Return only the named fields, in the given order."""
        return Fields({name: self[name] for name in names})

    def encoded(self, names: Iterable[str]) -> bytes:
        """Return the named fields' values as bytes: equal values give equal bytes."""
        return _ENCODER.encode([self[name] for name in names])

    def digest(self, names: Iterable[str]) -> str:
        """Return a digest of the named fields' values: sixteen hexadecimal digits."""
        encoded = _ENCODER.encode([self[name] for name in names])
        return hashlib.blake2b(encoded, digest_size=8).hexdigest()


_ENCODER = msgspec.msgpack.Encoder()


@dataclass(frozen=True, slots=True)
class Languages:
    """Codes (BCP 47) of a summary's language and of its references'; "" where nothing is known.

    No metric looks at them: pages do, which must know how to write a text.
    """

    summary: str = ""
    references: tuple[str, ...] = ()

    def reference(self, at: int) -> str:
        """Return the language of one reference: its own, else the summary's."""
        language = self.references[at] if at < len(self.references) else ""
        return language or self.summary


UNKNOWN_LANGUAGES = Languages()


@dataclass(frozen=True, slots=True)
class EvalInstance:
    """One summary: of input `instance_id`, by `summarizer_id`, a `peer` or a `reference`."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    # A plain dict will do.
    fields: Fields
    # Where it was read (`file:line`), for messages; ignored in comparisons.
    origin: str = field(default="", compare=False)
    languages: Languages = field(default=UNKNOWN_LANGUAGES, compare=False)

    def __post_init__(self) -> None:
        if self.fields.__class__ is dict:
            object.__setattr__(self, "fields", Fields(self.fields))

    def describe(self) -> str:
        """Return position, input and system for messages."""
        who = f"instance {self.instance_id!r}, summarizer {self.summarizer_id!r}"
        return f"{self.origin} ({who})" if self.origin else who
