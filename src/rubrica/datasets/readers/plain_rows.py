"""Rows of SacreROUGE's schema decoded straight into instances, where they are as the schema says.

What is unusual in a row (ids that are numbers, defaults, `reference` for `references`, a language, mistakes) is left to `Row`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from rubrica.core import kernels
from rubrica.data.columns import Column, ColumnBatch
from rubrica.data.instance import EvalInstance, Fields, SummarizerType
from rubrica.datasets.readers.line_blocks import LineBlock
from rubrica.datasets.readers.row import LANGUAGE_KEYS, SINGULAR_NAMES

_Id = Annotated[str, msgspec.Meta(min_length=1)]
_NO_LANGUAGE = [(key, None, None) for key in LANGUAGE_KEYS]
_Object: Any = msgspec.defstruct("Object", [("text", str | list[str]), *_NO_LANGUAGE])
_Text: Any = str | list[str] | _Object


class PlainRows:
    """Decodes rows of a reader that has `fields`: the summary, and fields of several texts."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._names = [name for name in SINGULAR_NAMES if name in fields]
        required: list[tuple[str, Any]] = [
            ("instance_id", _Id),
            ("summarizer_id", _Id),
            ("summarizer_type", SummarizerType),
            ("summary", _Text),
            *((name, list[_Text]) for name in self._names),
        ]
        # A row with the singular, too, must be looked at (both have to agree), and one with a language.
        singular = [(SINGULAR_NAMES[name], None, None) for name in self._names]
        row = msgspec.defstruct("PlainRow", [*required, *singular, *_NO_LANGUAGE])
        self._decoder = msgspec.json.Decoder(row)

    def columns(self, block: LineBlock) -> ColumnBatch | None:
        """Return all rows of a block as columns; None where one of them is not plain."""
        refused = [*LANGUAGE_KEYS, *(SINGULAR_NAMES[name] for name in self._names)]
        columns = kernels.parse_json_rows(block.data, self._names, refused)
        if columns is None:
            return None
        instances, systems, types, summaries, lists = columns
        fields: dict[str, Column] = {"summary": summaries}
        fields.update(zip(self._names, lists, strict=True))
        return ColumnBatch(block.file, block.first, instances, systems, types, fields)

    def instance(self, line: bytes, file: str, number: int) -> EvalInstance | None:
        """The instance of a line; None where the line is not plain."""
        try:
            if not line.isascii():
                # The decoder passes over other keys without a look at their letters.
                line.decode()
            row: Any = self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        summary = row.summary
        fields = Fields(summary=summary.text if type(summary) is _Object else summary)
        for name in self._names:
            fields[name] = [
                text.text if type(text) is _Object else text for text in getattr(row, name)
            ]
        return EvalInstance(
            row.instance_id, row.summarizer_id, row.summarizer_type, fields, f"{file}:{number}"
        )
