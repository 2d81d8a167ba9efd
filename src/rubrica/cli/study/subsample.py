"""Keep the chosen lines of parallel files, in the order of choice or of the files."""

from __future__ import annotations

import argparse
from pathlib import Path

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.data.files import atomic_output
from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, MismatchError, UsageError
from rubrica.study.layout import find_systems, lines_of, read_ids


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Its options."""
    parser.add_argument(
        "inputs", nargs="+", metavar="FILE", help="parallel files, or one study folder"
    )
    parser.add_argument(
        "--selection",
        required=True,
        metavar="JSON",
        help="a manifest of select, or a JSON list of line numbers from 0",
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="where they are put")
    parser.add_argument("--ids", metavar="FILE", help="the ids of the files' lines")
    parser.add_argument(
        "--sorted", action="store_true", help="in the order of the files, not of choice"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run it."""
    files = _files(arguments.inputs)
    lines = {file: lines_of(file) for file in files}
    counts = {len(one) for one in lines.values()}
    if len(counts) > 1:
        told = ", ".join(f"{file}: {len(one)}" for file, one in lines.items())
        raise MismatchError(f"the files have different numbers of lines ({told})")
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
    """Each file with the place it gets below the output folder."""
    if len(inputs) == 1 and Path(inputs[0]).is_dir():
        root = Path(inputs[0])
        found: dict[Path, Path] = {}
        for system in find_systems(root):
            for file in (system.ref, system.out, system.src):
                if file is not None:
                    found[file] = file.relative_to(root)
        return found
    named = {Path(one): Path(Path(one).name) for one in inputs}
    if len(set(named.values())) < len(inputs):
        raise UsageError("two files have the same name; give the study's folder instead")
    return named


def _chosen(file: str, ids: list[str]) -> list[int]:
    content = read_json(file)
    listed = content.get("selected") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not listed:
        raise DataError("neither a manifest of select nor a list of line numbers", file=file)
    at = {name: number for number, name in enumerate(ids)}
    chosen = []
    for one in listed:
        number = one if isinstance(one, int) and not isinstance(content, dict) else at.get(str(one))
        if number is None or not 0 <= number < len(ids):
            raise DataError(
                f"{one!r} is no line of the files; give --ids if they have ids", file=file
            )
        chosen.append(number)
    if len(set(chosen)) < len(chosen):
        raise DataError("a line is chosen twice", file=file)
    return chosen
