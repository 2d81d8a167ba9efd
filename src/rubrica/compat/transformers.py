"""Rubrica's metrics in training loops of transformers: `compute_metrics` for a Trainer, and a callback.

trainer = Seq2SeqTrainer(..., compute_metrics=compute_metrics(tokenizer, ["rouge", "chrf"]))
trainer.add_callback(SummaryCallback(generate, documents, references, ["rouge"]))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rubrica.data.measures import shown_measures
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric_like import MetricLike
from rubrica.scoring.accumulator import Accumulator
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.intervals import Resampling

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise MissingResourceError("transformers is not installed: pip install transformers") from error


def compute_metrics(
    tokenizer: Any,
    metrics: Sequence[MetricLike] = ("rouge",),
    *,
    measures: Sequence[str] | None = None,
    intervals: bool = False,
) -> Callable[[Any], dict[str, float]]:
    """Return a function for a Trainer's `compute_metrics`: it decodes predictions and labels, and scores them.

    Args:
        tokenizer: What decodes token ids; padding and the label -100 are left out.
        metrics: Metrics, their names or their configurations; they are scored against references.
        measures: Only these measures (default: F of each).
        intervals: Add the bounds as NAME_lower and NAME_upper, from 1,000 bootstrap rounds.
    """
    resampling = Resampling() if intervals else Resampling(0)

    def compute(prediction: Any) -> dict[str, float]:
        predicted = prediction.predictions
        predicted = predicted[0] if isinstance(predicted, tuple) else predicted
        if predicted.ndim == 3:
            # Logits of a Trainer without predict_with_generate.
            predicted = predicted.argmax(-1)
        scores = Accumulator(metrics, resampling=resampling)
        scores.update(
            _texts(tokenizer, predicted), references=_texts(tokenizer, prediction.label_ids)
        )
        return flat_scores(scores.compute(), measures, intervals=intervals)

    return compute


def _texts(tokenizer: Any, ids: Any) -> list[str]:
    padding = tokenizer.pad_token_id or 0
    cleaned = np.where(np.asarray(ids) < 0, padding, ids)
    return [text.strip() for text in tokenizer.batch_decode(cleaned, skip_special_tokens=True)]


def flat_scores(
    evaluation: Evaluation, measures: Sequence[str] | None = None, *, intervals: bool = False
) -> dict[str, float]:
    """Return measures and values as loggers take them: `rouge-1.f1` becomes `rouge-1_f1`."""
    scores = evaluation.overall.scores
    flat: dict[str, float] = {}
    for name in measures or shown_measures(list(scores)):
        key, interval = name.replace(".", "_"), scores[name]
        flat[key] = interval.value
        if intervals and interval.lower is not None and interval.upper is not None:
            flat[f"{key}_lower"], flat[f"{key}_upper"] = interval.lower, interval.upper
    return flat


class SummaryCallback(TrainerCallback):  # type: ignore[misc,unused-ignore]
    """Generate and score summaries whenever a Trainer evaluates; scores are logged with its metrics.

    Args:
        generate: A function of the model and a list of documents that returns their summaries.
        documents: Documents to summarize.
        references: A reference, or a list of references, for each document.
        metrics: Metrics, their names or their configurations.
        prefix: Before the names of the measures in the log.
    """

    def __init__(
        self,
        generate: Callable[[Any, Sequence[str]], Sequence[str]],
        documents: Sequence[str],
        references: Sequence[Any],
        metrics: Sequence[MetricLike] = ("rouge",),
        *,
        prefix: str = "eval_",
    ) -> None:
        self._generate, self._documents, self._references = generate, documents, references
        self._metrics, self._prefix = metrics, prefix
        self.evaluations: list[Evaluation] = []

    def on_evaluate(self, args: Any, state: Any, control: Any, **context: Any) -> None:
        """Score summaries of the model as it is now."""
        scores = Accumulator(self._metrics)
        summaries = self._generate(context["model"], self._documents)
        scores.update(
            summaries, references=self._references, documents=[[d] for d in self._documents]
        )
        self.evaluations.append(scores.compute())
        values = flat_scores(self.evaluations[-1])
        named = {f"{self._prefix}{name}": value for name, value in values.items()}
        context.get("metrics", {}).update(named)
        state.log_history.append({"step": state.global_step, **named})
