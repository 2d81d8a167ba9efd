"""The leaderboard of `rubrica report systems` as text, Markdown and LaTeX."""

from __future__ import annotations

from rubrica.formatting.latex import NEEDS, escaped, table
from rubrica.formatting.text_table import text_table
from rubrica.reports.systems import Measure, SystemsReport
from rubrica.reports.tables.meta import markdown_lines
from rubrica.statistics.intervals import Interval


def systems_table(report: SystemsReport, format: str) -> str:
    """Means with intervals of the measures shown at first, the best system first."""
    shown = [m for m, measure in enumerate(report.measures) if measure.headline]
    lead = report.measures[shown[0]]
    order = sorted(
        range(len(report.systems)),
        key=lambda s: _key(report.intervals[s][shown[0]].value, lead),
    )
    headers = ["system"]
    for m in shown:
        headers += [_title(report.measures[m]), "interval"]
    rows = []
    for s in order:
        cells = [report.systems[s]]
        for m in shown:
            cells += _cells(report.intervals[s][m], report.measures[m].digits)
        rows.append(cells)
    return _FORMATS[format](report, headers, rows)


def _title(measure: Measure) -> str:
    return measure.name + (" (lower is better)" if measure.lower_is_better else "")


def _key(value: float, measure: Measure) -> float:
    if value != value:
        return float("inf")
    return value if measure.lower_is_better else -value


def _cells(one: Interval, digits: int) -> list[str]:
    value = "undefined" if one.value != one.value else f"{one.value:.{digits}f}"
    if one.lower is None or one.upper is None:
        return [value, "-"]
    return [value, f"[{one.lower:.{digits}f}, {one.upper:.{digits}f}]"]


def _text(report: SystemsReport, headers: list[str], rows: list[list[str]]) -> str:
    return "\n".join([text_table(headers, rows), "", *report.signatures]).rstrip()


def _markdown(report: SystemsReport, headers: list[str], rows: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(headers) - 1)]
    signatures = [f"`{line}`" for line in report.signatures]
    return "\n".join([*markdown_lines(headers, rule, *rows), "", *signatures]).rstrip()


def _latex(report: SystemsReport, headers: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str]) -> str:
        return " & ".join(map(escaped, cells)) + r" \\"

    how = report.resampling
    caption = rf"Means over {len(report.inputs):,} inputs with {how.confidence:g}\,\% bootstrap intervals."
    made = table(caption, "l" + "r" * (len(headers) - 1), line(headers), list(map(line, rows)))
    return "\n".join([NEEDS, *(f"% {signature}" for signature in report.signatures), *made])


_FORMATS = {"text": _text, "markdown": _markdown, "latex": _latex}
