"""A recipe: one published table as data, with the files it needs and how its cells are computed.

A recipe is a TOML file. It names readers (`inputs`) and operations that are registered here and passes
them options; nothing in it is executed. Unknown keys, wrong types and rows of the wrong length are errors.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rubrica.errors import DataError, UnknownNameError

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Text = Annotated[str, msgspec.Meta(min_length=1)]
# A number as printed: its digits decide what counts as equal.
Printed = Annotated[str, msgspec.Meta(pattern=r"^-?[0-9]+(\.[0-9]+)?$|^$")]
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}$")]
# Neither absolute nor upwards: files are below the folder of the data.
RelativePath = Annotated[str, msgspec.Meta(pattern=r"^(?!/)(?!.*(^|/)\.\.(/|$))[^\\\0]+$")]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a recipe: keys that it does not define are errors."""


class DataSource(_Strict, frozen=True):
    """The repository that holds the files; a clone of it is expected at `folder` below the data folder."""

    repository: Text
    commit: Commit
    licence: Text
    folder: RelativePath


class DataFile(_Strict, frozen=True):
    """A file of the repository; `commit` and `stored_as` where it comes from another commit.

    `source` is set for a file of another repository, such as a table that a metric needs. Inputs and rows
    name a file as it is stored.
    """

    path: RelativePath
    sha256: Digest
    commit: Commit | None = None
    stored_as: RelativePath | None = None
    # Unset rather than None: the keys of results do not change for recipes without it.
    source: DataSource | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str:
        """Return the path below the folder of the source."""
        return self.stored_as or self.path


class InputSpec(_Strict, frozen=True):
    """How files become scores: a registered reader, its files and options, metrics to compute on texts.

    Without `files` the reader gets all files of the recipe's own repository. A metric's option
    `{ file = NAME }` is the path of a file of the recipe.
    """

    reader: Name
    files: list[RelativePath] = []
    options: dict[str, Any] = {}
    metrics: list[dict[str, Any]] = []


class ColumnSpec(_Strict, frozen=True):
    """A column: its heading, and the options that it adds to the operation."""

    name: Text
    options: dict[str, Any] = {}


class RowSpec(_Strict, frozen=True):
    """A row: its label, its published values, and the options that it adds.

    `files` replace those of the input, for tables with a file per row. `unavailable` says why the row
    cannot be computed; its cells are listed all the same.
    """

    name: Text
    published: list[Printed]
    options: dict[str, Any] = {}
    input: Name | None = None
    files: list[RelativePath] = []
    unavailable: str = ""


class TableSpec(_Strict, frozen=True):
    """A published table, or a part of one that a single operation computes.

    `tolerance` allows for chance, such as a bootstrap without a published seed; `tolerance_reason` says why.
    """

    title: Text
    operation: Name
    columns: list[ColumnSpec]
    rows: list[RowSpec]
    input: Name | None = None
    options: dict[str, Any] = {}
    scale: float = 1.0
    tolerance: float = 0.0
    tolerance_reason: str = ""


class Finding(_Strict, frozen=True):
    """Why cells differ: the cause and the evidence for it. Empty lists mean every row or column.

    Without `explained` the cells stay unexplained and the text says what was tried.
    """

    cause: Text
    tables: list[str] = []
    rows: list[str] = []
    columns: list[str] = []
    explained: bool = True


