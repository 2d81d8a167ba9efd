"""What is scored: `EvalInstance`, one summary with the fields a metric may ask for."""

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
    """One string: a list of sentences is joined by single spaces."""
    return text if isinstance(text, str) else " ".join(text)


class Fields(dict[str, Any]):
    """Field names (`summary`, `references`, `documents`, `pyramid`, `annotation`) to their values."""

    def __missing__(self, name: str) -> Any:
        raise UnknownNameError("field", name, self)

    def select_fields(self, names: Iterable[str]) -> Fields:
        """Only the named fields, in the given order."""
        return Fields({name: self[name] for name in names})

    def encoded(self, names: Iterable[str]) -> bytes:
        """The named fields' values as bytes: equal for equal values, whatever objects hold them."""
        return _ENCODER.encode([self[name] for name in names])

    def digest(self, names: Iterable[str]) -> str:
        """Sixteen hexadecimal digits that tell the named fields' values."""
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
        """That of one reference: its own, else the summary's."""
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
    # Where it was read (`file:line`), for messages; not part of what it is.
    origin: str = field(default="", compare=False)
    languages: Languages = field(default=UNKNOWN_LANGUAGES, compare=False)

    def __post_init__(self) -> None:
        if self.fields.__class__ is dict:
            object.__setattr__(self, "fields", Fields(self.fields))

    def describe(self) -> str:
        """For messages: place, input and system."""
        who = f"instance {self.instance_id!r}, summarizer {self.summarizer_id!r}"
        return f"{self.origin} ({who})" if self.origin else who
