"""Base of metrics with a model: device, checkpoint lookup, signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, Unpack

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.metrics.base.bases import DocumentBasedMetric
from rubrica.metrics.base.metric import Metric, Say, must_override
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint
from rubrica.neural.model import Model
from rubrica.neural.running import InferenceOptions, Settings
from rubrica.parameters import parameters_of
from rubrica.signature import value_text

M = TypeVar("M", bound=Model)

# They affect where and how fast the model runs, not its results: not part of signatures.
_NOT_SIGNED = ("threads", "batch_tokens", "cache_dir")


class NeuralMetric(Metric, abstract=True):
    """A metric with one model or several, each loaded when the first summary is scored.

    Constructors pass `**running` on and name their checkpoints in `checkpoint_names`.
    """

    runs_a_model = True

    packages: ClassVar[Mapping[str, str]] = {
        "torch": "neural",
        "transformers": "neural",
        "safetensors": "neural",
    }
    parallel = "device"
    # Parameters that signatures show at their default too, because the original does something else.
    always_signed: ClassVar[Sequence[str]] = ()
    # How to get its checkpoints, if not from the hub.
    remedy: ClassVar[str] = ""

    def __init__(self, **running: Unpack[InferenceOptions]) -> None:
        super().__init__()
        self.settings = Settings(**running)
        self._models: dict[str, Model] = {}

    @classmethod
    def set_up(cls, model: str | None, *, source: str | None, offline: bool, say: Say) -> None:
        """Fetch `model` (or copy it from `source`); without one, what the metric's defaults need."""
        from rubrica.neural.fetching import fetch_model

        names = [model] if model is not None else list(cls(**{}).checkpoint_names().values())
        own = {parameter.default for parameter in parameters_of(cls)}
        for name in names:
            # The hub has no checkpoint under the metric's own name; it must be converted first.
            converted = bool(cls.remedy) and "/" not in name and name in own
            fetch_model(
                name,
                source=source,
                offline=offline or converted,
                say=say,
                remedy=cls.remedy
                if converted
                else f"rubrica setup-metric {cls.name} --model {name}",
            )

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoints it uses: parameter -> name or folder."""
        raise NotImplementedError

    def checkpoint(self, parameter: str) -> Checkpoint:
        """Return the checkpoint of a parameter, or raise `MissingResourceError` with how to get it."""
        name = self.checkpoint_names()[parameter]
        fetch = f"rubrica setup-metric {self.label} --model {name} (needs the network)"
        remedy = f"{self.remedy or fetch}, or set the parameter {parameter} to a folder (-m {self.label},{parameter}=FOLDER)"
        return find_checkpoint(name, remedy=remedy)

    def model(
        self, parameter: str, kind: type[M], *, make: Callable[..., M] | None = None, **options: Any
    ) -> M:
        """Return the model of a parameter's checkpoint, created once (by `make` if given, else by `kind`)."""
        if parameter not in self._models:
            factory = make or kind
            self._models[parameter] = factory(self.checkpoint(parameter), self.settings, **options)
        model = self._models[parameter]
        assert isinstance(model, kind)
        return model

    def release(self) -> None:
        """Release the memory of its models; the next summary loads them again."""
        for model in self._models.values():
            model.release()
        self._models.clear()

    def signature_parameters(self) -> dict[str, str]:
        """Return the choices, each checkpoint with its weights' digest and tokenizer, device and number type."""
        parameters = super().signature_parameters()
        values = self.parameters()
        parameters |= {
            name: value_text(values[name]) for name in self.always_signed if name in values
        }
        for name in (*_NOT_SIGNED, *self.checkpoint_names(), "device", "dtype"):
            parameters.pop(name, None)
        checkpoints: dict[str, str] = {}
        for parameter in self.checkpoint_names():
            checkpoint = self.checkpoint(parameter)
            checkpoints[parameter] = checkpoint.name
            checkpoints[f"{parameter}_weights"] = checkpoint.weights_digest()
            checkpoints[f"{parameter}_tokenizer"] = checkpoint.tokenizer_kind()
        device = self.settings.resolved_device().partition(":")[0]
        return {**checkpoints, **parameters, "device": device, "dtype": self.settings.number_type()}


class NeuralDocumentMetric(NeuralMetric, DocumentBasedMetric, abstract=True):
    """Scores summaries against their documents, all of a call at once.

    An author writes `score_flat`: summaries, and the documents of each at the same place.
    """

    required_overrides = ("score_flat",)

    @must_override
    def score_flat(
        self, summaries: Sequence[SummaryType], documents: Sequence[Sequence[DocumentType]]
    ) -> Sequence[Mapping[str, Any]]:
        """Return the scores of each summary."""
        raise TypeError(f"{type(self).__name__} does not define score_flat")

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        documents_list: Sequence[Sequence[DocumentType]],
    ) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list against its own documents."""
        rows = [
            (summary, documents)
            for summaries, documents in self._rows((summaries_list, documents_list))
            for summary in summaries
        ]
        scored = iter(
            self.score_flat([summary for summary, _ in rows], [documents for _, documents in rows])
        )
        return [[MetricsDict(next(scored)) for _ in summaries] for summaries in summaries_list]


def document_text(documents: Sequence[DocumentType]) -> str:
    """Return all documents as one text: sentences joined by blanks, documents by empty lines."""
    return "\n\n".join(text for document in documents if (text := flatten(document).strip()))


def harmonic_mean(a: float, b: float) -> float:
    """F1 of a precision and a recall; 0 where their sum is 0."""
    return 2 * a * b / (a + b) if a + b else 0.0
