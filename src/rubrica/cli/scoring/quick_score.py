"""`rubrica METRIC --p PREDICTIONS --r REFERENCES`: a line per score, as the little scripts print them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rubrica.cli.console import Console, warnings_told
from rubrica.cli.options import Parser, add_parameters, given
from rubrica.data.columns import ColumnScores
from rubrica.datasets.readers.lines import LineAlignedReader
from rubrica.errors import UsageError
from rubrica.metrics.base.metric import Metric
from rubrica.parameters import build
from rubrica.scoring.batch import gc_paused
from rubrica.scoring.evaluation import shown_measures
from rubrica.statistics.intervals import exact_column_mean

# The options for what a metric scores against; a text per line, several files give several texts.
CONTEXTS = {
    "references": ("--r", "-r", "--references"),
    "documents": ("--d", "-d", "--documents"),
}


@dataclass(frozen=True, slots=True)
class OneLine:
    """How a metric is used and shown here: parameters unless told otherwise, and a line's beginning."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    line: Callable[[str], str] = "{}: ".format
    # Parameters that are not used once another is given: name -> the other.
    unless: Mapping[str, str] = field(default_factory=dict)
    # What help says of it.
    told: str = ""

    def with_given(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the metric is made with."""
        kept = {k: v for k, v in self.parameters.items() if self.unless.get(k) not in given}
        return {**kept, **given}


def _rouge_line(measure: str) -> str:
    """`rouge-1.f1` as rouge-score names it, with the two blanks that `print("rouge1: ", x)` leaves."""
    name = measure.removesuffix(".f1").replace("-", "", 1)
    return re.sub("^rougel", "rougeL", name) + ":  "


# Whose script a metric stands in for; all others print `measure: value`.
FORMS: Mapping[str, OneLine] = {
    "rouge": OneLine(
        {
            "profile": "rouge-score",
            "max_ngram": 2,
            "compute_rouge_l": True,
            # The script gives Thai and Chinese texts 0; whoever names a profile wants its numbers.
            "fallback": "words",
        },
        _rouge_line,
        {"fallback": "profile"},
        " Unless told otherwise ROUGE-1, 2 and L of rouge-score, from 0 to 1, as scripts around it print "
        "them; rubrica rouge evaluate has those of ROUGE-1.5.5, from 0 to 100.",
    ),
    "bertscore": OneLine(line=lambda measure: "BERTScore: "),
}


def usage(name: str, cls: type[Metric] | Metric) -> str:
    """The line that calls it; empty where a metric does not score plain texts."""
    needed = cls.required_context_fields
    if not set(needed) <= set(CONTEXTS) or tuple(cls.required_summary_fields) != ("summary",):
        return ""
    files = [f"{CONTEXTS[one][0]} {one.upper()} [{one.upper()} ...]" for one in needed]
    return " ".join([f"rubrica {name} --p PREDICTIONS", *files])


def main(name: str, cls: type[Metric], words: list[str]) -> int:
    """Run it."""
    form = FORMS.get(name, OneLine())
    parser = Parser(
        prog=f"rubrica {name}",
        usage=f"{usage(name, cls) or f'rubrica {name} --p PREDICTIONS'} [options]",
        description=f"Prints a system's scores, one in a line, with all digits.{form.told}",
    )
    _add_files(parser)
    destinations = add_parameters(
        parser, f"parameters of {name}", cls, prefix="metric_", taken_prefix="metric_"
    )
    arguments = parser.parse(words)
    parameters = form.with_given(given(arguments, destinations))
    metric = build(cls, parameters, what=f"metric {name!r}", allow_import=True)
    contexts = _contexts(metric, arguments)
    console = Console()
    with warnings_told(console), console.telling([metric]):
        with console.steps(), gc_paused():
            scores = evaluated(metric, arguments.predictions, contexts)
        _show(metric, scores, form, console)
    return 0


def _show(metric: Metric, scores: Mapping[str, float], form: OneLine, console: Console) -> None:
    for measure in shown_measures(list(scores)):
        console.result(f"{form.line(measure)}{scores[measure]!r}")
    if metric.runs_a_model:
        # A model's number says nothing without the model; standard output keeps to the script's lines.
        console.say(str(metric.signature()))


def evaluated(
    metric: Metric, predictions: str, contexts: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """A system's score for each measure, by dotted name."""
    # Lines as they stand, as the scripts read them: marks of sentences are not looked for.
    reader = LineAlignedReader(
        references=list(contexts.get("references", [])),
        documents=list(contexts.get("documents", [])),
        sentences="none",
    )
    names = [*metric.required_summary_fields, *metric.required_context_fields]
    scored = _score_columns(metric, reader, predictions) if metric.averages else []
    if scored:
        means = map(exact_column_mean, np.concatenate([batch.values for batch in scored]).T)
        return {".".join(path): mean for path, mean in zip(scored[0].paths, means, strict=True)}
    instances = list(reader.read(predictions))
    scores, _ = metric.evaluate(*([one.fields[name] for one in instances] for name in names))
    return {".".join(path): value for path, value in scores.leaves()}


def _score_columns(
    metric: Metric, reader: LineAlignedReader, predictions: str
) -> list[ColumnScores]:
    """Return the scores of all lines as columns; an empty list where metric or files have none."""
    scored = []
    for columns in reader.columns(predictions):
        batch = metric.score_as_columns(columns) if columns else None
        if batch is None:
            return []
        scored.append(batch)
    return scored


def _add_files(parser: Parser) -> None:
    group = parser.add_argument_group("files, a text per line")
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
            help=f"{name}, in the order of the summaries; a second file has second {name}",
        )


def _contexts(metric: Metric, arguments: argparse.Namespace) -> dict[str, list[str]]:
    """The files of what the metric is scored against: all that it needs, and no others."""
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
