"""The report of systems: scores, intervals, tests and texts as data; `web/systems.js` draws it."""

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
from rubrica.data.instance import UNKNOWN_LANGUAGES, EvalInstance, Languages, Text, flatten
from rubrica.data.jsonl import read_jsonl
from rubrica.data.logs.tasks import check_tasks
from rubrica.data.metrics import Metrics
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import read_score_rows
from rubrica.datasets.open import detect, read
from rubrica.datasets.readers.inputs import names as distinct_names
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
class InputTexts:
    """The source document of an input, None if unknown, and its distinct references with their languages."""

    document: str | None
    references: Sequence[str]
    reference_languages: Sequence[str]


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


@dataclass(slots=True)
class ScoredRows:
    """Rows of score files; rows of the same summary in several files are merged."""

    rows: dict[Key, Metrics] = field(default_factory=dict)
    signatures: dict[str, None] = field(default_factory=dict)
    measures: Measures = field(default_factory=Measures)

    @classmethod
    def read(
        cls,
        files: Sequence[str],
        *,
        name_by_file: bool = False,
        mapping: TableColumns | None = None,
    ) -> ScoredRows:
        """Read rows of scores: of `evaluate` and `score`, tables, logs of harnesses.

        `name_by_file`: where two files have values of the same measure for the same summary, each file holds a
        system of its own, called `system (file)`; otherwise values that differ are an error. `mapping` names columns
        of tables.
        """
        scored = cls()
        by_file = {
            file: list(read_score_rows(file, Metrics, mapping)) for file in dict.fromkeys(files)
        }
        check_tasks({file: [row.instance_id for _, row in rows] for file, rows in by_file.items()})
        repeated = _repeated_systems(by_file) if name_by_file else set()
        names = dict(zip(by_file, distinct_names(list(by_file)), strict=True))
        for file, numbered in by_file.items():
            for line, row in numbered:
                if row.summarizer_id in repeated:
                    row.summarizer_id = f"{row.summarizer_id} ({names[file]})"
                scored._add(row, file, line)
                scored.signatures.update(dict.fromkeys(row.signatures))
        if not scored.rows:
            raise DataError("no rows of scores in the input")
        return scored

    def systems(self, include_references: bool = False) -> int:
        """Return the number of systems."""
        names = (
            row.summarizer_id
            for row in self.rows.values()
            if include_references or row.summarizer_type != "reference"
        )
        return len(set(names))

    def _add(self, row: Metrics, file: str, line: int) -> None:
        earlier = self.rows.get(row.key)
        try:
            self.measures.add(row)
            self.rows[row.key] = row if earlier is None else earlier.merge(row)
        except RubricaError as error:
            raise DataError(str(error), file=file, line=line) from error


def _repeated_systems(by_file: Mapping[str, Sequence[tuple[int, Metrics]]]) -> set[str]:
    """Return the systems of which two files have the same measure for the same input."""
    owners: dict[tuple[Key, str], str] = {}
    return {
        row.summarizer_id
        for file, numbered in by_file.items()
        for _, row in numbered
        if row.summarizer_type != "reference"
        for name in row.metrics.measure_names()
        if owners.setdefault((row.key, name), file) != file
    }


@dataclass(slots=True)
class SummaryTexts:
    """Texts by (instance_id, summarizer_id), their references, and documents by instance."""

    summaries: dict[Key, Text] = field(default_factory=dict)
    references: dict[Key, list[Text]] = field(default_factory=dict)
    languages: dict[Key, Languages] = field(default_factory=dict)
    documents: dict[str, Text] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Iterable[str], document_files: Iterable[str] = ()) -> SummaryTexts:
        """Read summaries of any format; references and documents are optional."""
        texts = cls()
        for file in files:
            if detect(file, ()) != "summary-only":
                texts.add(read([file], ()))
                continue
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                key = row.identifier("instance_id"), row.identifier("summarizer_id")
                texts.summaries[key] = row.text("summary")
                texts.languages[key] = row.languages()
                if references := row.texts("references"):
                    texts.references[key] = references
                texts._take_documents(row, key[0], required=False)
        texts.add_documents(document_files)
        return texts

    def add_documents(self, files: Iterable[str]) -> None:
        """Add documents: JSON lines with `instance_id` and `document`."""
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                self._take_documents(row, row.identifier("instance_id"), required=True)

    @classmethod
    def of(cls, instances: Iterable[EvalInstance]) -> SummaryTexts:
        """Return the texts of instances."""
        texts = cls()
        texts.add(instances)
        return texts

    def add(self, instances: Iterable[EvalInstance]) -> None:
        """Add the texts of instances."""
        for instance in instances:
            key = instance.instance_id, instance.summarizer_id
            fields = instance.fields
            self.summaries[key] = fields["summary"]
            self.languages[key] = instance.languages
            if references := fields.get("references"):
                self.references[key] = references
            if documents := fields.get("documents"):
                self.documents[key[0]] = "\n".join(map(flatten, documents))

    def languages_of(self, systems: Sequence[str], inputs: Sequence[str]) -> list[list[str]] | None:
        """Return the language codes [system][input] of summaries; None if all are unknown."""
        codes = [
            [languages.summary if (languages := self.languages.get((i, s))) else "" for i in inputs]
            for s in systems
        ]
        return codes if any(map(any, codes)) else None

    def of_input(self, instance: str, systems: Sequence[str]) -> InputTexts:
        """Return the document and the references of an input, as these systems have them."""
        references: dict[str, str] = {}
        for system in systems:
            key = instance, system
            languages = self.languages.get(key, UNKNOWN_LANGUAGES)
            for at, reference in enumerate(self.references.get(key, ())):
                references.setdefault(_lines(reference), languages.reference(at))
        document = self.documents.get(instance)
        return InputTexts(
            None if document is None else _lines(document),
            list(references),
            list(references.values()),
        )

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
        [None if (text := summaries.get((i, s))) is None else _lines(text) for i in report.inputs]
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


def _lines(text: Text) -> str:
    return text if isinstance(text, str) else "\n".join(text)


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
