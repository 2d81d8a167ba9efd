"""`Result`: what every result of an analysis can do in a notebook, a script and a paper."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rubrica.errors import MissingResourceError
from rubrica.formatting.table import Cell, Table

if TYPE_CHECKING:
    import pandas
    import polars


class Result:
    """A result that prints as a table, and converts to frames, Markdown, LaTeX, CSV, JSON and HTML.

    A subclass defines `to_table` (what is printed), `records` (every number, a row each) and `to_dict`.
    """

    __slots__ = ()

    def to_table(self) -> Table:
        """Return the table that is printed."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return every number as rows of columns with the same names; None where there is no value."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as the command writes it to JSON."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the table of the command line."""
        return self.to_table().to_text()

    def _repr_html_(self) -> str:
        return self.to_table().to_html()

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        return self.to_table().to_markdown()

    def to_latex(self) -> str:
        """Return the table as LaTeX (booktabs)."""
        return self.to_table().to_latex()

    def to_csv(self) -> str:
        """Return every number as CSV, a line each, with a header."""
        records = self.records()
        if not records:
            return ""
        rows = [[Cell("" if v is None else str(v)) for v in record.values()] for record in records]
        return Table(list(records[0]), rows).to_csv()

    def to_json(self) -> str:
        """Return everything as JSON; an undefined value is null."""
        return json.dumps(_jsonable(self.to_dict()), ensure_ascii=False)

    def to_pandas(self) -> pandas.DataFrame:
        """Return every number as a pandas data frame, a row each."""
        try:
            import pandas
        except ImportError as error:
            raise MissingResourceError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame.from_records(self.records())

    def to_polars(self) -> polars.DataFrame:
        """Return every number as a polars data frame, a row each."""
        try:
            import polars
        except ImportError as error:
            raise MissingResourceError("to_polars needs polars: pip install polars") from error
        return polars.DataFrame(self.records(), infer_schema_length=None)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
