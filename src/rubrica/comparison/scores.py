"""Compare systems by scores that exist: rows that `evaluate` and `score` write, or tables of other programs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.aliases import find_measure
from rubrica.comparison.pairs import build_comparison, paired_tests, tested_pairs
from rubrica.comparison.records import Comparison, PairedTest, TestPlan
from rubrica.comparison.scored_rows import ScoredRows
from rubrica.data.clusters import ClusterRule, labels_of
from rubrica.data.measures import MeasureGroup, shown_measures
from rubrica.data.metrics import Metrics
from rubrica.errors import DataError, UnknownNameError
from rubrica.meta.score_tables import ScorePart, rows_of_scores
from rubrica.metrics.base.aggregation import MeanAggregation, score_aggregation
from rubrica.metrics.base.measures import Measures
from rubrica.metrics.base.sample import Floats, Sample, resampling_facts, summarize
from rubrica.neural.progress import steps
from rubrica.scoring.evaluation import Evaluation, SystemScores
from rubrica.signature import parse_signature, value_text
from rubrica.statistics.intervals import Interval, Resampling
from rubrica.statistics.paired import is_excessive

SENTENCE_MEAN = " (sentence mean)"


class SystemValues:
    """Values [system, input, measure] of rows, NaN where a row has none; which rows there are, in their order.

    A measure of a corpus metric is called `bleu (sentence mean)`: rows hold sentence scores, and their mean
    is not the metric's score.
    """

    def __init__(
        self,
        rows: Sequence[Metrics],
        measures: Sequence[str] | None = None,
        known: Measures | None = None,
        *,
        name_sentence_means: bool = True,
    ) -> None:
        self.rows = rows
        self.systems = list(dict.fromkeys(row.summarizer_id for row in rows))
        self.inputs = list(dict.fromkeys(row.instance_id for row in rows))
        known = known or Measures(rows)
        values = [row.values() for row in rows]
        chosen = self._paths(values) if measures is None else map(self._find, measures)
        self.paths: dict[str, tuple[str, ...]] = {}
        self.groups: dict[str, MeasureGroup] = {}
        columns = []
        for path in chosen:
            group = known.group(path)
            shown = path
            if group.sentence_level and name_sentence_means:
                shown = (*path[:-1], path[-1] + SENTENCE_MEAN)
            self.paths[".".join(shown)], self.groups[".".join(shown)] = shown, group
            columns.append(".".join(path))
        self.measures = list(self.paths)
        if not self.measures:
            raise DataError("no measure has a value in any row")
        self._fill(values, columns)

    def _fill(self, values: Sequence[Mapping[str, float]], columns: Sequence[str]) -> None:
        system_at = {name: at for at, name in enumerate(self.systems)}
        input_at = {name: at for at, name in enumerate(self.inputs)}
        # For each system the places of its rows among the inputs, in the order of the rows.
        self.order: list[list[int]] = [[] for _ in self.systems]
        shape = len(self.systems), len(self.inputs), len(columns)
        self.values: Floats = np.full(shape, np.nan)
        self.present: NDArray[np.bool_] = np.zeros(shape[:2], dtype=bool)
        for row, row_values in zip(self.rows, values, strict=True):
            place = system_at[row.summarizer_id], input_at[row.instance_id]
            self.order[place[0]].append(place[1])
            self.present[place] = True
            self.values[place] = [row_values.get(name, np.nan) for name in columns]
        excessive = np.argwhere(is_excessive(self.values))
        if len(excessive):
            system, at, column = excessive[0]
            value = self.values[system, at, column]
            kind = "infinite" if np.isinf(value) else f"too large ({value:g})"
            raise DataError(
                f"the {columns[column]} of system {self.systems[system]!r} on input {self.inputs[at]!r} is "
                f"{kind}; write null for what is undefined"
            )

    def _paths(self, values: Sequence[Mapping[str, float]]) -> list[tuple[str, ...]]:
        """Return the paths of all measures that have a value somewhere."""
        paths: dict[str, tuple[str, ...]] = {}
        for row in self.rows:
            for path, _ in row.metrics.leaves():
                paths.setdefault(".".join(path), path)
        defined = {name for row_values in values for name in row_values}
        return [path for name, path in paths.items() if name in defined]

    def _find(self, name: str) -> tuple[str, ...]:
        name = name.removesuffix(SENTENCE_MEAN)
        for row in self.rows:
            path = row.metrics.find(name)
            if path is not None and ".".join(path) in row.metrics.measure_names():
                return path
        for row in self.rows:
            measure = find_measure(name, row.metrics.measure_names())
            path = row.metrics.find(measure) if measure is not None else None
            if path is not None:
                return path
        raise UnknownNameError("measure", name, self.rows[0].metrics.measure_names())


def compare_scores(
    rows: ScorePart | Iterable[ScorePart],
    *,
    plan: TestPlan | None = None,
    measures: Sequence[str] | None = None,
    known: Measures | None = None,
    include_references: bool = False,
    resampling: Resampling | None = None,
    clusters: ClusterRule | None = None,
) -> Comparison:
    """Compare systems by rows of scores, also of files or data frames; references are left out by default.

    System scores, intervals and tests are those of `evaluate` and `compare`: rows name their metric, and its
    rule turns their values into system scores. Sentence scores of a corpus metric (BLEU, chrF, TER) are averaged
    under a name that says so. Two systems are tested on the inputs that both have.
    """
    plan = plan or TestPlan()
    resampling = resampling or Resampling()
    all_rows, known = _gathered(rows, known)
    peers = [row for row in all_rows if include_references or row.summarizer_type != "reference"]
    if not peers:
        raise DataError(
            f"only rows of references ({len(all_rows)}); `include_references=True` shows them"
        )
    # Whichever system is the baseline, inputs keep their order, and with it the draws and p-values.
    input_order = {row.instance_id: at for at, row in enumerate(reversed(peers))}
    if plan.baseline is not None:
        systems = {row.summarizer_id for row in peers}
        if plan.baseline not in systems:
            raise UnknownNameError("system", plan.baseline, systems)
        peers.sort(key=lambda row: row.summarizer_id != plan.baseline)
    scores = SystemValues(peers, measures, known)
    labels = labels_of(scores.inputs, clusters)
    families = _families(scores.groups, peers)
    evaluation = _evaluation(scores, families, resampling, labels, len(all_rows) - len(peers))
    chosen = shown_measures(scores.measures) if measures is None else scores.measures

    def test(every_pair: bool) -> list[PairedTest]:
        tests: list[PairedTest] = []
        if plan.methods and len(scores.systems) > 1:
            pairs = tested_pairs(len(scores.systems), plan, every_pair)
            order = sorted(range(len(scores.inputs)), key=lambda i: -input_order[scores.inputs[i]])
            for aggregation, names in steps("metrics tested", families):
                tests += _tests(scores, aggregation, names, plan, pairs, order, labels)
        return tests

    return build_comparison(
        evaluation,
        chosen,
        test,
        plan,
        lambda: peers,
        sentence_means=frozenset(n for n, group in scores.groups.items() if group.sentence_level),
        clusters=None if labels is None else len(set(labels.values())),
    )


def _gathered(scores: Any, known: Measures | None) -> tuple[list[Metrics], Measures | None]:
    """Return the rows of scores in any form, and the measures that they describe."""
    if known is not None:
        return list(scores), known
    files = [scores] if isinstance(scores, (str, os.PathLike)) else scores
    if isinstance(files, (list, tuple)) and files and all(map(_is_path, files)):
        scored = ScoredRows.read([os.fspath(file) for file in files], name_by_file=True)
    else:
        scored = ScoredRows.of(rows_of_scores(scores))
    return list(scored.rows.values()), scored.measures


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


_Families = Sequence[tuple[MeanAggregation, list[str]]]


def _families(groups: Mapping[str, MeasureGroup], rows: Sequence[Metrics]) -> _Families:
    """Return the measures of each metric with the rule of its system scores."""
    by_group: dict[MeasureGroup, list[str]] = {}
    for name, group in groups.items():
        by_group.setdefault(group, []).append(name)
    signatures = list(dict.fromkeys(line for row in rows for line in row.signatures))
    families: list[tuple[MeanAggregation, list[str]]] = []
    # A metric that was used twice has as many signatures as groups of measures, in the same order.
    used: dict[str, int] = {}
    for group, names in by_group.items():
        number = used.get(group.metric, 0)
        used[group.metric] = number + 1
        aggregation = MeanAggregation()
        if not group.sentence_level:
            aggregation = score_aggregation(group.metric, signatures, number)
        families.append((aggregation, names))
    return families


def _evaluation(
    scores: SystemValues,
    families: _Families,
    resampling: Resampling,
    labels: Mapping[str, str] | None,
    left_out: int,
) -> Evaluation:
    def system_scores(values: Floats, inputs: Sequence[int]) -> SystemScores:
        groups = None if labels is None else [labels[scores.inputs[at]] for at in inputs]
        intervals: dict[str, Interval] = {}
        for aggregation, names in families:
            places = [scores.measures.index(name) for name in names]
            # Sums depend on the layout of memory in the last digit; this is that of `evaluate`.
            columns = np.ascontiguousarray(values[:, places])
            # Rules of other programs have a value for every summary.
            rule = aggregation if np.isfinite(columns).all() else MeanAggregation()
            summary = summarize(rule, names, columns, resampling, groups)
            intervals |= dict(zip(names, summary, strict=True))
        missing = np.isnan(values).sum(axis=0).tolist()
        undefined = {name: n for name, n in zip(scores.measures, missing, strict=True) if n}
        ordered = {name: intervals[name] for name in scores.measures}
        return SystemScores(len(values), ordered, undefined, scores.paths)

    own = [scores.values[s, order] for s, order in enumerate(scores.order)]
    systems = {
        scores.systems[at]: system_scores(own[at], scores.order[at])
        for at in steps("systems scored", range(len(own)))
    }
    overall = next(iter(systems.values()))
    if len(systems) > 1:
        overall = system_scores(np.concatenate(own), [at for order in scores.order for at in order])
    number = None if labels is None else len(set(labels.values()))
    return Evaluation(
        overall,
        systems,
        {"reference": left_out} if left_out else {},
        scores.groups,
        _signatures(scores, families, resampling, number),
        resampling,
        clusters=number,
    )


def _signatures(
    scores: SystemValues, families: _Families, resampling: Resampling, clusters: int | None
) -> list[str]:
    """Return the signatures of the rows, with what their resampling adds."""
    facts: dict[str, list[dict[str, Any]]] = {}
    for aggregation, names in families:
        group = scores.groups[names[0]]
        added = {"level": "sentence"} if group.sentence_level else {}
        added |= resampling_facts(aggregation, resampling, clusters)
        facts.setdefault(group.metric, []).append(added)
    lines = []
    for line in dict.fromkeys(line for row in scores.rows for line in row.signatures):
        known = facts.get(
            parse_signature(line)[0], [MeanAggregation().resampling_facts(resampling)]
        )
        own = known.pop(0) if len(known) > 1 else known[0]
        lines.append(line + "".join(f"|{key}:{value_text(value)}" for key, value in own.items()))
    return lines


def _tests(
    scores: SystemValues,
    aggregation: MeanAggregation,
    names: Sequence[str],
    plan: TestPlan,
    pairs: Sequence[tuple[int, int]],
    order: Sequence[int],
    labels: Mapping[str, str] | None,
) -> list[PairedTest]:
    """Return the tests of one metric's measures; pairs with the same shared inputs are tested together."""
    columns = [scores.measures.index(name) for name in names]
    pairs_by_inputs: dict[bytes, list[tuple[int, int]]] = {}
    for first, second in pairs:
        shared = scores.present[first] & scores.present[second]
        pairs_by_inputs.setdefault(shared.tobytes(), []).append((first, second))
    tests: dict[tuple[str, str], list[PairedTest]] = {}
    for key, some in pairs_by_inputs.items():
        shared = np.frombuffer(key, dtype=bool)
        involved = sorted({system for pair in some for system in pair})
        inputs = [at for at in order if shared[at]]
        groups = None if labels is None else [labels[scores.inputs[at]] for at in inputs]
        rows = scores.values[np.ix_(involved, inputs, columns)]
        places = {system: place for place, system in enumerate(involved)}
        for test in paired_tests(
            Sample.of(aggregation, names, rows, groups),
            [scores.systems[system] for system in involved],
            [(places[first], places[second]) for first, second in some],
            plan,
            names,
        ):
            tests.setdefault((test.baseline, test.system), []).append(test)
    return [
        test
        for first, second in pairs
        for test in tests[scores.systems[first], scores.systems[second]]
    ]
