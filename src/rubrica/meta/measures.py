"""Which measures files of scores hold: metrics that all judged summaries have, and further human scores."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rubrica.data.measures import main_measures
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import read_metrics
from rubrica.meta.join import SummarizerType
from rubrica.metrics.base.measures import Measures, metric_for_measure

# Dimensions that people rate in published studies of summaries and translations.
_DIMENSIONS = (
    "adequacy clarity cohesion coherence conciseness consistency correctness factuality "
    "faithfulness fluency grammaticality helpfulness human informativeness litepyramid "
    "non_redundancy overall overall_quality quality readability relevance responsiveness "
    "satisfaction understandability usefulness"
)


@dataclass(frozen=True, slots=True)
class OtherMeasures:
    """The measures beside the human scores asked for.

    `metrics` are the main measures that all judged summaries have (see `rubrica.data.measures.main_measures`),
    `variants` the others; some summaries lack those in `incomplete`. `human` look like further human scores: they
    have usual names of such, or stand in rows of judgments only.
    """

    metrics: list[str]
    variants: list[str]
    incomplete: list[str]
    human: list[str]


def other_measures(
    files: Sequence[str | os.PathLike[str]],
    humans: Sequence[str],
    summarizer_type: SummarizerType = "all",
    fields: Mapping[str, str] | None = None,
) -> OtherMeasures:
    """Return the measures of the files but for the human scores; values that are not numbers are no measures.

    Judged are summaries of the type that have every human score. Rows of judgments hold a human score, and neither
    signatures nor a measure of a known metric.
    """
    measures: dict[tuple[str, str], dict[str, None]] = {}
    known = Measures()
    elsewhere: set[str] = set()
    judgments: dict[str, None] = {}

    def is_asked(name: str) -> bool:
        return name in humans or name.replace(".", "_") in humans

    columns = TableColumns(fields) if fields else None
    for file in files:
        for row in read_metrics(file, columns):
            if summarizer_type not in ("all", row.summarizer_type):
                continue
            names = dict.fromkeys(row.values())
            measures.setdefault(row.key, {}).update(names)
            known.add(row)
            computed = row.signatures or any(known.group(name.split(".")).metric for name in names)
            if not computed and any(map(is_asked, names)):
                judgments.update(names)
            else:
                elsewhere.update(names)
    judged = [
        names
        for names in measures.values()
        if sum(map(is_asked, names)) >= len(dict.fromkeys(humans))
    ]
    every = dict.fromkeys(name for names in judged for name in names if not is_asked(name))

    def is_human(name: str) -> bool:
        # Where all measures stand in the rows of judgments, metrics do, too, and names must decide.
        return is_human_name(name) or (
            bool(elsewhere) and name in judgments and name not in elsewhere
        )

    human = [name for name in every if is_human(name)]
    candidates = [name for name in every if name not in human]
    complete = [name for name in candidates if all(name in names for names in judged)]
    metrics = main_measures(complete)
    return OtherMeasures(
        metrics,
        [name for name in complete if name not in metrics],
        [name for name in candidates if name not in complete],
        human,
    )


def is_human_name(measure: str) -> bool:
    """Return whether a measure has a name that human scores usually have: coherence, expert.fluency, human_overall."""
    name = re.sub(r"[\s-]+", "_", measure.partition(".")[0].lower())
    usual = name in _DIMENSIONS.split() or name.startswith(
        ("human_", "expert", "turker", "annotator")
    )
    return usual and metric_for_measure(measure) is None
