"""The report of systems: scores, intervals, tests and texts as data; `web/systems/` draws it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rubrica import __version__
from rubrica.comparison.pairs import against
from rubrica.comparison.records import Comparison, TestPlan
from rubrica.comparison.scores import SystemValues, compare_scores
from rubrica.data.clusters import ClusterRule
from rubrica.data.instance import Text
from rubrica.errors import DataError
from rubrica.metrics.base.precision import digits_of
from rubrica.reports.page import page
from rubrica.reports.scored_texts import InputTexts, ScoredRows, SummaryTexts, text_lines
from rubrica.reports.texts import Duplicate, Key, TextFacts, duplicates, text_facts
from rubrica.statistics.intervals import Interval, Resampling
from rubrica.statistics.significance import PAIRED_TESTS
from rubrica.statistics.undefined import none_if_nan


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure, its direction, and whether the page shows it initially (`headline`).

    `sentence_mean`: scores are means of sentence-level values of a corpus metric, which differ from its
    corpus score; the name says so. `digits` are those after the decimal point.
    """

    name: str
    lower_is_better: bool
    sentence_mean: bool
    headline: bool
    digits: int


@dataclass(frozen=True, slots=True)
class PairTest:
    """Systems `one` and `other` (by number) on `inputs` shared inputs; `difference` is one - other.

    p-values are None where fewer than two inputs are shared or nothing was tested. `p_adjusted` is corrected over
    all pairs of a measure; `p_against_one` and `p_against_other` over the comparisons with that baseline alone.
    """

    one: int
    other: int
    inputs: int
    difference: float | None
    p: float | None
    p_adjusted: float | None
    p_against_one: float | None = None
    p_against_other: float | None = None


@dataclass(frozen=True, slots=True)
class EqualScores:
    """Systems with equal values of all measures on these inputs, so probably with equal texts."""

    systems: tuple[str, ...]
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemsReport:
    """Everything the page shows. Systems, inputs and measures are numbers into their lists.

    `values[system][input][measure]` is None where undefined; `pairs[measure]` tests every two systems.
    `languages[system][input]` are codes, "" if unknown; None if all are unknown. `date` is the day of the scores.
    """

    title: str
    version: str
    systems: Sequence[str]
    references: Sequence[bool]
    inputs: Sequence[str]
    measures: Sequence[Measure]
    values: Sequence[Sequence[Sequence[float | None]]]
    intervals: Sequence[Sequence[Interval]]
    pairs: Sequence[Sequence[PairTest]]
    resampling: Resampling
    # The paired test, what its p means, its rounds and seed, and the correction; empty without tests.
    test: str
    test_meaning: str
    test_rounds: int
    test_seed: int
    correction: str
    alpha: float
    clusters: int | None
    signatures: Sequence[str]
    left_out: int
    texts: Sequence[Sequence[str | None]] | None = None
    languages: Sequence[Sequence[str]] | None = None
    facts: Sequence[TextFacts | None] | None = None
    duplicates: Sequence[Duplicate] = ()
    equal_scores: Sequence[EqualScores] = ()
    input_texts: Sequence[InputTexts] | None = None
    date: str = ""
    # Tokens, cost and time of metrics that asked models.
    usage: Sequence[str] = ()

    def page(self) -> bytes:
        """Return the report as an HTML page."""
        return page(self.title, self, script="systems", styles=("systems",))


def systems_report(
    scored: ScoredRows,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Systems",
    measures: Sequence[str] | None = None,
    include_references: bool = False,
    resampling: Resampling | None = None,
    plan: TestPlan | None = None,
    clusters: ClusterRule | None = None,
) -> SystemsReport:
    """Return the report of all peers (optionally also references) in the rows of score files.

    Scores are those of `evaluate` and tests those of `compare`; see `compare_scores`.
    """
    comparison = compare_scores(
        scored.rows.values(),
        plan=plan,
        measures=measures,
        known=scored.measures,
        include_references=include_references,
        resampling=resampling,
        clusters=clusters,
    )
    return comparison_report(comparison, texts, title=title, measures=measures)


def comparison_report(
    comparison: Comparison,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Systems",
    measures: Sequence[str] | None = None,
    date: str = "",
) -> SystemsReport:
    """Return the report of a comparison: scores of every summary, and tests of every two systems."""
    scores = SystemValues(
        comparison.rows, measures, name_sentence_means=bool(comparison.sentence_means)
    )
    evaluation = comparison.evaluation
    method = next(iter(comparison.plan.methods), "")
    test = PAIRED_TESTS.get(method)
    intervals = [
        [evaluation.systems[name].scores[measure] for measure in scores.measures]
        for name in scores.systems
    ]
    types = {row.summarizer_id: row.summarizer_type for row in comparison.rows}
    report = SystemsReport(
        title,
        __version__,
        tuple(scores.systems),
        [types[name] == "reference" for name in scores.systems],
        tuple(scores.inputs),
        _measures(comparison, scores.measures, intervals),
        [[list(map(none_if_nan, row)) for row in matrix] for matrix in scores.values.tolist()],
        intervals,
        _pair_tests(comparison, scores),
        evaluation.resampling,
        test.label if test else "",
        test.meaning if test else "",
        comparison.plan.methods.get(method, 0),
        comparison.plan.seed,
        comparison.plan.correction,
        comparison.plan.alpha,
        comparison.clusters,
        list(comparison.signatures),
        evaluation.left_out.get("reference", 0),
        date=date,
        usage=list(evaluation.usage),
    )
    if texts is None:
        return replace(report, equal_scores=_equal_scores(scores))
    return _with_texts(report, texts, [row.key for row in comparison.rows])


