"""The cells of a comparison of systems, which all its forms share."""

from __future__ import annotations

import math

from rubrica.comparison.records import Comparison, PairedTest
from rubrica.formatting.text_table import format_p
from rubrica.metrics.base.precision import digits_of
from rubrica.statistics.intervals import Interval


def digits_shown(comparison: Comparison, width: int | None) -> dict[str, int]:
    """Return the digits after the point for each measure: `width`, or as many as the size of its values needs."""
    if width is not None:
        return dict.fromkeys(comparison.measures, width)
    systems = comparison.evaluation.systems.values()
    values = {name: [own.scores[name].value for own in systems] for name in comparison.measures}
    return digits_of(values, comparison.evaluation.measures)


def value_shown(interval: Interval, digits: int, between: str = " ±") -> str:
    """Return a score, and half the width of its interval."""
    if math.isnan(interval.value):
        return "undefined"
    text = f"{interval.value:.{digits}f}"
    if interval.lower is not None and interval.upper is not None:
        text += f"{between}{(interval.upper - interval.lower) / 2:.{digits}f}"
    return text


def _p(comparison: Comparison, test: PairedTest) -> str:
    mark = "*" if comparison.significant(test) else ""
    return f"p = {format_p(test.adjusted)}{mark}"


def against_baseline(comparison: Comparison) -> bool:
    """Return whether every system was tested against the first, and not each against each."""
    return bool(comparison.tests) and not comparison.plan.all_pairs


def system_rows(comparison: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of scores; the p-values of a system's tests stand below its scores."""
    rows = []
    digits = digits_shown(comparison, width)
    for system, scores in comparison.evaluation.systems.items():
        cells = [value_shown(scores.scores[name], digits[name]) for name in comparison.measures]
        baseline = against_baseline(comparison) and system == comparison.systems[0]
        name = f"{system} (baseline)" if baseline else system
        rows.append([name, f"{scores.num_summaries:,}", *cells])
        if not against_baseline(comparison) or baseline:
            continue
        for method in comparison.plan.methods:
            tests = [comparison.test(method, system, name) for name in comparison.measures]
            label = f"  {method}" if len(comparison.plan.methods) > 1 else ""
            rows.append([label, "", *(_p(comparison, test) if test else "" for test in tests)])
    lower = comparison.evaluation.lower_is_better
    names = [f"{name} ↓" if name in lower else name for name in comparison.measures]
    return ["system", "n", *names], rows


def pair_rows(comparison: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows of the tests of all pairs."""
    corrected = comparison.plan.correction != "none"
    headers = ["measure", "system", "against", "difference", "test", "p"]
    headers += [f"p ({comparison.plan.correction})"] * corrected
    rows = []
    digits = digits_shown(comparison, width)
    for test in comparison.tests:
        difference = f"{test.difference:+.{digits[test.measure]}f}"
        row = [test.measure, test.system, test.baseline, difference, test.method]
        row += [format_p(test.p_value)] + [format_p(test.adjusted)] * corrected
        row[-1] += "*" if comparison.significant(test) else ""
        rows.append(row)
    return headers, rows
