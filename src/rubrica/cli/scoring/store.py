"""Look after a store of scores, as `--store DIR` of `evaluate` and `score` makes it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from rubrica.cli.options import Parser
from rubrica.data.files import atomic_output, writable
from rubrica.data.jsonl import encoded_json, write_jsonl
from rubrica.data.metrics import MetricsDict
from rubrica.data.store import ScoreStore
from rubrica.data.store.upkeep import Problem, contents, export, garbage, merge, remove, verify
from rubrica.errors import MismatchError, OutputError, UsageError, near_names, printable
from rubrica.formatting.text_table import text_table

ROWS_AT_ONCE = 10_000


def main(words: list[str]) -> int:
    """The command that the first word names."""
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0 if words else UsageError.exit_code
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        near = near_names(name, COMMANDS)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no command {name!r} of a store{hint}\nSee: rubrica store --help")
    told, add_options, run = COMMANDS[name]
    parser = Parser(prog=f"rubrica store {name}", description=f"{told.capitalize()}.")
    parser.add_argument("store", metavar="DIR", help="the directory of the store")
    add_options(parser)
    arguments = parser.parse(rest)
    return run(ScoreStore(arguments.store, must_exist=True), arguments)


def _help() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "usage: rubrica store COMMAND DIR ...",
            "",
            __doc__ or "",
            "",
            *(f"  {name:<{width}}  {told}" for name, (told, _, _) in COMMANDS.items()),
            "",
            "  rubrica store COMMAND --help  the options of a command",
        ]
    )


def _ls_options(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


def _merge_options(parser: Parser) -> None:
    parser.add_argument("sources", nargs="*", metavar="FROM", help="other stores, left as they are")


def _gc_options(parser: Parser) -> None:
    parser.add_argument("--metrics", nargs="+", default=[], metavar="M", help="scores of these too")
    parser.add_argument(
        "--other-versions", action="store_true", help="scores of other versions of Rubrica too"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would be removed")


def _export_options(parser: Parser) -> None:
    parser.add_argument("output", metavar="OUT", help=".jsonl (or .jsonl.gz, .zst) or .parquet")
    parser.add_argument("--metrics", nargs="+", default=[], metavar="M", help="only of these")


def _ls(store: ScoreStore, arguments: argparse.Namespace) -> int:
    found, problems = contents(store)
    if arguments.json:
        rows = [
            {
                "signature": one.kind.signature,
                "form": one.kind.form,
                "rows": one.rows,
                "shards": one.shards,
                "bytes": one.size,
                "statistics": one.statistics,
            }
            for one in found
        ]
        print(encoded_json(rows).decode(), end="")
    elif found:
        cells = [
            [
                one.kind.signature,
                one.kind.form + (" + statistics" if one.statistics else ""),
                f"{one.rows:,}",
                f"{one.shards:,}",
                f"{one.size:,}",
            ]
            for one in found
        ]
        print(text_table(["signature", "scores", "rows", "shards", "bytes"], cells, right=2))
    else:
        print("no scores yet")
    _tell(problems)
    return 0


def _verify(store: ScoreStore, arguments: argparse.Namespace) -> int:
    problems = list(verify(store))
    _tell(problems)
    if problems:
        print(f"rubrica store gc {store.path} removes damaged shards", file=sys.stderr)
        return 1
    found, _ = contents(store)
    print(
        f"{sum(one.shards for one in found):,} shards, {sum(one.rows for one in found):,} rows: ok"
    )
    return 0


def _merge(store: ScoreStore, arguments: argparse.Namespace) -> int:
    store.check_writable()
    sources = [ScoreStore(path, must_exist=True) for path in arguments.sources]
    for source, path in zip(sources, arguments.sources, strict=True):
        if os.path.samefile(source.path, store.path):
            raise MismatchError("is the store itself; it needs no merging with itself", file=path)
    rows, problems = merge(store, sources)
    _tell(problems)
    print(f"{store.path}: {rows:,} rows")
    return 0


def _gc(store: ScoreStore, arguments: argparse.Namespace) -> int:
    files = list(garbage(store, metrics=arguments.metrics, other_versions=arguments.other_versions))
    for one in files:
        print(printable(f"{one.path}: {one.reason}"))
    if arguments.dry_run:
        print(f"{len(files):,} files would be removed")
    else:
        print(f"{len(files):,} files removed, {remove(files):,} bytes")
    return 0


def _export(store: ScoreStore, arguments: argparse.Namespace) -> int:
    writable(arguments.output)
    rows = export(store, arguments.metrics)
    try:
        if arguments.output.endswith(".parquet"):
            count = _write_parquet(arguments.output, rows)
        else:
            counted = _Counted(rows)
            write_jsonl(arguments.output, counted)
            count = counted.count
    except OSError as error:
        raise OutputError(arguments.output, error.strerror or error) from error
    print(f"{count:,} scores: {arguments.output}")
    return 0


class _Counted:
    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Any]:
        for row in self._rows:
            self.count += 1
            yield row


def _write_parquet(path: str, rows: Iterator[dict[str, Any]]) -> int:
    """Measures as a map of dotted names to numbers: kinds differ in what they measure."""
    import pyarrow as pa
    from pyarrow import parquet

    lists = pa.list_(pa.float64())
    schema = pa.schema(
        {
            "key": pa.string(),
            "signature": pa.string(),
            "form": pa.string(),
            "metrics": pa.map_(pa.string(), pa.float64()),
            "statistics": lists,
        }
    )
    count = 0
    with atomic_output(path) as stream, parquet.ParquetWriter(stream, schema) as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            for row in some:
                row["metrics"] = list(_measures(row["metrics"]))
            writer.write_table(pa.Table.from_pylist(some, schema=schema))
            count += len(some)
    return count


def _measures(values: MetricsDict) -> Iterator[tuple[str, float | None]]:
    for path, value in values.leaves():
        if isinstance(value, list):
            for number, inner in enumerate(value):
                yield ".".join((*path, str(number))), inner
        else:
            yield ".".join(path), value


def _tell(problems: Iterable[Problem]) -> None:
    for one in problems:
        print(printable(f"{one.path}: {one.reason}"), file=sys.stderr)


_Options = Callable[[Parser], None]
_Run = Callable[[ScoreStore, argparse.Namespace], int]

COMMANDS: dict[str, tuple[str, _Options, _Run]] = {
    "ls": ("what is in it: metrics, rows, shards, bytes", _ls_options, _ls),
    "verify": (
        "check every shard; exit code 1 if something is wrong",
        lambda parser: None,
        _verify,
    ),
    "merge": (
        "take the shards of other stores in, and put small ones together",
        _merge_options,
        _merge,
    ),
    "gc": ("remove damaged shards and what killed runs left", _gc_options, _gc),
    "export": ("write all scores to one file", _export_options, _export),
}
