"""Rows of SacreROUGE's schema decoded straight into instances, where they are as the schema says.

What is unusual in a row (ids that are numbers, defaults, `reference` for `references`, a language, mistakes) is left to `Row`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from rubrica.data.instance import EvalInstance, Fields

_Id = Annotated[str, msgspec.Meta(min_length=1)]


class _Object(msgspec.Struct):
    text: str | list[str]
    language: None = None
    lang: None = None


_Text = str | list[str] | _Object


class PlainRows:
    """Decodes rows that have `fields`: the summary, and lists of texts."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._names = [name for name in fields if name != "summary"]
        required: list[tuple[str, Any]] = [
            ("instance_id", _Id),
            ("summarizer_id", _Id),
            ("summarizer_type", Literal["peer", "reference"]),
            ("summary", _Text),
            *((name, list[_Text]) for name in self._names),
        ]
        # A row with the singular, too, must be looked at (both have to agree), and one with a language.
        unusual = [*(name.removesuffix("s") for name in self._names), "language", "lang"]
        optional = [(name, None, None) for name in unusual]
        self._decoder = msgspec.json.Decoder(msgspec.defstruct("PlainRow", [*required, *optional]))

    def instance(self, line: bytes, file: str, number: int) -> EvalInstance | None:
        """The instance of a line; None where the line is not plain."""
        try:
            row: Any = self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        summary = row.summary
        fields = Fields(summary=summary.text if type(summary) is _Object else summary)
        for name in self._names:
            fields[name] = [one.text if type(one) is _Object else one for one in getattr(row, name)]
        return EvalInstance(
            row.instance_id, row.summarizer_id, row.summarizer_type, fields, f"{file}:{number}"
        )
