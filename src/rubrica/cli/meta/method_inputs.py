"""What the commands of single methods share: metrics against one human score, resampling, output."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.cli.console import Console
from rubrica.cli.meta.inputs import (
    add_file_arguments,
    add_measures,
    add_output_arguments,
    add_rounds,
    lower_measures,
    metric_names,
    read_scores,
    say_direction,
)
from rubrica.cli.options import add_confidence, add_seed
from rubrica.cli.parser import Parser
from rubrica.errors import DataError, UsageError
from rubrica.formatting.text_table import text_table
from rubrica.signature import Signature, merge_signatures


def add_metric_arguments(parser: Parser, human: str = "a measure, such as relevance") -> None:
    """`--measures` and `--human`, and the files that hold them."""
    add_measures(
        parser,
        parser,
        "those to evaluate; default: F-scores rather than precision and recall, and no jackknifed values",
    )
    parser.add_argument("--human", metavar="M", required=True, help=f"human scores ({human})")
    add_file_arguments(parser)


def add_resampling_arguments(parser: Parser) -> None:
    """Rounds, confidence and seed of what is resampled, and where results go."""
    group = parser.add_argument_group("resampling")
    add_rounds(parser, group, 1000, "(default: 1,000)")
    add_confidence(group)
    add_seed(parser)
    add_output_arguments(parser)


@dataclass(frozen=True, slots=True)
class MetricHumanScores:
    """Matrices, systems x inputs, of the metrics and of people, as they are.

    `facts` is what every JSON output says of them; `oriented` has their signs reversed where lower is better.
    """

    metrics: Mapping[str, NDArray[np.float64]]
    human_name: str
    human: NDArray[np.float64]
    systems: tuple[str, ...]
    facts: dict[str, Any]

    def is_lower_better(self, name: str) -> bool:
        """Return whether lower values of a measure are better."""
        return name in self.facts["lower_is_better"]

    def oriented(self) -> MetricHumanScores:
        """Return the scores so that higher is better everywhere."""
        return replace(
            self,
            metrics={
                name: -scores if self.is_lower_better(name) else scores
                for name, scores in self.metrics.items()
            },
            human=-self.human if self.is_lower_better(self.human_name) else self.human,
        )


def load_scores(
    arguments: argparse.Namespace,
    console: Console,
    *,
    others: Sequence[str] = (),
    gaps: bool = False,
) -> MetricHumanScores:
    """The scores that --measures and --human name; with `gaps` summaries without all of them, too.

    `others` are further measures, which come last among the metrics.
    """
    names = arguments.measures
    if names is None:
        left_out = {other for name in others for other in (name, name.replace("_", "."))}
        shared = metric_names(arguments, [arguments.human], console)
        names = [name for name in shared if name not in left_out]
        if not names:
            read_scores(arguments, [arguments.human], console)
            raise DataError("the files hold no measure that all judged summaries have")
    asked = [*names, *others, arguments.human]
    twice = [name for name in asked if asked.count(name) > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice")
    table, report = read_scores(arguments, asked, console, required=() if gaps else None)
    lower = lower_measures(arguments, table)
    say_direction(console, lower)
    human = table.measures[-1]
    return MetricHumanScores(
        {name: table.matrix(name) for name in table.measures[:-1]},
        human,
        table.matrix(human),
        table.systems,
        {"human": human, "lower_is_better": lower, "join": asdict(report)},
    )


def span(lower: float | None, upper: float | None) -> str:
    """An interval in a table."""
    return "-" if lower is None or upper is None else f"[{lower:.4f}, {upper:.4f}]"


def section(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table under its title; columns behind the first are numbers."""
    return f"{title}\n\n{text_table(headers, rows)}"


def signature_lines(signatures: Sequence[Signature]) -> str:
    """A line for each method; where the choices of its results differ, all values."""
    by_name: dict[str, list[Signature]] = {}
    for signature in signatures:
        by_name.setdefault(signature.name, []).append(signature)
    return "\n".join(str(merge_signatures(own)) for own in by_name.values())
