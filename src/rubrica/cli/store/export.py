"""Write all scores of a store to one file, as JSON lines or Parquet."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rubrica.cli.parser import Parser
from rubrica.cli.store import add_metrics, add_store
from rubrica.data.files import atomic_output, writable
from rubrica.data.jsonl import write_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import export
from rubrica.errors import OutputError

ROWS_AT_ONCE = 10_000


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica store export`."""
    parser.example = "rubrica store export scores/ scores.parquet"
    add_store(parser)
    parser.add_argument("output", metavar="OUT", help=".jsonl (or .jsonl.gz, .zst) or .parquet")
    add_metrics(parser, "metrics (only their scores)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    store = ScoreStore(arguments.store, must_exist=True)
    writable(arguments.output)
    rows = _Counted(export(store, arguments.metrics))
    try:
        if arguments.output.endswith(".parquet"):
            _write_parquet(arguments.output, iter(rows))
        else:
            write_jsonl(arguments.output, rows)
    except OSError as error:
        raise OutputError(arguments.output, error.strerror or error) from error
    print(f"{rows.count:,} scores: {arguments.output}")
    return 0


class _Counted:
    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Any]:
        for row in self._rows:
            self.count += 1
            yield row


def _write_parquet(path: str, rows: Iterator[dict[str, Any]]) -> None:
    """Write measures as a map of dotted names to numbers: metrics have different measures."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(
        {
            "key": pa.string(),
            "signature": pa.string(),
            "form": pa.string(),
            "metrics": pa.map_(pa.string(), pa.float64()),
            "statistics": pa.list_(pa.float64()),
        }
    )
    with atomic_output(path) as stream, parquet.ParquetWriter(stream, schema) as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            for row in some:
                row["metrics"] = list(_measures(row["metrics"]))
            writer.write_table(pa.Table.from_pylist(some, schema=schema))


def _measures(values: MetricsDict) -> Iterator[tuple[str, float | None]]:
    for path, value in values.leaves():
        if isinstance(value, list):
            for number, item in enumerate(value):
                yield ".".join((*path, str(number))), item
        else:
            yield ".".join(path), value
