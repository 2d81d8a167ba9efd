"""An evaluation as a table: systems by measures, intervals, and the signatures below."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rubrica.cli.console import table
from rubrica.cli.digits import digits_of
from rubrica.evaluation import Evaluation, SystemScores, shown_measures
from rubrica.metrics.intervals import Interval


def evaluation_table(evaluation: Evaluation) -> str:
    """Systems by measures; the best system by the first measure stands first."""
    names = shown_measures(list(evaluation.overall.scores))
    sign = 1 if names[0] in evaluation.lower_is_better else -1

    def rank(scores: SystemScores) -> float:
        value = scores.scores[names[0]].value
        return math.inf if math.isnan(value) else sign * value

    rows = sorted(evaluation.systems.items(), key=lambda item: rank(item[1]))
    if len(rows) > 1:
        rows.append(("(all)", evaluation.overall))
    columns = [[name for name, _ in rows], [f"{scores.num_summaries:,}" for _, scores in rows]]
    digits = digits_of({name: [scores.scores[name].value for _, scores in rows] for name in names})
    columns += [
        _column([scores.scores[name] for _, scores in rows], digits[name]) for name in names
    ]
    cells = [list(row) for row in zip(*columns, strict=True)]
    lines = [table(["system", "n", *names], cells), "", *_notes(evaluation, names)]
    return "\n".join([*lines, *evaluation.signatures])


def _column(intervals: Sequence[Interval], digits: int) -> list[str]:
    cells = []
    for interval in intervals:
        if math.isnan(interval.value):
            cells.append("undefined")
        elif interval.lower is None or interval.upper is None:
            cells.append(f"{interval.value:.{digits}f}")
        else:
            half = (interval.upper - interval.lower) / 2
            cells.append(f"{interval.value:.{digits}f} ±{half:.{digits}f}")
    return cells


def _notes(evaluation: Evaluation, names: Sequence[str]) -> list[str]:
    notes = []
    resampling = evaluation.resampling
    if resampling.rounds:
        notes.append(
            f"± half the width of the {resampling.confidence:g} % bootstrap interval over summaries"
        )
    if len(names) < len(evaluation.overall.scores):
        notes.append("f1 is shown; precision and recall are in the JSON output")
    for kind, count in evaluation.left_out.items():
        notes.append(f"{count:,} {kind} rows scored, but left out of the system scores")
    for name, count in evaluation.overall.undefined.items():
        notes.append(f"{name}: undefined for {count:,} summaries, left out of the mean")
    return [*notes, ""] if notes else []
