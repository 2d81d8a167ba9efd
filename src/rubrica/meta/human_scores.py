"""Which measures are human scores, by their usual names."""

from __future__ import annotations

import re

from rubrica.metrics.base.measures import metric_for_measure

# Dimensions that people rate in published studies of summaries and translations.
_DIMENSIONS = frozenset(
    [
        "adequacy",
        "clarity",
        "cohesion",
        "coherence",
        "conciseness",
        "consistency",
        "correctness",
        "factuality",
        "faithfulness",
        "fluency",
        "grammaticality",
        "helpfulness",
        "human",
        "informativeness",
        "litepyramid",
        "non_redundancy",
        "overall",
        "overall_quality",
        "quality",
        "readability",
        "relevance",
        "responsiveness",
        "satisfaction",
        "understandability",
        "usefulness",
    ]
)


def is_human_name(measure: str) -> bool:
    """Return whether a measure has a name that human scores usually have: coherence, expert.fluency, human_overall."""
    name = re.sub(r"[\s-]+", "_", measure.partition(".")[0].lower())
    usual = name in _DIMENSIONS or name.startswith(("human_", "expert", "turker", "annotator"))
    return usual and metric_for_measure(measure) is None
