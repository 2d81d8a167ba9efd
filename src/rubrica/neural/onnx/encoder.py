"""The encoder on ONNX Runtime: one text at a time, so that vectors do not depend on batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.cache import Matrix
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.onnx.bert import KINDS, Weights, encoder_session, is_known
from rubrica.neural.onnx.graph import GraphSession, import_onnxruntime
from rubrica.neural.positions import token_positions
from rubrica.neural.running import Settings
from rubrica.neural.tokenizer_file import FileTokenizer


def encoder_for(checkpoint: Checkpoint, settings: Settings, **options: Any) -> Encoder:
    """Return the encoder of the backend in the settings."""
    kind = Encoder if settings.backend == "torch" else OnnxEncoder
    return kind(checkpoint, settings, **options)


class OnnxEncoder(Encoder):
    """Token vectors like those of `Encoder`, without torch and transformers.

    For BERT-like models the graph is built from the weights, otherwise it is read from the
    checkpoint's `onnx/model.onnx`.
    """

    @property
    def tokenizer(self) -> Any:
        """The checkpoint's tokenizer."""
        if self._tokenizer is None:
            self._tokenizer = FileTokenizer(self.checkpoint)
        return self._tokenizer

    @property
    def network(self) -> Any:
        """The graph that computes the requested hidden states."""
        if self._network is None:
            self._network = self._loaded()
        return self._network

    def _loaded(self) -> _States:
        import_onnxruntime()
        layered = self.pooling == "layer"
        states = [self.layer] if layered else range(self.layers + 1)[-self.layer :]
        config, int8 = self.config, self.settings.backend == "onnx-int8"
        files = self.checkpoint.weight_files()
        if is_known(config) and files[0].suffix == ".safetensors":
            session, outputs = encoder_session(
                Weights(files), config, states, int8=int8, threads=self.settings.threads
            )
            return _States(session, outputs, config)
        file = self.checkpoint.onnx_file()
        name, model_type = self.checkpoint.name, config.get("model_type")
        if file is None:
            raise MissingResourceError(
                f"{name}: backend onnx builds the graphs of {', '.join(KINDS)} from model.safetensors; "
                f"this {model_type} needs onnx/model.onnx in its folder. Create it where torch is installed: "
                f"rubrica setup-metric bertscore --model {name} --export-onnx FOLDER"
            )
        if int8:
            raise DataError(
                "onnx-int8 cannot quantize a ready graph, only models whose graph is built from their weights "
                f"({', '.join(KINDS)})",
                file=str(file),
            )
        session = GraphSession(str(file), threads=self.settings.threads)
        return _States(session, self._named(session.outputs, states, file))

    def _named(self, outputs: Sequence[str], states: Sequence[int], file: Path) -> list[str]:
        state_of = {f"hidden_states.{state}": state for state in range(self.layers + 1)}
        names = {state_of[name]: name for name in outputs if name in state_of}
        for name in ("last_hidden_state", "token_embeddings"):
            if name in outputs:
                names.setdefault(self.layers, name)
        missing = [state for state in states if state not in names]
        if missing:
            raise DataError(
                f"has no output for layer {missing[0]} (it has {', '.join(outputs)}); outputs must be called "
                "hidden_states.N, as in files of rubrica setup-metric --export-onnx",
                file=str(file),
            )
        return [names[state] for state in states]

    def _forward(self, rows: Sequence[Sequence[int]]) -> list[Matrix]:
        matrices = []
        for row in rows:
            if not row:
                matrices.append(np.zeros((0, 1), dtype=np.float32))
                continue
            states = self.network.of(np.array(row, dtype=np.int64))
            matrices.append(states[0] if self.pooling == "layer" else _power_means(states))
        return matrices


class _States:
    """Computes the hidden states of one text with a session."""

    def __init__(
        self, session: GraphSession, outputs: Sequence[str], config: dict[str, Any] | None = None
    ) -> None:
        self._session, self._outputs, self._config = session, outputs, config

    def of(self, ids: NDArray[np.int64]) -> list[Matrix]:
        """Return the matrices [tokens, width] of the requested states."""
        if self._config is not None:
            places = token_positions(ids.tolist(), self._config)
            return self._session.run(self._outputs, {"input_ids": ids, "position_ids": places})
        inputs = {
            "input_ids": ids[None],
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
            "token_type_ids": np.zeros((1, len(ids)), dtype=np.int64),
        }
        unknown = set(self._session.inputs) - set(inputs)
        if unknown:
            raise DataError(f"the ONNX graph has unknown inputs: {', '.join(unknown)}")
        arrays = {name: inputs[name] for name in self._session.inputs}
        return [output[0] for output in self._session.run(self._outputs, arrays)]


def _power_means(states: Sequence[Matrix]) -> Matrix:
    stacked = np.stack([state / np.linalg.norm(state, axis=-1, keepdims=True) for state in states])
    return np.concatenate([stacked.min(0), stacked.mean(0), stacked.max(0)], axis=-1)
