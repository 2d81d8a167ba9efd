"""A comparison of systems in plain text, and the cells that its other forms share."""

from __future__ import annotations

import math

from rubrica.comparison.notes import notes
from rubrica.comparison.records import Comparison, PairedTest
from rubrica.formatting.text_table import shown_p, text_table
from rubrica.metrics.base.precision import digits_of
from rubrica.statistics.intervals import Interval


def digits_shown(made: Comparison, width: int | None) -> dict[str, int]:
    """Digits after the point: as many as were asked for, or as the size of the numbers asks for."""
    if width is not None:
        return dict.fromkeys(made.measures, width)
    systems = made.evaluation.systems.values()
    values = {name: [one.scores[name].value for one in systems] for name in made.measures}
    return digits_of(values, made.evaluation.measures)


def value_shown(interval: Interval, digits: int, between: str = " ±") -> str:
    """A score, and half the width of its interval."""
    if math.isnan(interval.value):
        return "undefined"
    text = f"{interval.value:.{digits}f}"
    if interval.lower is not None and interval.upper is not None:
        text += f"{between}{(interval.upper - interval.lower) / 2:.{digits}f}"
    return text


def _p(made: Comparison, test: PairedTest) -> str:
    mark = "*" if made.significant(test) else ""
    return f"p = {shown_p(test.adjusted)}{mark}"


def against_baseline(made: Comparison) -> bool:
    """Whether every system was tested against the first, and not each against each."""
    return bool(made.tests) and not made.plan.all_pairs


def system_rows(made: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of scores; under a system's scores stand the p-values of its tests."""
    rows = []
    digits = digits_shown(made, width)
    for system, found in made.evaluation.systems.items():
        cells = [value_shown(found.scores[name], digits[name]) for name in made.measures]
        baseline = against_baseline(made) and system == made.systems[0]
        name = f"{system} (baseline)" if baseline else system
        rows.append([name, f"{found.num_summaries:,}", *cells])
        if not against_baseline(made) or baseline:
            continue
        for method in made.plan.methods:
            tests = [made.test(method, system, name) for name in made.measures]
            label = f"  {method}" if len(made.plan.methods) > 1 else ""
            rows.append([label, "", *(_p(made, one) if one else "" for one in tests)])
    return ["system", "n", *made.measures], rows


def pair_rows(made: Comparison, width: int | None) -> tuple[list[str], list[list[str]]]:
    """Headers and rows of the tests of all pairs."""
    corrected = made.plan.correction != "none"
    headers = ["measure", "system", "against", "difference", "test", "p"]
    headers += [f"p ({made.plan.correction})"] * corrected
    rows = []
    digits = digits_shown(made, width)
    for one in made.tests:
        difference = f"{one.difference:+.{digits[one.measure]}f}"
        row = [one.measure, one.system, one.baseline, difference, one.method]
        row += [shown_p(one.p_value)] + [shown_p(one.adjusted)] * corrected
        row[-1] += "*" if made.significant(one) else ""
        rows.append(row)
    return headers, rows


def as_text(made: Comparison, width: int | None = None) -> str:
    """Columns of text, then what the numbers mean, then the signatures."""
    headers, rows = system_rows(made, width)
    parts = [text_table(headers, rows)]
    if made.tests and made.plan.all_pairs:
        headers, rows = pair_rows(made, width)
        parts.append(text_table(headers, rows, right=3))
    parts += ["\n".join(notes(made)), "\n".join(made.signatures)]
    return "\n\n".join(part for part in parts if part)
