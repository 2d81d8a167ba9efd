"""Which reader reads the input: by name, by JSON, or by what the metrics need and the files are."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rubrica.cli.options import Parser, add_parameters, given_parameters
from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.errors import ParameterError, UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.parameters import Parameter, parameters_of

_BY_ENDING = {".txt": "text", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet"}
# By what the metrics need beside summaries.
_BY_FIELDS = {
    ("references",): "reference-based",
    ("documents",): "document-based",
    ("documents", "references"): "reference-document-based",
    ("annotation", "pyramid"): "pyramid-based",
    ("votes",): "votes-based",
    (): "summary-only",
}


class ReaderOptions:
    """`--dataset-reader`, `--input-files`, and the options of the reader that is named there.

    With `positional` the input files are the command's plain words instead.
    """

    def __init__(self, parser: Parser, words: Sequence[str], *, positional: bool = False) -> None:
        group = parser.add_argument_group(
            "input",
            "Without READER: a text per line for .txt (with --references FILE..., --documents FILE...), a "
            "table for .csv, .tsv and .parquet, else JSON lines. --dataset-reader READER --help shows the "
            "reader's own options.",
        )
        parser.owner_hint = _readers_with
        group.add_argument(
            "--dataset-reader",
            metavar="READER",
            help="how to read the input: a name (rubrica list readers) or JSON with its "
            "parameters (default: by the first file's ending and what the metric needs)",
        )
        if positional:
            group.add_argument("input_files", nargs="+", metavar="FILE", help="files; - is stdin")
        else:
            group.add_argument(
                "--input-files", nargs="+", metavar="FILE", required=True, help="files; - is stdin"
            )
        self._config: dict[str, Any] | None = None
        self._destinations: list[tuple[str, Parameter]] = []
        named = peek(words, "--dataset-reader")
        first = next(iter(words), None) if positional else peek(words, "--input-files")
        if named is None and (ending := _reader_by_ending(first)):
            named = ending
        if named is not None:
            self._config = _reader_config(named)
            name = self._config["type"]
            self._destinations = add_parameters(
                parser,
                f"options of reader {name}",
                READERS.load(name),
                prefix="reader_",
                taken_prefix="reader_",
            )

    def reader(self, arguments: argparse.Namespace, metrics: Sequence[Metric]) -> DatasetReader:
        """The reader these words ask for."""
        if arguments.dataset_reader is None:
            _refuse_mixed(arguments.input_files)
        config = self._config or {"type": default_reader(metrics)}
        config = {**config, **given_parameters(arguments, self._destinations)}
        return DatasetReader.from_config(config, allow_import=True)


def reader_for(
    config: Mapping[str, Any] | str | None,
    metrics: Sequence[Metric],
    files: Sequence[str],
    *,
    allow_import: bool = False,
) -> DatasetReader:
    """Return the reader a configuration file asks for, or the default one."""
    if config is None:
        _refuse_mixed(files)
        config = _reader_by_ending(files[0]) or default_reader(metrics)
    return DatasetReader.from_config(config, allow_import=allow_import)


def default_reader(metrics: Sequence[Metric]) -> str:
    """The JSON-lines reader that gives what the metrics need."""
    needed = {
        name
        for metric in metrics
        for name in (*metric.required_summary_fields, *metric.required_context_fields)
        if name != "summary"
    }
    name = _BY_FIELDS.get(tuple(sorted(needed)))
    if name is None:
        raise UsageError(
            f"the metrics need {', '.join(sorted(needed))}: say how to read that with --dataset-reader"
        )
    return name


def check_fields(reader: DatasetReader, metrics: Sequence[Metric]) -> None:
    """Before anything is read: does the reader give what the metrics need?"""
    for metric in metrics:
        for name in (*metric.required_summary_fields, *metric.required_context_fields):
            # Optional fields depend on the data: rows that lack them are told one by one.
            if name not in (*reader.fields, *reader.optional_fields):
                raise ParameterError(
                    f"reader {reader.name!r} gives {', '.join(reader.fields)}; metric "
                    f"{metric.label!r} needs {name!r}. See: rubrica list readers"
                )


def peek(words: Sequence[str], option: str) -> str | None:
    """The first value of an option, before all options are known."""
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _refuse_mixed(files: Sequence[str]) -> None:
    """One reader reads all files: a table among text files would be taken for texts."""
    first = _reader_by_ending(files[0])
    for file in files[1:]:
        if (_reader_by_ending(file) or first) != first:
            raise UsageError(
                f"{files[0]} and {file} look like files of different kinds, and one reader reads all; "
                "score them one by one, or say how to read them with --dataset-reader"
            )


def _readers_with(option: str) -> str:
    """Where an unknown option belongs: to a reader that was neither named nor guessed."""
    name = option.removeprefix("--").replace("-", "_")
    having = [
        one
        for one in READERS.builtin_names()
        if any(parameter.name == name for parameter in parameters_of(READERS.get(one)))
    ]
    if not having:
        return ""
    return f"; it is an option of --dataset-reader {' or '.join(having)}"


def _reader_by_ending(file: str | None) -> str | None:
    stem = file or ""
    for compression in (".gz", ".bz2", ".zst", ".xz"):
        stem = stem.removesuffix(compression)
    return _BY_ENDING.get(os.path.splitext(stem)[1].lower())


def _reader_config(text: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return {"type": text}
    try:
        config = msgspec.json.decode(text.encode())
    except msgspec.DecodeError as error:
        raise UsageError(f"--dataset-reader: not valid JSON: {text} ({error})") from error
    if not isinstance(config.get("type"), str):
        raise UsageError('--dataset-reader: the JSON needs a "type", the name of a reader')
    return dict(config)
