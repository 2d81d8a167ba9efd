"""Evaluation instances from objects in memory: frames, HuggingFace data sets, lists of mappings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.instance import EvalInstance
from rubrica.datasets.raw.record import table_rows
from rubrica.datasets.readers.tables import TableReader
from rubrica.errors import DataError


class _ObjectReader(TableReader):
    name = "instances_of"

    def __init__(self, table: Any, what: str, **options: Any) -> None:
        super().__init__(**options)
        self._table, self._what = table, what

    def rows(self, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            yield from enumerate(table_rows(self._table), 1)
        except DataError as error:
            raise DataError(str(error), file=self._what) from error


def instances_of(
    table: Any,
    fields: dict[str, str | list[str]] | None = None,
    *,
    summarizer_id: str | None = None,
    summarizer_type: str = "peer",
    name: str = "table",
) -> Iterator[EvalInstance]:
    """Yield the rows of a table as instances, for `rubrica.evaluate` and `rubrica.score`.

    `table` is a pandas or polars frame, a HuggingFace data set, or any iterable of mappings.
    `fields` says which column holds which field, as for the readers of tables (`summary`,
    `references`, `documents`, `instance_id`, `summarizer_id`, `summarizer_type`); without it the
    usual names are recognised. `summarizer_id` names the system if no column does. `name` is the
    name of the table in messages.
    """
    reader = _ObjectReader(
        table,
        name,
        fields=fields,
        default_summarizer_id=summarizer_id or name,
        default_summarizer_type=summarizer_type,
    )
    return reader.read(name)
