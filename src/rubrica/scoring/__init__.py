"""Scoring: from instances or files to rows and system scores. `evaluate` and `score` are what to call."""

from __future__ import annotations

from rubrica.lazy import lazy_names

_PUBLIC = {
    "Evaluation": "rubrica.scoring.evaluation:Evaluation",
    "Plan": "rubrica.scoring.plan:Plan",
    "evaluate": "rubrica.scoring.api:evaluate",
    "score": "rubrica.scoring.api:score",
    "score_rows": "rubrica.scoring.loop:score_rows",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
