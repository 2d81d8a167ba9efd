"""A drop-in for the package `rouge_score`: the same names, arguments and numbers, and much faster.

from rubrica.compat.rouge_score import rouge_scorer, scoring
"""

from rubrica.compat.rouge_score import rouge_scorer, scoring
from rubrica.compat.rouge_score.rouge_scorer import RougeScorer
from rubrica.compat.rouge_score.scoring import (
    AggregateScore,
    BaseScorer,
    BootstrapAggregator,
    Score,
)

__all__ = [
    "AggregateScore",
    "BaseScorer",
    "BootstrapAggregator",
    "RougeScorer",
    "Score",
    "rouge_scorer",
    "scoring",
]
