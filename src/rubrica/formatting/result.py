"""`Result`: what every result of an analysis can do in a notebook, a script and a paper."""

from __future__ import annotations

import importlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rubrica.errors import MissingResourceError, ParameterError
from rubrica.formatting.charts import Panel, interval_chart
from rubrica.formatting.jsonable import to_jsonable
from rubrica.formatting.table import Cell, Table

if TYPE_CHECKING:
    import pandas
    import polars


class Result(ABC):
    """A result that prints as a table, and converts to frames, Markdown, LaTeX, CSV, JSON, charts and pages.

    A subclass defines `to_table` or `to_tables` (what is printed), `records` (every number, a row each) and
    `to_dict`; `panels` if it can be plotted. `rubrica.reports.api` knows which results have a page.
    """

    __slots__ = ()

    def to_table(self) -> Table:
        """Return the table that is printed; of several, the first."""
        return self.to_tables()[0]

    def to_tables(self) -> Sequence[Table]:
        """Return the tables that are printed."""
        return [self.to_table()]

    def panels(self) -> Sequence[Panel]:
        """Return what `plot` draws."""
        raise ParameterError(f"a result of type {type(self).__name__} has no plot")

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return every number as rows of columns with the same names; None where there is no value."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as the command writes it to JSON."""

    def __repr__(self) -> str:
        """Return the table of the command line."""
        return "\n\n".join(table.to_text() for table in self.to_tables())

    def _repr_html_(self) -> str:
        tables = [table.to_html() for table in self.to_tables()]
        # Notebooks show a few tables; a click opens the others.
        shown, folded = tables[:3], tables[3:]
        if folded:
            more = "\n".join(folded)
            shown.append(f"<details><summary>{len(folded)} more tables</summary>{more}</details>")
        return f'<div style="overflow-x:auto">{"".join(shown)}</div>'

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        return "\n\n".join(table.to_markdown() for table in self.to_tables())

    def to_latex(self) -> str:
        """Return the table as LaTeX (booktabs)."""
        return "\n\n".join(table.to_latex() for table in self.to_tables())

    def plot(self) -> Any:
        """Return an altair chart of the values and their intervals, which notebooks show.

        Raises:
            MissingResourceError: altair is not installed (`pip install 'rubrica[plots]'`).
        """
        return interval_chart(self.panels())

    def report(self, path: str | os.PathLike[str], **options: Any) -> str:
        """Write the HTML page of the result and return its path; see `rubrica.report` for the options."""
        # Pages are a layer above results, so they are loaded when a page is asked for.
        write = importlib.import_module("rubrica.reports.api").report
        return str(write(self, path, **options))

    def to_csv(self) -> str:
        """Return every number as CSV, a line each, with a header."""
        records = self.records()
        if not records:
            return ""
        rows = [[Cell("" if v is None else str(v)) for v in record.values()] for record in records]
        return Table(list(records[0]), rows).to_csv()

    def to_json(self) -> str:
        """Return everything as JSON; an undefined value is null."""
        return json.dumps(to_jsonable(self.to_dict()), ensure_ascii=False)

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
