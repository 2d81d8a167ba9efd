"""Plain callables for evaluation harnesses: a prediction and its references in, a number out.

lm-evaluation-harness takes `scorer("rouge-l.f1")` as a metric function and `process_results(...)` in a
task; inspect takes `inspect_scorer("rouge-l.f1")`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rubrica.compat.measured import measured, metric_of
from rubrica.data.metrics import exact_mean
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric_like import MetricLike


class Scorer:
    """`scorer(prediction, reference)` is one number; of lists, the mean.

    A reference is a text or a list of texts. Keyword arguments named as harnesses name them
    (`predictions`, `references`) work too, and further ones are passed over.
    """

    def __init__(self, measure: str, metric: MetricLike | None = None) -> None:
        self.measure, self.metric = measure, metric_of(measure, metric)
        self.__name__ = measure

    def __call__(self, predictions: Any, references: Any, **_: Any) -> float:
        """The score of one prediction, or the mean over a list of them."""
        if isinstance(predictions, str):
            predictions, references = [predictions], [references]
        return exact_mean(self.scores(predictions, references))

    def scores(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[float | None]:
        """A number for each prediction."""
        return measured(self.metric, [self.measure], predictions, references)[self.measure]


def scorer(measure: str = "rouge-l.f1", metric: MetricLike | None = None) -> Scorer:
    """A callable for one measure; its metric is needed where the measure's name does not tell it."""
    return Scorer(measure, metric)


def process_results(
    measures: Sequence[str], reference: str | Callable[[Any], Any], metric: MetricLike | None = None
) -> Callable[[Any, Sequence[str]], dict[str, float]]:
    """For a task of lm-evaluation-harness: (document, results) -> {measure: number}.

    `reference` is the document's key with the reference, or a function of the document.
    """
    scorers = [Scorer(measure, metric) for measure in measures]

    def process(document: Any, results: Sequence[str]) -> dict[str, float]:
        target = reference(document) if callable(reference) else document[reference]
        return {scorer.measure: scorer(results[0], target) for scorer in scorers}

    return process


def inspect_scorer(measure: str = "rouge-l.f1", metric: MetricLike | None = None) -> Any:
    """A scorer of inspect, with mean and standard error; the target's texts are the references."""
    try:
        from inspect_ai.scorer import Score, mean, scorer, stderr
    except ImportError as error:
        raise MissingResourceError("inspect is not installed: pip install inspect-ai") from error
    ours = Scorer(measure, metric)

    @scorer(metrics=[mean(), stderr()], name=f"rubrica/{measure}")  # type: ignore[untyped-decorator,unused-ignore]
    def make() -> Any:
        async def score(state: Any, target: Any) -> Any:
            answer = state.output.completion
            return Score(value=ours(answer, list(target)), answer=answer)

        return score

    return make()
