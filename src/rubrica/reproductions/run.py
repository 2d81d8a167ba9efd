"""Run a recipe on released files: check them, compute every cell, give each its verdict; resume.

Nothing is downloaded. A missing or different file is reported with the place where it can be had.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from rubrica import __version__
from rubrica.data.files import atomic_output
from rubrica.datasets.released import JudgedTexts
from rubrica.errors import DataError, MissingResourceError, RubricaError
from rubrica.reproductions.inputs import READERS, score_texts
from rubrica.reproductions.operations import OPERATIONS
from rubrica.reproductions.recipe import (
    DataFile,
    Finding,
    InputSpec,
    Recipe,
    RowSpec,
    TableSpec,
    is_file_option,
)
from rubrica.reproductions.results import Cell, Reproduction, Verdict, is_equal


def run_recipe(
    recipe: Recipe,
    data: Path,
    results: Path | None = None,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Reproduction:
    """Return the recipe's cells, recomputed from the files below `data`.

    `results` is a folder of earlier results: one of the same recipe, data and version is returned
    instead of computed again, and a new one is written there.

    Raises:
        MissingResourceError: Files are absent; the message lists them and the commands that get them.
        DataError: A file is not the one that the recipe was written for.
    """
    paths = check_files(recipe, data)
    key = result_key(recipe)
    earlier = None if results is None else read_result(results, recipe.name)
    if earlier is not None and earlier.key == key:
        say(f"{recipe.name}: unchanged, from {results}")
        return earlier
    result = Reproduction(
        recipe=recipe.name,
        paper=recipe.paper,
        title=recipe.title,
        key=key,
        version=__version__,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        cells=_Runner(recipe, paths, say).cells(),
    )
    if results is not None:
        write_result(results, result)
    return result


def check_files(
    recipe: Recipe, data: Path, names: Collection[str] | None = None
) -> dict[str, Path]:
    """Return where each file of the recipe is, or of `names` only.

    Raises:
        MissingResourceError: Files are absent; the message lists them and the commands that get them.
        DataError: A file is not the one that the recipe was written for.
    """
    files = [file for file in recipe.files if names is None or file.name in names]
    paths = {file.name: file_path(recipe, file, data) for file in files}
    missing = [file for file in files if not paths[file.name].is_file()]
    if missing:
        names = "".join(f"\n  {paths[file.name]}" for file in missing[:10])
        more = f"\n  and {len(missing) - 10:,} more" if len(missing) > 10 else ""
        steps = "".join(f"\n  {line}" for line in fetch_commands(recipe, missing, data))
        raise MissingResourceError(
            f"recipe {recipe.name!r}: {len(missing):,} of {len(files):,} files are missing:"
            f"{names}{more}\nGet them with:{steps}"
        )
    for file in files:
        path = paths[file.name]
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != file.sha256:
            source = recipe.source_of(file)
            commit = file.commit or source.commit
            raise DataError(
                f"not the file that recipe {recipe.name!r} was written for: sha256 {digest}, expected "
                f"{file.sha256}. Check out commit {commit} of {source.repository}",
                file=str(path),
            )
    return paths


def file_path(recipe: Recipe, file: DataFile, data: Path) -> Path:
    """Return where a file is expected."""
    return data / recipe.source_of(file).folder / file.name


def fetch_commands(recipe: Recipe, missing: list[DataFile], data: Path) -> list[str]:
    """Return the commands that bring the missing files; a person runs them, Rubrica does not."""
    commands: list[str] = []
    for file in missing:
        source = recipe.source_of(file)
        folder = shlex.quote(str(data / source.folder))
        clone = f"git clone {source.repository} {folder}"
        if clone not in commands:
            commands += [clone, f"git -C {folder} checkout {source.commit}"]
        if file.commit is not None:
            target = shlex.quote(str(file_path(recipe, file, data)))
            commands.append(
                f"git -C {folder} show {file.commit}:{shlex.quote(file.path)} > {target}"
            )
    return commands


def result_key(recipe: Recipe) -> str:
    """Return a digest of all that decides the cells: the recipe with its files' hashes, and the version."""
    # Neither the commands to type nor the prose changes a cell.
    bare = msgspec.structs.replace(recipe, commands=[], defects=[], citation="", published_in="")
    content = msgspec.json.encode([bare, __version__], order="deterministic")
    return hashlib.sha256(content).hexdigest()[:32]


