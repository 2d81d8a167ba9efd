"""The report of systems: who leads, how surely, on which inputs; built as data, drawn by `web/systems.js`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from rubrica import __version__
from rubrica.comparison.pairs import against
from rubrica.comparison.records import Comparison, TestPlan
from rubrica.comparison.scores import SystemValues, compare_scores
from rubrica.data.clusters import ClusterRule
from rubrica.data.instance import Languages, Text, flatten
from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import Metrics
from rubrica.data.score_rows import read_score_rows
from rubrica.datasets.readers.row import Row
from rubrica.errors import DataError, RubricaError
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.precision import digits_of
from rubrica.reports.page import page
from rubrica.reports.texts import Duplicate, Key, TextFacts, duplicates, text_facts
from rubrica.statistics.intervals import Interval, Resampling
from rubrica.statistics.significance import PAIRED_TESTS


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure's name, which way is up, and whether the page shows it at first.

    `sentence_mean`: scores are means of sentence-level values of a corpus metric, which has another score for
    the whole corpus; the name says so. `digits` are those after the point.
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
    """Systems whose values of all measures are equal on these inputs: their texts likely are, too."""

    systems: tuple[str, ...]
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemsReport:
    """All that the page shows. Systems, inputs and measures are numbered by their lists.

    `values[system][input][measure]` is None where undefined; `pairs[measure]` tests every two systems.
    `languages[system][input]` are codes, "" where nothing is known; None if nothing is at all.
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
    # The paired test, what its p means, its rounds and seed, and the correction; no test where nothing was tested.
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

    def page(self) -> bytes:
        """As an HTML page."""
        return page(self.title, self, script="systems", styles=("systems",))


@dataclass(slots=True)
class ScoredRows:
    """Rows of scores from files; rows of one summary in several files are merged."""

    rows: dict[Key, Metrics] = field(default_factory=dict)
    signatures: dict[str, None] = field(default_factory=dict)
    measures: Measures = field(default_factory=Measures)

    @classmethod
    def read(cls, files: Iterable[str]) -> ScoredRows:
        """The rows that `rubrica evaluate` or `score` wrote."""
        found = cls()
        for file in files:
            for line, row in read_score_rows(file, Metrics):
                found._add(row, file, line)
                found.signatures.update(dict.fromkeys(row.signatures))
        if not found.rows:
            raise DataError("no rows of scores in the input")
        return found

    def systems(self, include_references: bool = False) -> int:
        """How many systems there are."""
        shown = (
            row.summarizer_id
            for row in self.rows.values()
            if include_references or row.summarizer_type != "reference"
        )
        return len(set(shown))

    def _add(self, row: Metrics, file: str, line: int) -> None:
        here = self.rows.get(row.key)
        try:
            self.measures.add(row)
            self.rows[row.key] = row if here is None else here.merge(row)
        except RubricaError as error:
            raise DataError(str(error), file=file, line=line) from error


