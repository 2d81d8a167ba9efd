"""Measure agreement between judges: Krippendorff's alpha, Fleiss' and Cohen's kappa, and the noise ceiling."""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Any

from rubrica.cli.console import console_for
from rubrica.cli.meta.inputs import add_coefficient, add_level, write_result
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import add_summarizer_type, resampling_of
from rubrica.cli.parser import Parser
from rubrica.errors import DataError, UsageError
from rubrica.formatting.text_table import format_value
from rubrica.meta.judges.agreement import SCALES, krippendorff_alpha
from rubrica.meta.judges.ceiling import noise_ceiling
from rubrica.meta.judges.kappa import cohen_kappa, fleiss_kappa
from rubrica.meta.judges.ratings import Ratings, read_ratings


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica agreement`."""
    parser.example = "rubrica agreement ratings.csv"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="judgments: tables or JSON lines, or files of scores whose values are lists",
    )
    group = parser.add_argument_group("judgments")
    group.add_argument(
        "--labels",
        nargs="+",
        metavar="NAME",
        help="what was judged, such as relevance (default: all)",
    )
    group.add_argument(
        "--judge",
        metavar="COLUMN",
        help="the judge (the column that names it, in tables with one judge per row; default: annotator, rater or worker)",
    )
    group.add_argument(
        "--judges",
        nargs="+",
        metavar="COLUMN",
        help="judges (their columns, in tables with one unit per row)",
    )
    group.add_argument(
        "--unit",
        nargs="+",
        metavar="COLUMN",
        help="columns that identify what a judge labels once (default: instance_id summarizer_id)",
    )
    add_summarizer_type(group, "all")
    group.add_argument(
        "--order", nargs="+", metavar="LABEL", help="labels that are not numbers, lowest first"
    )
    what = parser.add_argument_group("statistics")
    what.add_argument(
        "--scale",
        choices=SCALES,
        help="scale of the labels (for alpha; default: ordinal for numbers and with --order, nominal otherwise)",
    )
    what.add_argument(
        "--weights",
        choices=("none", "linear", "quadratic"),
        default="none",
        help="weights of Cohen's kappa (default: none)",
    )
    add_level(what, "for the noise ceiling; ")
    add_coefficient(what, "for the noise ceiling; ", "pearson")
    parser.old_spellings["--split"] = "--halves"
    what.add_argument(
        "--halves",
        choices=("cells", "judges"),
        default="cells",
        help="split the judges into halves anew for each summary, or once for all (default: cells)",
    )
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run it."""
    resampling = resampling_of(arguments, required=True)
    if arguments.judge and arguments.judges:
        raise UsageError("--judge and --judges describe two kinds of files; pass one of them")
    with console_for(arguments) as console:
        ratings = read_ratings(
            arguments.files,
            arguments.labels,
            judge=arguments.judge,
            judges=arguments.judges,
            unit=arguments.unit,
            summarizer_type=arguments.summarizer_type,
        )
        labels = {label.question: _agreement(arguments, label, resampling) for label in ratings}
        if not all(label.named for label in ratings):
            console.say(
                "no Cohen's kappa: lists of labels do not say who judged, and the order of judges may differ"
            )
        result = {"files": arguments.files, "labels": labels}
        write_result(arguments, console, result, _tables(arguments, labels))
    return 0


def _agreement(arguments: argparse.Namespace, ratings: Ratings, resampling: Any) -> dict[str, Any]:
    numeric = ratings.is_numeric()
    scale: Any = arguments.scale or ("ordinal" if numeric or arguments.order else "nominal")
    order = arguments.order
    if order is not None and numeric:
        raise DataError(f"{ratings.question}: labels are numbers, which have their order already")
    statistics: dict[str, Any] = {
        "judges": list(ratings.judges),
        "scale": scale,
        "alpha": krippendorff_alpha(
            ratings.labels, scale=scale, order=order, resampling=resampling
        ),
        "fleiss_kappa": fleiss_kappa(ratings.labels),
    }
    if ratings.named:
        weights = arguments.weights
        statistics["cohen_kappa"] = [
            {
                "first": ratings.judges[a],
                "second": ratings.judges[b],
                "kappa": cohen_kappa(
                    ratings.labels[a], ratings.labels[b], weights=weights, order=order
                ),
            }
            for a, b in combinations(range(len(ratings.judges)), 2)
        ]
    cube = ratings.cube()
    if cube is not None:
        statistics["noise_ceiling"] = noise_ceiling(
            cube,
            level=arguments.level,
            coefficient=arguments.coefficient,
            split=arguments.halves,
            resampling=resampling,
        )
    return statistics


def _tables(arguments: argparse.Namespace, labels: dict[str, dict[str, Any]]) -> str:
    rows, pairs, signatures = [], [], []
    for name, statistics in labels.items():
        alpha, fleiss, ceiling = (
            statistics["alpha"],
            statistics["fleiss_kappa"],
            statistics.get("noise_ceiling"),
        )
        row = [name, f"{len(statistics['judges']):,}", f"{alpha.units:,}", statistics["scale"]]
        row += [
            format_value(alpha.value),
            span(alpha.lower, alpha.upper),
            format_value(fleiss.value),
        ]
        row += (
            ["-", "-"]
            if ceiling is None
            else [format_value(ceiling.reliability), format_value(ceiling.ceiling)]
        )
        rows.append(row)
        signatures += [alpha.signature, fleiss.signature]
        if ceiling is not None:
            signatures.append(ceiling.signature)
        for pair in statistics.get("cohen_kappa", ()):
            kappa = pair["kappa"]
            cells = [f"{pair['first']}, {pair['second']}", format_value(kappa.value)]
            pairs.append([name, *cells, format_value(kappa.observed), f"{kappa.units:,}"])
            signatures.append(kappa.signature)
    interval = f"{arguments.confidence:g} % interval"
    headers = ["labels", "judges", "units", "scale", "alpha", interval, "Fleiss' kappa"]
    headers += ["reliability", "ceiling"]
    parts = [section("agreement of all judges", headers, rows)]
    if pairs:
        headers = ["labels", "judges", "Cohen's kappa", "agreement", "units"]
        parts.append(section("agreement of two judges", headers, pairs))
    return "\n\n".join([*parts, signature_lines(signatures)])