def _pair_tests(comparison: Comparison, scores: SystemValues) -> list[list[PairTest]]:
    """Return the tests of every two systems, (0, 1), (0, 2) ... (1, 2) ..., measure by measure."""
    correction = comparison.plan.correction
    method = next(iter(comparison.plan.methods), "")
    used = [test for test in comparison.all_tests if test.method == method]
    tests = {(test.measure, test.baseline, test.system): test for test in used}
    adjusted = {
        (test.measure, test.baseline, test.system): test.adjusted
        for baseline in scores.systems
        for test in against(used, baseline, correction)
    }
    table = []
    for measure in scores.measures:
        pairs = []
        for a, b in combinations(range(len(scores.systems)), 2):
            first, second = scores.systems[a], scores.systems[b]
            test = tests.get((measure, first, second))
            if test is None:
                shared = int((scores.present[a] & scores.present[b]).sum())
                pairs.append(PairTest(a, b, shared, None, None, None))
                continue
            difference = None if math.isnan(test.difference) else -test.difference
            pairs.append(
                PairTest(
                    a,
                    b,
                    test.inputs,
                    difference,
                    test.p_value,
                    test.adjusted,
                    adjusted[measure, first, second],
                    adjusted[measure, second, first],
                )
            )
        table.append(pairs)
    return table


def _equal_scores(table: SystemValues) -> list[EqualScores]:
    """Return groups of systems with equal scores, those with the most inputs first.

    Scores that are all zero or undefined do not count: many different bad texts have them.
    """
    shared: dict[tuple[str, ...], list[str]] = {}
    for i, name in enumerate(table.inputs):
        systems_by_values: dict[bytes, list[str]] = {}
        for s, system in enumerate(table.systems):
            values = table.values[s, i]
            if np.any((values != 0) & ~np.isnan(values)):
                systems_by_values.setdefault((values + 0.0).tobytes(), []).append(system)
        for systems in systems_by_values.values():
            if len(systems) > 1:
                shared.setdefault(tuple(systems), []).append(name)
    groups = [EqualScores(systems, tuple(inputs)) for systems, inputs in shared.items()]
    return sorted(groups, key=lambda group: -len(group.inputs))


def _with_texts(report: SystemsReport, texts: SummaryTexts, keys: Sequence[Key]) -> SystemsReport:
    summaries: Mapping[Key, Text] = {
        key: texts.summaries[key] for key in keys if key in texts.summaries
    }
    if not summaries:
        raise DataError(
            f"none of the {len(keys)} scored summaries is among the {len(texts.summaries)} texts"
        )
    shown = [
        [
            None if (text := summaries.get((i, s))) is None else text_lines(text)
            for i in report.inputs
        ]
        for s in report.systems
    ]
    facts = []
    for system in report.systems:
        triples = [
            (text, texts.references.get(key), texts.documents.get(key[0]))
            for key, text in summaries.items()
            if key[1] == system
        ]
        facts.append(text_facts(triples) if triples else None)
    return replace(
        report,
        texts=shown,
        languages=texts.languages_of(report.systems, report.inputs),
        facts=facts,
        duplicates=duplicates(summaries),
        input_texts=[texts.of_input(name, report.systems) for name in report.inputs],
    )


def _headlines(names: Sequence[str], limit: int = 6) -> set[str]:
    """Return the measures shown initially: F rather than recall and precision, none jackknifed."""
    all_names = set(names)

    def leads(name: str) -> bool:
        stem, _, leaf = name.rpartition(".")
        if stem.split(".")[0].endswith("_jk") or leaf.endswith("_jk"):
            return False
        return leaf not in ("recall", "precision") or f"{stem}.f1" not in all_names

    candidates = [name for name in names if leads(name)] or list(names)
    return set(candidates[:limit])


def _measures(
    comparison: Comparison, names: Sequence[str], intervals: Sequence[Sequence[Interval]]
) -> list[Measure]:
    groups = {name: comparison.evaluation.measures[name] for name in names}
    values = {name: [of_system[m].value for of_system in intervals] for m, name in enumerate(names)}
    digits, headlines = digits_of(values, groups), _headlines(names)
    measures = []
    for name, group in groups.items():
        lower, sentence_mean = group.direction == "lower", name in comparison.sentence_means
        measures.append(Measure(name, lower, sentence_mean, name in headlines, digits[name]))
    return measures
