"""Test whether a judge can replace a human annotator: the alternative annotator test."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import write_result
from rubrica.cli.meta.judge_inputs import (
    add_annotation_arguments,
    add_html,
    annotations_of,
    write_page,
)
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import add_alpha, resampling_of
from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.formatting.text_table import format_p, format_value
from rubrica.formatting.words import counted
from rubrica.meta.judges.alt_test import Scorer
from rubrica.meta.judges.alt_test_judges import (
    AltTestComparison,
    AltTestPower,
    alt_test_power,
    compare_judges,
)
from rubrica.meta.judges.alt_test_result import AltTest


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica alt-test`."""
    parser.example = (
        "rubrica alt-test people.json --judge-files judges.json --scoring neg_rmse --epsilon 0.2"
    )
    add_annotation_arguments(parser)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--scoring",
        choices=("accuracy", "neg_rmse"),
        default="accuracy",
        help="closeness of a label to other annotators' labels (default: accuracy)",
    )
    group.add_argument(
        "--similarity",
        nargs=2,
        metavar=("METRIC", "MEASURE"),
        help="for labels that are texts: a metric instead of --scoring, such as rouge rouge-l.f1",
    )
    group.add_argument(
        "--epsilon",
        nargs="+",
        type=float,
        default=[0.2],
        metavar="X",
        help="benefit of the judge: 0.2 for experts, 0.15 for skilled annotators, 0.1 for crowds "
        "(default: 0.2)",
    )
    add_alpha(group)
    group.add_argument(
        "--min-annotators",
        type=int,
        default=2,
        metavar="N",
        help="drop items with fewer human labels (default: 2)",
    )
    group.add_argument(
        "--min-items",
        type=int,
        default=30,
        metavar="N",
        help="skip annotators with fewer items (default: 30)",
    )
    group.add_argument(
        "--power-sizes",
        nargs="+",
        type=int,
        default=[],
        metavar="N",
        help="simulate how often each judge passes with N items",
    )
    add_html(parser)
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    resampling = resampling_of(arguments, required=True)
    scoring = _scoring(arguments)
    with console_for(arguments) as console:
        annotations = annotations_of(arguments)
        options: dict[str, Any] = {
            "scoring": scoring,
            "alpha": arguments.alpha,
            "min_annotators": arguments.min_annotators,
            "min_items": arguments.min_items,
            "resampling": resampling,
        }
        comparison = compare_judges(
            annotations.judges, annotations.humans, epsilons=arguments.epsilon, **options
        )
        power = [
            point
            for name, labels in annotations.judges.items()
            for epsilon in (arguments.epsilon if arguments.power_sizes else ())
            for point in alt_test_power(
                labels,
                annotations.humans,
                sorted(set(arguments.power_sizes)),
                epsilon=epsilon,
                name=name,
                **options,
            )
        ]
        first = comparison.tests[0]
        if first.dropped_items:
            console.say(
                f"dropped {first.dropped_items:,} items with fewer than {arguments.min_annotators} "
                "human labels or without a label by the judge"
            )
        for name in first.skipped_annotators:
            console.say(f"skipped annotator {name}: fewer than {arguments.min_items} items")
        facts = (
            f"{counted(len(annotations.humans), 'annotator')}, "
            f"{counted(len(annotations.judges), 'judge')}, scoring {_scoring_name(arguments)}"
        )
        if arguments.html:
            from rubrica.reports.alt_test import alt_test_report

            write_page(arguments, alt_test_report(comparison, power, facts))
        files = [*arguments.files, *arguments.judge_files]
        result = {"files": files, **comparison.to_dict(), "power": power}
        write_result(arguments, console, result, _text(comparison, power))
    return 0


def _scoring(arguments: argparse.Namespace) -> str | Scorer:
    if arguments.similarity is None:
        return str(arguments.scoring)
    from rubrica.meta.judges.similarity import similarity_scorer

    if arguments.scoring != "accuracy":
        raise UsageError("--similarity replaces --scoring; give one of them")
    return similarity_scorer(*arguments.similarity)


def _scoring_name(arguments: argparse.Namespace) -> str:
    return " ".join(arguments.similarity or [arguments.scoring])


def _rows(tests: tuple[AltTest, ...]) -> list[list[str]]:
    return [
        [
            test.judge,
            f"{test.epsilon:g}",
            format_value(test.winning_rate),
            "yes" if test.passed else "no",
            format_value(test.advantage_probability),
            span(test.lower, test.upper),
        ]
        for test in tests
    ]


HEADERS = ("judge", "epsilon", "winning rate", "passes", "advantage", "interval")


def _text(comparison: AltTestComparison, power: list[AltTestPower]) -> str:
    tests = comparison.tests
    parts = [comparison.verdict(), section("judges", HEADERS, _rows(tests))]
    if len(tests) == 1:
        rows = [
            [
                item.annotator,
                f"{item.items:,}",
                format_value(item.advantage),
                format_value(item.human_advantage),
                format_p(item.adjusted_p_value),
                "yes" if item.judge_wins else "no",
            ]
            for item in tests[0].annotators
        ]
        headers = ["annotator", "items", "judge as good", "annotator as good", "adjusted p", "wins"]
        parts.append(section("annotators left out in turn", headers, rows))
    if comparison.differences:
        best = comparison.differences[0].best
        rows = [
            [item.judge, format_value(item.difference), span(item.lower, item.upper)]
            for item in comparison.differences
        ]
        title = f"advantage minus that of {best}, on {comparison.shared_items:,} shared items"
        parts.append(section(title, ["judge", "difference", "interval"], rows))
    if power:
        rows = [[p.judge, f"{p.epsilon:g}", f"{p.items:,}", format_value(p.power)] for p in power]
        parts.append(section("power by simulation", ["judge", "epsilon", "items", "passes"], rows))
    return "\n\n".join([*parts, signature_lines([test.signature for test in tests])])
