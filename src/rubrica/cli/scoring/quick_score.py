"""`rubrica METRIC --p PREDICTIONS --r REFERENCES`: one line per score, in the format of common scripts."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from rubrica.cli.console import Console, console_for
from rubrica.cli.constructor_options import add_parameters, explicit_parameters
from rubrica.cli.parser import Parser
from rubrica.data.columns import ColumnScores
from rubrica.data.files import read_text_lines
from rubrica.data.measures import shown_measures
from rubrica.datasets.readers.lines import ROWS_EXAMINED, LineAlignedReader
from rubrica.datasets.readers.sentences import SHOWN, recognise
from rubrica.errors import DataError, UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.parameters import build
from rubrica.scoring.batch import gc_paused
from rubrica.statistics.intervals import exact_column_mean

# The options for what a metric scores against; a text per line, several files give several texts.
CONTEXTS = {
    "references": ("--r", "-r", "--references"),
    "documents": ("--d", "-d", "--documents"),
}


@dataclass(frozen=True, slots=True)
class LineFormat:
    """Default parameters of a metric here, and how its lines begin."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    line: Callable[[str], str] = "{}: ".format
    # Defaults that do not apply once another parameter is set: name -> the other.
    unless: Mapping[str, str] = field(default_factory=dict)
    # For help.
    description: str = ""
    # Whose numbers these are and their scale, for standard error.
    note: Callable[[Metric], str] | None = None

    def with_defaults(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters, completed by the defaults."""
        defaults = {
            k: v for k, v in self.parameters.items() if self.unless.get(k) not in parameters
        }
        return {**defaults, **parameters}


def _rouge_line(measure: str) -> str:
    """Return `rouge-1.f1` as rouge-score names it, with the two blanks of `print("rouge1: ", x)`."""
    name = measure.removesuffix(".f1").replace("-", "", 1)
    return re.sub("^rougel", "rougeL", name) + ":  "


def _rouge_note(metric: Metric) -> str:
    from rubrica.metrics.rouge.metric import Rouge

    assert isinstance(metric, Rouge)
    profile = metric.engine.profile
    return (
        f"ROUGE of {profile.name}, from 0 to {profile.scale:g}; "
        "rubrica compare -m rouge prints ROUGE-1.5.5, from 0 to 100"
    )


# Metrics with a format of their own; all others print `measure: value`.
FORMATS: Mapping[str, LineFormat] = {
    "rouge": LineFormat(
        {
            "profile": "rouge-score",
            "max_ngram": 2,
            "compute_rouge_l": True,
            # rouge-score scores Thai and Chinese texts 0; a profile that is named keeps its numbers.
            "fallback": "words",
        },
        _rouge_line,
        {"fallback": "profile"},
        " Defaults: ROUGE-1, 2 and L of rouge-score, from 0 to 1; rubrica rouge evaluate and "
        "rubrica compare print those of ROUGE-1.5.5, from 0 to 100.",
        _rouge_note,
    ),
    "bertscore": LineFormat(line=lambda measure: "BERTScore: "),
}


def usage(name: str, cls: type[Metric] | Metric) -> str:
    """Return its usage line; empty if the metric does not score plain texts."""
    needed = cls.required_context_fields
    if not set(needed) <= set(CONTEXTS) or tuple(cls.required_summary_fields) != ("summary",):
        return ""
    files = [f"{CONTEXTS[name][0]} {name.upper()} [{name.upper()} ...]" for name in needed]
    return " ".join([f"rubrica {name} --p PREDICTIONS", *files])


class QuickScore:
    """The command for one metric."""

    def __init__(self, name: str, cls: type[Metric]) -> None:
        self._name, self._cls = name, cls
        self._format = FORMATS.get(name, LineFormat())
        self.__doc__ = (
            f"Print a system's scores, one per line, with all digits.{self._format.description}"
        )

    def add_arguments(self, parser: Parser, words: list[str]) -> None:
        """Add the files and the parameters of the metric."""
        line = usage(self._name, self._cls)
        parser.usage = f"{line or f'rubrica {self._name} --p PREDICTIONS'} [options]"
        parser.example = f"rubrica {self._name} --p predictions.txt --r references.txt"
        parser.plain_words_hint = (
            "--p takes the file of one system; for several: "
            f"rubrica compare A.txt B.txt -r REFERENCES.txt -m {self._name}"
        )
        _add_files(parser)
        self._parameters = add_parameters(
            parser,
            f"parameters of {self._name}",
            self._cls,
            prefix="metric_",
            taken_prefix="metric_",
        )

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command."""
        parameters = self._format.with_defaults(explicit_parameters(arguments, self._parameters))
        metric = build(self._cls, parameters, what=f"metric {self._name!r}", allow_import=True)
        contexts = _contexts(metric, arguments)
        with console_for(arguments) as console, console.reporting([metric]):
            with gc_paused():
                scores = evaluated(metric, arguments.predictions, contexts)
            if note := _marks_note([arguments.predictions, *chain(*contexts.values())], self._name):
                console.say(note)
            _show(metric, scores, self._format, console)
        return 0


def _show(
    metric: Metric, scores: Mapping[str, float], line_format: LineFormat, console: Console
) -> None:
    for measure, score in scores.items():
        console.result(f"{line_format.line(measure)}{score!r}")
    if line_format.note is not None:
        console.say(line_format.note(metric))
    if metric.runs_a_model:
        # A model's number means nothing without the model; standard output has the script's lines only.
        console.say(str(metric.signature()))


def _marks_note(files: Sequence[str], name: str) -> str:
    """Return a note on marks of sentences, which other commands read as such; empty without any."""
    marked: dict[str, list[str]] = {}
    for file in files:
        if os.path.isfile(file):
            try:
                kind = recognise(islice(read_text_lines(file), ROWS_EXAMINED), file)
            except DataError:
                # Marks of two kinds, which are text here.
                continue
            if kind != "none":
                marked.setdefault(kind, []).append(file)
    return "; ".join(
        f"{SHOWN[kind]} in {', '.join(names)} is text here, as for common scripts; rubrica compare -m {name} "
        "reads it as marks of sentences"
        for kind, names in marked.items()
    )


def evaluated(
    metric: Metric, predictions: str, contexts: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Return a system's score for each measure that is printed, by dotted name."""
    # The scripts read lines as they are: no marks of sentences.
    reader = LineAlignedReader(
        references=list(contexts.get("references", [])),
        documents=list(contexts.get("documents", [])),
        sentences="none",
    )
    scored = _score_columns(metric, reader, predictions) if metric.averages else []
    if scored:
        names = [".".join(path) for path in scored[0].paths]
        values = np.concatenate([batch.values for batch in scored])
        return {
            name: exact_column_mean(values[:, names.index(name)]) for name in shown_measures(names)
        }
    instances = list(reader.read(predictions))
    fields = metric.field_names
    scores, _ = metric.evaluate(*([row.fields[name] for row in instances] for name in fields))
    values_by_name = {".".join(path): value for path, value in scores.leaves()}
    return {name: values_by_name[name] for name in shown_measures(list(values_by_name))}


def _score_columns(
    metric: Metric, reader: LineAlignedReader, predictions: str
) -> list[ColumnScores]:
    """Return the scores of all lines as columns; an empty list if metric or files have none."""
    scored = []
    for columns in reader.columns(predictions):
        batch = metric.score_as_columns(columns) if columns else None
        if batch is None:
            return []
        scored.append(batch)
    return scored


def _add_files(parser: Parser) -> None:
    group = parser.add_argument_group("files, one text per line")
    group.add_argument(
        "--p",
        "-p",
        "--predictions",
        dest="predictions",
        metavar="FILE",
        required=True,
        help="summaries",
    )
    for name, options in CONTEXTS.items():
        group.add_argument(
            *options,
            dest=name,
            nargs="+",
            default=[],
            metavar="FILE",
            help=f"{name} (in the order of the summaries; a second file holds second {name})",
        )


def _contexts(metric: Metric, arguments: argparse.Namespace) -> dict[str, list[str]]:
    """Return the files that the metric scores against: all that it needs, and no others."""
    needed = metric.required_context_fields
    if not usage(metric.label, metric):
        raise UsageError(
            f"{metric.label} does not score plain texts\nSee: rubrica {metric.label} evaluate --help"
        )
    for name, options in CONTEXTS.items():
        files = getattr(arguments, name)
        if name in needed and not files:
            raise UsageError(f"{metric.label} needs {name}: name their file with {options[0]}")
        if files and name not in needed:
            raise UsageError(f"{metric.label} does not use {name}; leave {options[0]} out")
    return {name: getattr(arguments, name) for name in needed}
