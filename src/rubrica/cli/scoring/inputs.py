"""The input options of every command that reads summaries, and the reader that they ask for."""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rubrica.cli.constructor_options import add_parameters, explicit_parameters
from rubrica.cli.parser import Parser
from rubrica.data.instance import EvalInstance
from rubrica.data.scores.columns import TableColumns
from rubrica.datasets.open import reader_for
from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.datasets.readers.delimited import CsvReader
from rubrica.datasets.readers.lines import LineAlignedReader
from rubrica.datasets.source import Source
from rubrica.errors import DataError, DataWarning, ParameterError, UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.metric_like import required_fields
from rubrica.parameters import Parameter, parameters_of

_DESCRIPTION = (
    "Without --dataset-reader the file's ending decides: one text per line for .txt, tables for .csv, .tsv, .parquet, .arrow and .json, "
    "otherwise JSON lines of any shape. Columns are recognised by their usual names (rubrica docs readers)."
)
_ENDINGS = re.compile(
    r"\.(jsonl|json|csv|tsv|tab|txt|parquet|arrow|feather)(\.(gz|bz2|zst|xz))?$", re.I
)


class InputOptions:
    """Adds the input options to a parser, and builds the reader that they ask for.

    Files are positional words, or follow `--input-files`. The words are looked at early, for the options of a
    reader that `--dataset-reader` names.
    """

    def __init__(
        self,
        parser: Parser,
        words: Sequence[str],
        *,
        positional: bool = True,
        files_help: str = "files of summaries (- for stdin)",
        required: bool = True,
        line_files: Sequence[str] = ("references", "documents"),
    ) -> None:
        self._positional, self._line_files = positional, line_files
        group = parser.add_argument_group("input", _DESCRIPTION)
        parser.owner_hint = _readers_with
        if positional:
            parser.intermixed = True
            nargs = "+" if required else "*"
            group.add_argument("input_files", nargs=nargs, metavar="FILE", help=files_help)
            parser.is_file_word = _is_file_word
        else:
            group.add_argument(
                "--input-files", nargs="+", metavar="FILE", required=required, help=files_help
            )
        for name in line_files:
            option = f"-{name[0]}"
            # Between positional words, an option of several words would swallow them.
            again = f"; repeat {option} for a second file" if positional else ""
            taking: dict[str, Any] = {"action": "append"} if positional else {"nargs": "+"}
            group.add_argument(
                option,
                f"--{name}",
                default=[],
                metavar="FILE",
                help=f"{name} (one text per line{again})",
                **taking,
            )
        group.add_argument(
            "--dataset-reader",
            metavar="READER",
            help="how to read the input: a name (rubrica list readers) or JSON with its parameters "
            "(default: by the file's ending)",
        )
        self._parameters: list[tuple[str, Parameter]] = []
        self._add(parser, "input: tables", CsvReader)
        self._add(parser, "input: one text per line", LineAlignedReader)
        self._reader: dict[str, Any] | None = None
        if (text := peek(words, "--dataset-reader")) is not None:
            self._reader = _reader_config(text)
            name = self._reader["type"]
            self._add(parser, f"options of reader {name}", READERS.load(name))

    def _add(self, parser: Parser, title: str, cls: type[DatasetReader]) -> None:
        added = {parameter.name for _, parameter in self._parameters} | {"references", "documents"}
        only = {parameter.name for parameter in parameters_of(cls)} - added
        self._parameters += add_parameters(
            parser, title, cls, prefix="reader_", taken_prefix="reader_", only=only
        )

    def reader(
        self,
        arguments: argparse.Namespace,
        metrics: Sequence[Metric],
        files: Sequence[str] | None = None,
    ) -> DatasetReader:
        """Return the reader for the files; it provides what the metrics need."""
        files = arguments.input_files if files is None else files
        options = explicit_parameters(arguments, self._parameters)
        options |= {name: getattr(arguments, name) for name in self._line_files}
        if self._reader is not None and self._reader["type"] != "text":
            _refuse_lines(arguments, self._reader["type"], self._line_files)
        reader = reader_for(
            files, required_fields(metrics), self._reader, options, allow_import=True
        )
        check_fields(reader, metrics)
        if self._positional:
            _warn_of_references(arguments.references, files)
        return reader

    def instances(self, arguments: argparse.Namespace, reader: DatasetReader) -> list[EvalInstance]:
        """Return all rows of files that are compared; a file without any would be a system that is left out."""
        files = arguments.input_files
        instances = list(reader.read(*files))
        empty = [file for file in files if os.path.isfile(file) and not os.path.getsize(file)]
        if empty and instances:
            raise DataError(
                "the file is empty; remove it, or write its summaries anew", file=empty[0]
            )
        if not instances:
            raise Source(reader, files).empty_error("compare")
        return instances

    def score_columns(self, arguments: argparse.Namespace) -> TableColumns | None:
        """Return which columns of a table of scores the options name; None without these options."""
        options = explicit_parameters(arguments, self._parameters)
        mapping = TableColumns(options.get("fields") or {}, options.get("systems") or {})
        return mapping if mapping.fields or mapping.systems else None

    def source(self, arguments: argparse.Namespace, metrics: Sequence[Metric]) -> Source:
        """Return the input: the reader and its files."""
        return Source(self.reader(arguments, metrics), arguments.input_files)


