"""Scoring: from instances or files to rows and system scores. `evaluate` and `score` are what to call."""

from rubrica.scoring.api import evaluate as evaluate
from rubrica.scoring.api import score as score
from rubrica.scoring.evaluation import Evaluation as Evaluation
from rubrica.scoring.loop import score_rows as score_rows
from rubrica.scoring.plan import Plan as Plan

__all__ = ["Evaluation", "Plan", "evaluate", "score", "score_rows"]