@dataclass(slots=True)
class SummaryTexts:
    """Texts by (instance_id, summarizer_id), their references, and documents by instance."""

    summaries: dict[Key, Text] = field(default_factory=dict)
    references: dict[Key, list[Text]] = field(default_factory=dict)
    languages: dict[Key, Languages] = field(default_factory=dict)
    documents: dict[str, Text] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Iterable[str], document_files: Iterable[str] = ()) -> SummaryTexts:
        """Rows of SacreROUGE's schema; references and documents where a row has them."""
        found = cls()
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                key = row.identifier("instance_id"), row.identifier("summarizer_id")
                found.summaries[key] = row.text("summary")
                found.languages[key] = row.languages()
                if references := row.texts("references"):
                    found.references[key] = references
                found._take_documents(row, key[0], required=False)
        for file in document_files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                found._take_documents(row, row.identifier("instance_id"), required=True)
        return found

    def languages_of(self, systems: Sequence[str], inputs: Sequence[str]) -> list[list[str]] | None:
        """Codes [system][input] of the summaries' languages; None if none is known."""
        made = [
            [told.summary if (told := self.languages.get((i, s))) else "" for i in inputs]
            for s in systems
        ]
        return made if any(map(any, made)) else None

    def _take_documents(self, row: Row, instance: str, *, required: bool) -> None:
        if required or not row.values.keys().isdisjoint(("document", "documents")):
            self.documents[instance] = "\n".join(map(flatten, row.required_texts("documents")))


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
    """Return the report of all peers (and, if asked for, references) in the rows of score files.

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
        every_pair=True,
    )
    return comparison_report(comparison, texts, title=title, measures=measures)


def comparison_report(
    comparison: Comparison,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Systems",
    measures: Sequence[str] | None = None,
) -> SystemsReport:
    """Return the report of a comparison made with `every_pair`: it has its rows and the tests of all pairs."""
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
        [
            [[None if math.isnan(x) else x for x in row] for row in matrix]
            for matrix in scores.values.tolist()
        ],
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
    )
    if texts is None:
        return replace(report, equal_scores=_equal_scores(scores))
    return _with_texts(report, texts, [row.key for row in comparison.rows])


def _pair_tests(comparison: Comparison, scores: SystemValues) -> list[list[PairTest]]:
    """Return the tests of every two systems, (0, 1), (0, 2) ... (1, 2) ..., measure by measure."""
    correction = comparison.plan.correction
    method = next(iter(comparison.plan.methods), "")
    own = [test for test in comparison.all_tests if test.method == method]
    tests = {(test.measure, test.baseline, test.system): test for test in own}
    adjusted = {
        (test.measure, test.baseline, test.system): test.adjusted
        for baseline in scores.systems
        for test in against(own, baseline, correction)
    }
    table = []
    for measure in scores.measures:
        pairs = []
        for one, other in combinations(range(len(scores.systems)), 2):
            first, second = scores.systems[one], scores.systems[other]
            test = tests.get((measure, first, second))
            if test is None:
                shared = int((scores.present[one] & scores.present[other]).sum())
                pairs.append(PairTest(one, other, shared, None, None, None))
                continue
            difference = None if math.isnan(test.difference) else -test.difference
            pairs.append(
                PairTest(
                    one,
                    other,
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
    """What can be told of equal outputs without the texts, those of most inputs first.

    Scores that are all zero or undefined tell nothing: many bad texts have them.
    """
    shared: dict[tuple[str, ...], list[str]] = {}
    for i, name in enumerate(table.inputs):
        alike: dict[bytes, list[str]] = {}
        for s, system in enumerate(table.systems):
            own = table.values[s, i]
            if np.any((own != 0) & ~np.isnan(own)):
                alike.setdefault((own + 0.0).tobytes(), []).append(system)
        for systems in alike.values():
            if len(systems) > 1:
                shared.setdefault(tuple(systems), []).append(name)
    found = [EqualScores(systems, tuple(inputs)) for systems, inputs in shared.items()]
    return sorted(found, key=lambda one: -len(one.inputs))


def _with_texts(report: SystemsReport, texts: SummaryTexts, keys: Sequence[Key]) -> SystemsReport:
    known: Mapping[Key, Text] = {
        key: texts.summaries[key] for key in keys if key in texts.summaries
    }
    if not known:
        raise DataError(
            f"none of the {len(keys)} scored summaries is among the {len(texts.summaries)} texts"
        )
    shown = [
        [None if (text := known.get((i, s))) is None else _lines(text) for i in report.inputs]
        for s in report.systems
    ]
    facts = []
    for system in report.systems:
        own = [
            (text, texts.references.get(key), texts.documents.get(key[0]))
            for key, text in known.items()
            if key[1] == system
        ]
        facts.append(text_facts(own) if own else None)
    return replace(
        report,
        texts=shown,
        languages=texts.languages_of(report.systems, report.inputs),
        facts=facts,
        duplicates=duplicates(known),
    )


def _lines(text: Text) -> str:
    return text if isinstance(text, str) else "\n".join(text)


def _headlines(names: Sequence[str], most: int = 6) -> set[str]:
    """The measures shown at first: F where there is one, jackknifed ones not, at most six."""
    all_names = set(names)

    def leads(name: str) -> bool:
        stem, _, leaf = name.rpartition(".")
        if stem.split(".")[0].endswith("_jk") or leaf.endswith("_jk"):
            return False
        return leaf not in ("recall", "precision") or f"{stem}.f1" not in all_names

    chosen = [name for name in names if leads(name)] or list(names)
    return set(chosen[:most])


def _measures(
    comparison: Comparison, names: Sequence[str], intervals: Sequence[Sequence[Interval]]
) -> list[Measure]:
    groups = {name: comparison.evaluation.measures[name] for name in names}
    values = {name: [own[m].value for own in intervals] for m, name in enumerate(names)}
    digits, headlines = digits_of(values, groups), _headlines(names)
    measures = []
    for name, group in groups.items():
        lower, sentence_mean = group.direction == "lower", name in comparison.sentence_means
        measures.append(Measure(name, lower, sentence_mean, name in headlines, digits[name]))
    return measures
