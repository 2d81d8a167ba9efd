"""The page of a study: agreement, retest, workers, ranges of measures, and experiments I to IV."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.reports.judges import IntervalMark, JudgeReport, ReportSection
from rubrica.study.batches import agreement_by_batch, retest
from rubrica.study.clean import Cleaned
from rubrica.study.experiments import SIGNIFICANT, Experiments
from rubrica.study.human import Voting, human_scores
from rubrica.study.matrix import MeasureMatrix
from rubrica.study.ratings import Rating

TITLE = "Human study"


def study_report(
    matrix: MeasureMatrix,
    experiments: Experiments,
    ratings: Sequence[Rating] = (),
    cleaned: Cleaned | None = None,
) -> JudgeReport:
    """Return the page; agreement, retest and workers need the answers, raw and cleaned."""
    best = max(
        (level for level in experiments.system_level if level.kendall is not None),
        key=lambda level: level.kendall or 0.0,
        default=None,
    )
    verdict = "No metric has a correlation with the human score."
    if best is not None:
        verdict = (
            f"{best.metric} orders systems most like people: Kendall {best.kendall:.3f} over "
            f"{experiments.systems} systems."
        )
    facts = (
        f"{experiments.systems} systems, {experiments.documents} documents, human score "
        f"{experiments.human}"
    )
    sections = [*_answers(ratings, cleaned), *_measures(matrix), *_experiments(experiments)]
    return JudgeReport(TITLE, verdict, facts, sections)


def _answers(ratings: Sequence[Rating], cleaned: Cleaned | None) -> list[ReportSection]:
    if cleaned is None:
        return []
    before, after = (
        {batch.batch: batch for batch in agreement_by_batch(rows)}
        for rows in (list(ratings), list(cleaned.remaining))
    )
    rows = [
        [
            name,
            batch.rows,
            batch.summaries,
            batch.alpha,
            after[name].alpha if name in after else None,
        ]
        for name, batch in before.items()
    ]
    scores = {
        (score.event, score.summarizer_id): score.value
        for score in human_scores(cleaned.remaining, Voting(rounds=0))[0]
        if score.value is not None
    }
    again = retest(cleaned.remaining, scores)
    removed = {removal.worker: f"{removal.rule}: {removal.reason}" for removal in cleaned.removed}
    workers = [
        [w.worker or "(without ids)", w.rows, w.agreement, w.leave_one_out, w.straight_lines,
         w.attention, w.seconds_per_statement, removed.get(w.worker, "")]
        for w in cleaned.workers
    ]  # fmt: skip
    return [
        ReportSection(
            "Agreement",
            "Krippendorff's alpha of the answers in each file, before and after cleaning.",
            headers=["file", "rows", "summaries", "alpha before", "alpha after"],
            rows=rows,
        ),
        ReportSection(
            "Retest",
            "Systems with the same text: how much their human scores differ.",
            "No text was rated under two names." if not again.pairs else "",
            headers=["pairs", "mean difference", "correlation"] if again.pairs else (),
            rows=[[again.pairs, again.difference, again.correlation]] if again.pairs else (),
        ),
        ReportSection(
            "Workers",
            "The record of each worker, and why answers were removed.",
            f"{len(cleaned.remaining):,} rows stay, {len(cleaned.removed):,} are removed.",
            headers=["worker", "rows", "agreement", "with majority", "straight lines", "checks",
                     "seconds per statement", "removed by"],
            rows=workers,
            intervals=[IntervalMark(w.worker or "(without ids)", w.agreement)
                       for w in cleaned.workers if w.agreement is not None],
            reference=cleaned.rules.agreement,
        ),
    ]  # fmt: skip


def _measures(matrix: MeasureMatrix) -> list[ReportSection]:
    names = [row.measure for row in matrix.ranges]
    return [
        ReportSection(
            "Ranges",
            "The scores of each measure over summaries, and the means of systems.",
            headers=["measure", "summaries", "minimum", "median", "maximum", "lowest system",
                     "highest system"],
            rows=[[r.measure, r.summaries, r.minimum, r.median, r.maximum, r.lowest_system,
                   r.highest_system] for r in matrix.ranges],
        ),
        ReportSection(
            "Measures against each other",
            f"{str(matrix.coefficient).title()} of every pair, {matrix.level} level.",
            headers=["measure", *names],
            rows=[[name, *row] for name, row in zip(names, matrix.correlations, strict=True)],
        ),
    ]  # fmt: skip


def _experiments(result: Experiments) -> list[ReportSection]:
    better = [
        f"{test.better} beats {test.worse}"
        for test in result.williams
        if (p := test.p if test.adjusted is None else test.adjusted) is not None
        and p <= SIGNIFICANT
    ]
    sizes = list(dict.fromkeys(point.k for point in result.top))
    tops = {(point.metric, point.k): point.kendall for point in result.top}
    corrected = "no correction" if result.rules == "realsumm" else "Holm's correction"
    return [
        ReportSection(
            "Experiment I: metrics against people",
            f"Correlation of system means; Williams' test between metrics, {corrected}.",
            "; ".join(better) + "." if better else "No metric is significantly better than another.",
            headers=["metric", "Pearson", "Kendall"],
            rows=[[level.metric, level.pearson, level.kendall] for level in result.system_level],
            intervals=[IntervalMark(level.metric, level.kendall)
                       for level in result.system_level if level.kendall is not None],
        ),
        ReportSection(
            "Experiment II: the best systems",
            "Kendall among the k systems that people prefer.",
            headers=["metric", *(f"top {k}" for k in sizes)],
            rows=[[m, *(tops[m, k] for k in sizes)] for m in dict.fromkeys(p.metric for p in result.top)],
        ),
        ReportSection(
            "Experiment III: decisions between two systems",
            "How often a metric's decision by bootstrap is that of people.",
            headers=["metric", "pairs", "accuracy", "weighted F1", "symmetric F1"],
            rows=[[metric, d.pairs, d.accuracy, d.weighted_f1, d.symmetric_f1]
                  for metric, d in result.decisions.items()],
        ),
        ReportSection(
            "Experiment IV: within documents",
            "The mean over documents of Kendall between metric and people.",
            headers=["metric", "Kendall", "lower", "upper", "documents used", "documents"],
            rows=[[s.metric, s.kendall, s.lower, s.upper, s.used, s.documents]
                  for s in result.summary_level],
            intervals=[IntervalMark(s.metric, s.kendall, s.lower, s.upper)
                       for s in result.summary_level if s.kendall is not None],
            reference=0.0,
        ),
    ]  # fmt: skip