def check_fields(reader: DatasetReader, metrics: Sequence[Metric]) -> None:
    """Check, before anything is read, that the reader gives what the metrics need."""
    for metric in metrics:
        for name in metric.field_names:
            # Optional fields depend on the data: a row that lacks them raises an error of its own.
            if name not in (*reader.fields, *reader.optional_fields):
                raise ParameterError(
                    f"reader {reader.name!r} gives {', '.join(reader.fields)}; metric "
                    f"{metric.label!r} needs {name!r}. See: rubrica list readers"
                )
            texts = isinstance(reader, LineAlignedReader) and name in ("references", "documents")
            if texts and not getattr(reader, name):
                raise UsageError(
                    f"metric {metric.label!r} needs {name}: name their file with -{name[0]}"
                )


def peek(words: Sequence[str], option: str) -> str | None:
    """Return the first value of an option, before all options are known."""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _is_file_word(word: str) -> bool:
    """Whether a word after an option that takes no files is a file all the same (`-m rouge chrf FILE`)."""
    if "=" in word or word.lstrip().startswith("{"):
        return False
    return word == "-" or bool(_ENDINGS.search(word)) or os.path.isfile(word)


def _refuse_lines(arguments: argparse.Namespace, reader: str, line_files: Sequence[str]) -> None:
    known = {parameter.name for parameter in parameters_of(READERS.load(reader))}
    for name in line_files:
        if getattr(arguments, name) and name not in known:
            raise UsageError(
                f"-{name[0]} is for texts per line; reader {reader!r} finds {name} by itself"
            )


# Usual names of files of references: ref.txt, references.B.txt, test.target, gold-2.txt.
_REFERENCE = re.compile(r"(^|[._-])(refs?|references?|targets?|gold)(?=[._\d-]|$)", re.IGNORECASE)


def _warn_of_references(references: Sequence[str], systems: Sequence[str]) -> None:
    """Warn about `-r A B SYSTEM`, which makes B a system."""
    if not references:
        return
    known = {os.path.realpath(file) for file in references}
    for file in systems:
        if os.path.realpath(file) in known:
            problem = f"{file} is a system here and also its own reference"
        elif _REFERENCE.search(os.path.basename(file)):
            problem = f"{file} looks like references but is read as a system"
        else:
            continue
        warnings.warn(
            f"{problem}; -r takes one file: for several references write -r once for each",
            DataWarning,
            stacklevel=2,
        )


def _readers_with(option: str) -> str:
    """Return a hint that an unknown option belongs to a reader that was not named."""
    name = option.removeprefix("--").replace("-", "_")
    readers = [
        reader
        for reader in READERS.builtin_names()
        if any(parameter.name == name for parameter in parameters_of(READERS.get(reader)))
    ]
    return f"; it is an option of --dataset-reader {' or '.join(readers)}" if readers else ""


def _reader_config(text: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return {"type": text}
    try:
        config: Mapping[str, Any] = msgspec.json.decode(text.encode())
    except msgspec.DecodeError as error:
        raise UsageError(f"--dataset-reader: not valid JSON: {text} ({error})") from error
    if not isinstance(config.get("type"), str):
        raise UsageError('--dataset-reader: the JSON needs a "type", the name of a reader')
    return dict(config)