def read_result(folder: Path, name: str) -> Reproduction | None:
    """Return an earlier result, or None if there is none that can be read."""
    try:
        return msgspec.json.decode((folder / f"{name}.json").read_bytes(), type=Reproduction)
    except (OSError, ValueError, RecursionError):
        return None


def write_result(folder: Path, result: Reproduction) -> None:
    """Write a result as NAME.json, a line per cell, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    head = msgspec.json.encode(msgspec.structs.replace(result, cells=[])).removesuffix(b"[]}")
    lines = b",\n".join(map(msgspec.json.encode, result.cells))
    with atomic_output(str(folder / f"{result.recipe}.json")) as stream:
        stream.write(b"%b[\n%b\n]}\n" % (head, lines))


class _Runner:
    """Computes the cells of one recipe; every input is read once."""

    def __init__(self, recipe: Recipe, paths: dict[str, Path], say: Callable[[str], None]) -> None:
        self.recipe, self.paths, self.say = recipe, paths, say
        self._inputs: dict[tuple[str, tuple[str, ...]], Any] = {}

    def cells(self) -> list[Cell]:
        cells = []
        for table in self.recipe.tables:
            self.say(f"{self.recipe.name}: {table.title}")
            for row in table.rows:
                for column, published in zip(table.columns, row.published, strict=True):
                    if published:
                        options = table.options | column.options | row.options
                        cells.append(self._cell(table, row, column.name, published, options))
        return cells

    def _cell(
        self, table: TableSpec, row: RowSpec, column: str, published: str, options: dict[str, Any]
    ) -> Cell:
        value, reason = None, row.unavailable
        if not reason:
            try:
                content = self._input(row.input or table.input or "", row.files)
                value = OPERATIONS[table.operation](content, **options)
                reason = "" if value is not None else "the value is undefined"
            except RubricaError as error:
                reason = str(error)
        scaled = None if value is None or math.isnan(value) else value * table.scale
        verdict, reason = self._verdict(table, row.name, column, published, scaled, reason)
        return Cell(
            table=table.title, row=row.name, column=column, published=published,
            recomputed=scaled, verdict=verdict, reason=reason,
        )  # fmt: skip

    def _verdict(
        self,
        table: TableSpec,
        row: str,
        column: str,
        published: str,
        value: float | None,
        reason: str,
    ) -> tuple[Verdict, str]:
        if value is None:
            return Verdict.UNAVAILABLE, reason
        if is_equal(value, published):
            return Verdict.EQUAL, ""
        if abs(value - float(published)) <= table.tolerance:
            return Verdict.EXPLAINED, table.tolerance_reason
        for finding in self.recipe.findings:
            if _concerns(finding, table.title, row, column):
                verdict = Verdict.EXPLAINED if finding.explained else Verdict.UNEXPLAINED
                return verdict, finding.cause
        return Verdict.UNEXPLAINED, ""

    def _input(self, name: str, files: list[str]) -> Any:
        key = name, tuple(files)
        if key not in self._inputs:
            spec = self.recipe.inputs[name]
            paths = [self.paths[path] for path in files or self.recipe.input_files(name)]
            content = READERS[spec.reader](paths, **spec.options)
            if isinstance(content, JudgedTexts):
                content = score_texts(content, self._metrics(spec))
            if files:
                # A file per row: the rows before are done.
                self._inputs = {k: v for k, v in self._inputs.items() if not k[1]}
            self._inputs[key] = content
        return self._inputs[key]

    def _metrics(self, spec: InputSpec) -> list[dict[str, Any]]:
        """Return the metrics of an input, with the paths of the files that their options name."""
        return [
            {
                name: str(self.paths[value["file"]]) if is_file_option(value) else value
                for name, value in config.items()
            }
            for config in spec.metrics
        ]


def _concerns(finding: Finding, table: str, row: str, column: str) -> bool:
    return (
        (not finding.tables or table in finding.tables)
        and (not finding.rows or row in finding.rows)
        and (not finding.columns or column in finding.columns)
    )
