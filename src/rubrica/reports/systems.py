"""The report of systems: who leads, how surely, on which inputs; built as data, drawn by `web/systems.js`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rubrica import __version__
from rubrica.data.instance import Languages, Text, flatten
from rubrica.data.jsonl import read_jsonl
from rubrica.data.metrics import Metrics
from rubrica.data.score_rows import read_score_rows
from rubrica.data.table import ScoreTable
from rubrica.datasets.readers.row import Row
from rubrica.errors import DataError, RubricaError
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.precision import digits_of
from rubrica.reports.comparison import PairTest, compare
from rubrica.reports.page import page
from rubrica.reports.texts import Duplicate, Key, TextFacts, duplicates, text_facts
from rubrica.statistics.intervals import Interval, Resampling


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure's dotted name, which way is up, and whether the page shows it at first.

    `corpus`: the metric has a score of whole corpora that is not the mean of its summaries. `digits` are
    those after the point.
    """

    name: str
    lower_is_better: bool
    corpus: bool
    headline: bool
    digits: int


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


def enough_rounds(systems: int) -> int:
    """Rounds with which Holm's correction over all pairs can find a difference: 1,000 to 10,000.

    The least p is 1 / (1 + rounds), and the correction multiplies it by the number of pairs; with
    1,000 rounds nothing could be significant among 11 systems or more.
    """
    pairs = systems * (systems - 1) // 2
    return min(10_000, max(1_000, math.ceil(40 * pairs / 1_000) * 1_000))


def systems_report(
    scored: ScoredRows,
    texts: SummaryTexts | None = None,
    *,
    title: str = "Systems",
    measures: Sequence[str] | None = None,
    include_references: bool = False,
    resampling: Resampling | None = None,
) -> SystemsReport:
    """The report of all peers (and, if asked for, references) in the rows."""
    resampling = resampling or Resampling()
    rows = [
        row
        for row in scored.rows.values()
        if include_references or row.summarizer_type != "reference"
    ]
    if not rows:
        raise DataError(
            f"only rows of references ({len(scored.rows)}); --include-references shows them"
        )
    table = ScoreTable.from_metrics(rows, measures)
    table = _without_empty(table)
    intervals, pairs = compare(table.values, resampling)
    types = {row.summarizer_id: row.summarizer_type for row in rows}
    report = SystemsReport(
        title,
        __version__,
        table.systems,
        [types[name] == "reference" for name in table.systems],
        table.inputs,
        _measures(rows, scored.measures, table.measures, intervals),
        [
            [[None if math.isnan(x) else x for x in row] for row in matrix]
            for matrix in table.values.tolist()
        ],
        intervals,
        pairs,
        resampling,
        list(scored.signatures),
        len(scored.rows) - len(rows),
    )
    if texts is None:
        return replace(report, equal_scores=_equal_scores(table))
    return _with_texts(report, texts, [row.key for row in rows])


def _equal_scores(table: ScoreTable) -> list[EqualScores]:
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


def _without_empty(table: ScoreTable) -> ScoreTable:
    """Measures that no row shown has a value of (jackknifed ones of references, say) are left out."""
    kept = np.flatnonzero(~np.isnan(table.values).all(axis=(0, 1)))
    names = tuple(table.measures[m] for m in kept)
    if not names:
        raise DataError("no measure has a value in any row")
    return ScoreTable(table.systems, table.inputs, names, table.values[:, :, kept])


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
    rows: Sequence[Metrics],
    known: Measures,
    names: Sequence[str],
    intervals: Sequence[Sequence[Interval]],
) -> list[Measure]:
    """What the rows say of each measure."""
    groups = {}
    for name in names:
        paths = (row.metrics.find(name) for row in rows)
        groups[name] = known.group(next(path for path in paths if path is not None))
    values = {name: [own[m].value for own in intervals] for m, name in enumerate(names)}
    digits, shown = digits_of(values, groups), _headlines(names)
    return [
        Measure(name, group.direction == "lower", group.sentence_level, name in shown, digits[name])
        for name, group in groups.items()
    ]
