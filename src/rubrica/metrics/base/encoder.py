"""Base of metrics whose only model is an encoder, on torch or ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Unpack

from rubrica.metrics.base.metric import Say
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.neural.checkpoint import MINILM, find_checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.onnx.encoder import encoder_for
from rubrica.neural.running import Backend, InferenceOptions, default_backend

# Limits on pairs and on bytes of text whose vectors are in memory at the same time.
PAIRS_AT_ONCE = 2048
BYTES_AT_ONCE = 1 << 20


def pair_chunks(left: Sequence[str], right: Sequence[str]) -> Iterator[slice]:
    """Yield slices of pairs whose distinct texts fit in memory.

    A byte of text has at most one token, and a token a vector of kilobytes; a pair that is too long
    by itself has its own run.
    """
    start, total, seen = 0, 0, set[str]()
    for at, pair in enumerate(zip(left, right, strict=True)):
        new = {text for text in pair if text not in seen}
        size = sum(len(text.encode()) for text in new)
        if at > start and (at - start == PAIRS_AT_ONCE or total + size > BYTES_AT_ONCE):
            yield slice(start, at)
            start, total, seen = at, 0, set()
            new = set(pair)
            size = sum(len(text.encode()) for text in new)
        seen |= new
        total += size
    if start < len(left):
        yield slice(start, len(left))


class EncoderMetric(NeuralMetric, abstract=True):
    """A metric with one encoder, named by the parameter `model_type`."""

    onnx_packages: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("onnxruntime", "onnx", "tokenizers", "safetensors"), "onnx"
    )
    model_type: str
    original_model: ClassVar[str] = ""

    def __init__(self, *, backend: Backend | None, **running: Unpack[InferenceOptions]) -> None:
        super().__init__(**running)
        self.settings = replace(self.settings, backend=backend or default_backend())

    @classmethod
    def needed_packages(cls) -> Mapping[str, str]:
        """Return the packages for torch, or those for ONNX Runtime if only that is installed."""
        if default_backend() == "torch":
            return cls.packages
        others = {k: v for k, v in cls.packages.items() if k not in NeuralMetric.packages}
        return {**cls.onnx_packages, **others}

    @classmethod
    def export_onnx(cls, model: str | None, folder: str, *, say: Say) -> None:
        """Export the encoder to a folder that the onnx backend reads; needs torch."""
        from rubrica.neural.onnx.export import export_encoder

        name = model or cls(**{}).checkpoint_names()["model_type"]
        checkpoint = find_checkpoint(name, remedy=f"rubrica setup-metric {cls.name} --model {name}")
        export_encoder(checkpoint, Path(folder))
        say(f"{checkpoint.name}: written as an ONNX graph, {folder}")

    def substitution(self, *, systems: bool = True) -> str:
        """Say that the default model is not the original's."""
        if self.model_type != MINILM.name or "model_type" in self._parameters:
            return ""
        return f"{self.label} uses {MINILM.name}; the original uses {self.original_model}"

    def checkpoint_names(self) -> Mapping[str, str]:
        """Return the checkpoint of the encoder."""
        return {"model_type": self.model_type}

    def encoder_with(self, **options: Any) -> Encoder:
        """Return the encoder on the chosen backend, created once."""
        return self.model("model_type", Encoder, make=encoder_for, **options)

    def signature_parameters(self) -> dict[str, str]:
        """Return the parameters of metrics with models, and the backend that computes the vectors."""
        parameters = super().signature_parameters()
        # At the same position whether chosen or detected.
        parameters.pop("backend", None)
        return {**parameters, "backend": self.settings.backend}
