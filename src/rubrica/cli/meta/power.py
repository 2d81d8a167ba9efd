"""Estimate from your own scores how many documents or systems you need to detect a difference."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import (
    add_coefficient,
    add_file_arguments,
    add_level,
    add_measures,
    write_result,
)
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
    load_scores,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import add_alpha, check_alpha, resampling_of
from rubrica.cli.parser import Parser
from rubrica.errors import UnknownNameError, UsageError
from rubrica.formatting.text_table import format_value
from rubrica.meta.power import PowerCurve, power_of_correlations, power_of_means

SIZES = (10, 20, 50, 100, 200, 500, 1000)


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica power`."""
    parser.example = "rubrica power --measures rouge-1.f1 chrf --human relevance --scores scores.jsonl human.jsonl --summarizer-type peer"
    group = parser.add_argument_group("what is compared: --measures and --human, or --systems")
    detail = "two, compared by their correlation with --human, or one with --systems"
    add_measures(parser, group, detail, required=True)
    group.add_argument("--human", metavar="M", help="human scores (a measure such as relevance)")
    group.add_argument(
        "--systems",
        nargs=2,
        metavar=("S1", "S2"),
        help="systems (two, to compare their mean scores)",
    )
    add_file_arguments(parser)
    what = parser.add_argument_group("statistics")
    what.add_argument(
        "--sizes",
        nargs="+",
        type=int,
        default=list(SIZES),
        metavar="N",
        help=f"sizes to try (numbers of documents or systems; default: {' '.join(map(str, SIZES))})",
    )
    what.add_argument(
        "--over",
        choices=("inputs", "systems"),
        default="inputs",
        help="what to vary: inputs or systems; only inputs when two systems are compared (default: inputs)",
    )
    add_level(what)
    add_coefficient(what)
    what.add_argument(
        "--difference",
        type=float,
        metavar="X",
        help="difference of two systems' means to find (default: the observed one)",
    )
    add_alpha(what)
    what.add_argument(
        "--power", type=float, default=0.8, metavar="X", help="target power (default: 0.8)"
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    _check(arguments)
    with console_for(arguments) as console:
        if arguments.systems is None:
            title, curve, facts = _correlations(arguments, console, resampling)
        else:
            title, curve, facts = _means(arguments, console, resampling)
        enough = curve.needed(arguments.power)
        facts |= {"power": arguments.power, "needed": enough, "curve": curve}
        rows = [
            [f"{point.size:,}", format_value(point.power), span(point.lower, point.upper)]
            for point in curve.points
        ]
        of = "documents" if arguments.systems or arguments.over == "inputs" else "systems"
        goal = f"power {arguments.power:g} at alpha {arguments.alpha:g}"
        answer = (
            f"{goal}: {enough:,} {of}"
            if enough is not None
            else f"{goal}: not reached with the {of} tried"
        )
        effect = f"difference: {format_value(curve.effect)}"
        table = section(f"{title}\n{effect}", [of, "power", "95 % interval"], rows)
        write_result(
            arguments,
            console,
            facts,
            f"{table}\n\n{answer}\n\n{signature_lines([curve.signature])}",
        )
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.systems is None:
        if arguments.human is None or len(arguments.measures) != 2:
            raise UsageError("give two --measures and --human, or one measure and two --systems")
        if arguments.difference is not None:
            raise UsageError(
                "--difference needs two --systems; for metrics, the observed difference counts"
            )
    elif arguments.human is not None or len(arguments.measures) != 1:
        raise UsageError("with --systems, give one measure after --measures and no --human")
    elif arguments.over == "systems":
        raise UsageError("two systems are compared over inputs; --over systems is for metrics")
    if not 0 < arguments.power < 1:
        raise UsageError(f"--power must lie between 0 and 1, not {arguments.power:g}")
    check_alpha(arguments.alpha)


def _correlations(
    arguments: argparse.Namespace, console: Console, resampling: Any
) -> tuple[str, PowerCurve, dict[str, Any]]:
    scores = load_scores(arguments, console).oriented()
    (a, x), (b, y) = scores.metrics.items()
    curve = power_of_correlations(
        x,
        y,
        scores.human,
        sorted(set(arguments.sizes)),
        over=arguments.over,
        level=arguments.level,
        coefficient=arguments.coefficient,
        alpha=arguments.alpha,
        resampling=resampling,
    )
    title = f"{a} against {b}: {arguments.level}-level {arguments.coefficient}, {scores.human_name}"
    return title, curve, scores.facts | {"metrics": [a, b]}


def _means(
    arguments: argparse.Namespace, console: Console, resampling: Any
) -> tuple[str, PowerCurve, dict[str, Any]]:
    # One measure stands for both scores here: people's own scores can be asked, too.
    arguments.human, arguments.measures = arguments.measures[0], []
    scores = load_scores(arguments, console).oriented()
    for name in arguments.systems:
        if name not in scores.systems:
            raise UnknownNameError("system", name, scores.systems)
    first, second = (scores.human[scores.systems.index(name)] for name in arguments.systems)
    curve = power_of_means(
        first,
        second,
        sorted(set(arguments.sizes)),
        difference=arguments.difference,
        alpha=arguments.alpha,
        resampling=resampling,
    )
    title = f"{arguments.systems[0]} against {arguments.systems[1]}: mean {scores.human_name}"
    facts = {"measure": scores.human_name, "systems": list(arguments.systems)}
    return title, curve, facts | {key: scores.facts[key] for key in ("lower_is_better", "join")}