class Recipe(_Strict, frozen=True):
    """A published table: citation, files, commands, cells and known defects."""

    name: Name
    paper: Text
    title: Text
    citation: Text
    published_in: Text
    source: DataSource
    files: list[DataFile]
    commands: list[Text]
    inputs: dict[Name, InputSpec]
    tables: list[TableSpec]
    findings: list[Finding] = []
    defects: list[str] = []

    @property
    def cells(self) -> int:
        """Return the number of published values."""
        return sum(
            1 for table in self.tables for row in table.rows for text in row.published if text
        )

    def source_of(self, file: DataFile) -> DataSource:
        """Return the repository that a file comes from."""
        return self.source if isinstance(file.source, msgspec.UnsetType) else file.source

    def input_files(self, name: str) -> list[str]:
        """Return the names of the files that an input reads."""
        own = [file.name for file in self.files if self.source_of(file) is self.source]
        return self.inputs[name].files or own


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with Rubrica."""
    folder = files("rubrica.reproductions").joinpath("recipes")
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )


def load_recipes() -> list[Recipe]:
    """Return all recipes that come with Rubrica, by name."""
    return [load_recipe(name) for name in recipe_names()]


def load_recipe(name: str) -> Recipe:
    """Return a recipe by its name, or from a file whose name ends in `.toml`."""
    if name.endswith(".toml"):
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", file=name) from error
        return parse_recipe(data, name)
    if name not in recipe_names():
        raise UnknownNameError("recipe", name, recipe_names())
    path = files("rubrica.reproductions").joinpath("recipes", f"{name}.toml")
    return parse_recipe(path.read_bytes(), f"{name}.toml")


def parse_recipe(data: bytes, file: str) -> Recipe:
    """Return the recipe in a TOML document; a `DataError` names the key that is wrong."""
    try:
        recipe = msgspec.convert(tomllib.loads(data.decode("utf-8")), Recipe)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not TOML: {error}", file=file) from error
    except msgspec.ValidationError as error:
        raise DataError(f"not a recipe: {error}", file=file) from error
    if problem := _problem(recipe):
        raise DataError(f"not a recipe: {problem}", file=file)
    return recipe


def _problem(recipe: Recipe) -> str:
    """Return what is inconsistent, or nothing."""
    # Late: readers and operations load numpy and the metrics.
    from rubrica.reproductions.inputs import READERS, check_reader_options, output_kind
    from rubrica.reproductions.operations import OPERATIONS, check_options, input_kind

    paths = {file.name for file in recipe.files}
    for name, spec in recipe.inputs.items():
        if spec.reader not in READERS:
            return (
                f"input {name!r}: no reader {spec.reader!r} (known: {', '.join(sorted(READERS))})"
            )
        if problem := check_reader_options(spec.reader, spec.options):
            return f"input {name!r}: {problem}"
        if absent := [path for path in spec.files if path not in paths]:
            return f"input {name!r}: {absent[0]!r} is not listed under [[files]]"
        if absent := [path for path in metric_files(spec.metrics) if path not in paths]:
            return f"input {name!r}, metrics: {absent[0]!r} is not listed under [[files]]"
    titles = [table.title for table in recipe.tables]
    if len(set(titles)) < len(titles):
        return "two tables have the same title"
    for table in recipe.tables:
        where = f"table {table.title!r}"
        if table.operation not in OPERATIONS:
            known = ", ".join(sorted(OPERATIONS))
            return f"{where}: no operation {table.operation!r} (known: {known})"
        if table.tolerance and not table.tolerance_reason:
            return f"{where}: a tolerance needs a tolerance_reason"
        for row in table.rows:
            if len(row.published) != len(table.columns):
                return f"{where}, row {row.name!r}: {len(row.published)} values, {len(table.columns)} columns"
            if absent := [path for path in row.files if path not in paths]:
                return f"{where}, row {row.name!r}: {absent[0]!r} is not listed under [[files]]"
            if (row.input or table.input) not in recipe.inputs and not row.unavailable:
                return f"{where}, row {row.name!r}: no input {row.input or table.input!r}"
            if not row.unavailable:
                reader = recipe.inputs[row.input or table.input or ""].reader
                if output_kind(reader) is not input_kind(table.operation):
                    return f"{where}: {table.operation} cannot use what {reader} reads"
            for column in table.columns:
                options = table.options | column.options | row.options
                if not row.unavailable and (problem := check_options(table.operation, options)):
                    return f"{where}, row {row.name!r}: {problem}"
    return _unmatched(recipe)


def metric_files(metrics: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the files that options of metrics refer to."""
    return [
        value["file"] for config in metrics for value in config.values() if is_file_option(value)
    ]


def is_file_option(value: Any) -> bool:
    """Return whether an option of a metric is `{ file = NAME }`."""
    return isinstance(value, dict) and set(value) == {"file"}


def _unmatched(recipe: Recipe) -> str:
    """Return the name in a finding that no table, row or column has, or nothing."""
    names = {
        "tables": {table.title for table in recipe.tables},
        "rows": {row.name for table in recipe.tables for row in table.rows},
        "columns": {column.name for table in recipe.tables for column in table.columns},
    }
    for finding in recipe.findings:
        for kind, known in names.items():
            for name in getattr(finding, kind):
                if name not in known:
                    return f"a finding names {name!r}, which is not among the {kind}"
    return ""


def digits_of(printed: str) -> int:
    """Return the number of digits after the point."""
    match = re.search(r"\.([0-9]+)$", printed)
    return len(match[1]) if match else 0
