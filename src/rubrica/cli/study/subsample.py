"""Keep the chosen lines of parallel files, in the order of the selection or of the files."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.study.options import add_ids
from rubrica.data.files import atomic_output
from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, MismatchError, UsageError
from rubrica.study.layout import find_systems, lines_of, read_ids


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options."""
    parser.example = (
        "rubrica study subsample aligned --selection selection.json --ids ids.txt -o chosen"
    )
    parser.add_argument(
        "inputs", nargs="+", metavar="FILE", help="parallel files, or one study folder"
    )
    parser.add_argument(
        "--selection",
        required=True,
        metavar="JSON",
        help="a manifest of select, or a JSON list of line numbers from 0",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="DIR", help="where to write the result (a folder)"
    )
    add_ids(parser)
    parser.add_argument(
        "--sorted", action="store_true", help="keep the order of the files, not of the selection"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    files = _files(arguments.inputs)
    lines = {file: lines_of(file) for file in files}
    counts = {len(file_lines) for file_lines in lines.values()}
    if len(counts) > 1:
        sizes = ", ".join(f"{file}: {len(file_lines)}" for file, file_lines in lines.items())
        raise MismatchError(f"the files have different numbers of lines ({sizes})")
    count = counts.pop()
    ids = read_ids(arguments.ids, count)
    chosen = _chosen(arguments.selection, ids)
    if arguments.sorted:
        chosen = sorted(chosen)
    for file, relative in files.items():
        with atomic_output(Path(arguments.output) / relative) as stream:
            for number in chosen:
                stream.write(lines[file][number].encode() + b"\n")
    with atomic_output(Path(arguments.output) / "ids.txt") as stream:
        stream.write("".join(f"{ids[number]}\n" for number in chosen).encode())
    console.say(f"{arguments.output}: {len(files)} files of {len(chosen):,} lines, and ids.txt")
    return 0


def _files(inputs: list[str]) -> dict[Path, Path]:
    """Return each file with its path below the output folder."""
    if len(inputs) == 1 and Path(inputs[0]).is_dir():
        root = Path(inputs[0])
        places: dict[Path, Path] = {}
        for system in find_systems(root):
            for file in (system.ref, system.out, system.src):
                if file is not None:
                    places[file] = file.relative_to(root)
        return places
    named = {Path(path): Path(Path(path).name) for path in inputs}
    if len(set(named.values())) < len(inputs):
        raise UsageError("two files have the same name; give the study's folder instead")
    return named


def _chosen(file: str, ids: list[str]) -> list[int]:
    content = read_json(file)
    listed = content.get("selected") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not listed:
        raise DataError("neither a manifest of select nor a list of line numbers", file=file)
    index = {name: number for number, name in enumerate(ids)}
    chosen = []
    for item in listed:
        number = (
            item
            if isinstance(item, int) and not isinstance(content, dict)
            else index.get(str(item))
        )
        if number is None or not 0 <= number < len(ids):
            raise DataError(
                f"{item!r} is not a line of the files; pass --ids if they have ids", file=file
            )
        chosen.append(number)
    if len(set(chosen)) < len(chosen):
        raise DataError("a line is chosen twice", file=file)
    return chosen
