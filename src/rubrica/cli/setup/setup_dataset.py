"""Turn the raw data of a benchmark into JSON lines; without a name, list the data sets."""

from __future__ import annotations

import argparse
import sys
import textwrap

from rubrica.cli.console import console_for
from rubrica.cli.constructor_options import add_parameters, explicit_parameters
from rubrica.cli.parser import Parser
from rubrica.cli.signals import stoppable
from rubrica.datasets.base import DATASETS, Dataset, Prepared, setup_dataset
from rubrica.errors import RubricaError, UsageError, printable
from rubrica.formatting.text_table import text_table
from rubrica.parameters import build

SHOWN = 5


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica setup-dataset`, and of the data set's constructor."""
    parser.example = "rubrica setup-dataset bhandari2020 --from realsumm/ -o data/"
    parser.completions["name"] = DATASETS.names
    parser.add_argument("name", nargs="?", help="a data set; without one, all are listed")
    parser.add_argument(
        "--from",
        dest="source",
        nargs="+",
        metavar="PATH",
        default=[],
        help="take files from here instead of the network: folders, archives or files",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="where to write the result (a folder; default: in the user's cache folder)",
    )
    parser.add_argument(
        "--accept-licence", action="store_true", help="accept the licence without being asked"
    )
    parser.add_argument("--offline", action="store_true", help="never fetch anything")
    parser.add_argument(
        "--skip-malformed",
        action="store_true",
        help="leave out records that cannot be read, instead of stopping at the first",
    )
    parser.add_argument(
        "--layout",
        choices=["rubrica", "sacrerouge"],
        default="rubrica",
        help="ids, file names and schema of the files (default: rubrica)",
    )
    name = next((word for word in words if not word.startswith("-")), None)
    if name is not None and name in DATASETS:
        destinations = add_parameters(
            parser, f"parameters of {name}", DATASETS.load(name), prefix="dataset_"
        )
        parser.set_defaults(destinations=destinations)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.name is None:
        print(_listing())
        return 0
    cls = DATASETS.load(arguments.name)
    dataset = build(
        cls,
        explicit_parameters(arguments, getattr(arguments, "destinations", ())),
        what=arguments.name,
    )
    _say(_terms(cls, arguments.name))
    if not arguments.accept_licence and not _accepted(arguments.name):
        return 1
    with console_for(arguments), stoppable():
        prepared = setup_dataset(
            dataset,
            arguments.source,
            arguments.output,
            offline=arguments.offline,
            skip_malformed=arguments.skip_malformed,
            layout=arguments.layout,
            say=_say,
        )
    _tell(prepared)
    print(prepared.folder)
    return 0


def _listing() -> str:
    rows = []
    for name in DATASETS.names():
        try:
            cls = DATASETS.get(name)
        except RubricaError as error:
            rows.append([name, "", f"cannot be used: {error}"])
            continue
        needs = "nothing: it is fetched" if cls.public() else "; ".join(cls.needs)
        rows.append([name, cls.size, _short(cls.licence, 48), _short(needs, 72)])
    rows = [row + [""] * (4 - len(row)) for row in rows]
    table = text_table(["name", "size", "licence", "what --from must hold"], rows, right=4)
    return (
        f"{table}\n\nrubrica setup-dataset NAME shows all of it, and asks before it does anything."
    )


def _short(text: str, width: int) -> str:
    """Cut a text after a word, or within a word that is longer than half of the width."""
    if len(text) <= width:
        return text
    cut = text[: width - 3]
    blank = cut.rfind(" ")
    return f"{cut[:blank] if blank > width // 2 else cut}..."


def _terms(cls: type[Dataset], name: str) -> str:
    lines = [f"{name}: {(cls.__doc__ or '').strip().splitlines()[0]}", f"home: {cls.homepage}"]
    lines += textwrap.wrap(f"licence: {cls.licence}", 100, subsequent_indent="  ")
    lines += [f"size: {cls.size}"]
    if cls.needs:
        lines.append("needs, below --from:")
        lines += [
            line
            for need in cls.needs
            for line in textwrap.wrap(need, 98, initial_indent="  ", subsequent_indent="    ")
        ]
    if cls.resources:
        size = sum(resource.size for resource in cls.resources) / 1e6
        lines.append(f"fetched, where not below --from: {len(cls.resources)} files, {size:.1f} MB")
    lines += textwrap.wrap(f"cite: {cls.citation}", 100, subsequent_indent="  ")
    return "\n".join(lines)


def _accepted(name: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(
            f"the licence of {name} must be accepted: read the lines above, then add --accept-licence"
        )
    print("Accept the licence and go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _tell(prepared: Prepared) -> None:
    for problem in prepared.skipped[:SHOWN]:
        _say(f"left out: {problem}")
    if len(prepared.skipped) > SHOWN:
        _say(f"left out: {len(prepared.skipped) - SHOWN:,} more malformed records")
    rows = [
        [name, f"{counts['rows']:,}", f"{counts['inputs']:,}", f"{counts['systems']:,}"]
        for name, counts in sorted(prepared.files.items())
    ]
    _say(text_table(["file", "rows", "inputs", "systems"], rows))
    for reason, count in prepared.left_out.items():
        _say(f"left out: {count:,} {reason}")
    _say("written" if prepared.changed else "unchanged: the same files were there already")


def _say(message: str) -> None:
    print(printable(message), file=sys.stderr)
