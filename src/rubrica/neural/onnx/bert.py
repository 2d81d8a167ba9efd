"""Encoders of BERT's kind as ONNX graphs, straight from their weights: one layer, many spellings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.neural.cache import Matrix
from rubrica.neural.onnx.graph import Graph, GraphSession


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a family calls its weights and settings, and what it does differently."""

    layer: str = "encoder.layer.{}."
    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    attended: str = "attention.output.dense"
    attended_norm: str = "attention.output.LayerNorm"
    up: str = "intermediate.dense"
    down: str = "output.dense"
    down_norm: str = "output.LayerNorm"
    # Where embeddings are narrower than the layers.
    widen: str = ""
    heads: str = "num_attention_heads"
    activation: str = "hidden_act"
    relative: str = ""


KINDS = {
    "bert": _Kind(),
    "electra": _Kind(widen="embeddings_project"),
    "roberta": _Kind(),
    "xlm-roberta": _Kind(),
    "camembert": _Kind(),
    "distilbert": _Kind(
        layer="transformer.layer.{}.",
        query="attention.q_lin",
        key="attention.k_lin",
        value="attention.v_lin",
        attended="attention.out_lin",
        attended_norm="sa_layer_norm",
        up="ffn.lin1",
        down="ffn.lin2",
        down_norm="output_layer_norm",
        heads="n_heads",
        activation="activation",
    ),
    "mpnet": _Kind(
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        attended="attention.attn.o",
        attended_norm="attention.LayerNorm",
        relative="encoder.relative_attention_bias",
    ),
    # All layers are one.
    "albert": _Kind(
        layer="encoder.albert_layer_groups.0.albert_layers.0.",
        query="attention.query",
        key="attention.key",
        value="attention.value",
        attended="attention.dense",
        attended_norm="attention.LayerNorm",
        up="ffn",
        down="ffn_output",
        down_norm="full_layer_layer_norm",
        widen="encoder.embedding_hidden_mapping_in",
    ),
}
_ACTIVATIONS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "gelu": ("Gelu", {}),
    "gelu_new": ("Gelu", {"approximate": "tanh"}),
    "gelu_pytorch_tanh": ("Gelu", {"approximate": "tanh"}),
    "relu": ("Relu", {}),
}


def is_known(config: Mapping[str, Any]) -> bool:
    """Whether a graph can be written for a model with this `config.json`."""
    kind = KINDS.get(str(config.get("model_type")))
    return (
        kind is not None
        and config.get("position_embedding_type") in (None, "absolute")
        and config.get(kind.activation, "gelu") in _ACTIVATIONS
        and config.get("num_hidden_groups", 1) == config.get("inner_group_num", 1) == 1
        and not config.get("is_decoder")
    )


class Weights:
    """Float32 arrays by name from safetensors files, read on demand.

    Names are those within the encoder, without any prefix in the files.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        from safetensors import SafetensorError, safe_open

        self._place: dict[str, Any] = {}
        self._file = str(files[0])
        for path in files:
            try:
                file: Any = safe_open(path, framework="numpy")
            except (SafetensorError, OSError) as error:
                raise DataError(f"not a safetensors file: {error}", file=str(path)) from error
            self._place |= dict.fromkeys(file.keys(), file)
        word = "embeddings.word_embeddings.weight"
        full = next((name for name in self._place if name.endswith(word)), word)
        self._before = full.removesuffix(word)

    def __contains__(self, name: str) -> bool:
        return self._before + name in self._place

    def __getitem__(self, name: str) -> Matrix:
        full = self._before + name
        if full not in self._place:
            raise DataError(f"no weights called {full}", file=self._file)
        return np.asarray(self._place[full].get_tensor(full), dtype=np.float32)

    def pair(self, name: str) -> tuple[Matrix, NDArray[np.float32]]:
        """Return weight and bias; norms of old checkpoints call them gamma and beta."""
        old = f"{name}.gamma" in self
        ends = ("gamma", "beta") if old else ("weight", "bias")
        return self[f"{name}.{ends[0]}"], self[f"{name}.{ends[1]}"]


def encoder_session(
    weights: Weights,
    config: Mapping[str, Any],
    states: Sequence[int],
    *,
    int8: bool,
    threads: int | None,
) -> tuple[GraphSession, list[str]]:
    """Return a session for some hidden states, without higher layers, and their names."""
    kind = KINDS[config["model_type"]]
    try:
        heads = int(config[kind.heads])
    except KeyError as error:
        raise DataError(f"config.json: missing {error}") from error
    act, options = _ACTIVATIONS[config.get(kind.activation, "gelu")]
    graph = Graph(int8=int8)
    epsilon = float(config.get("layer_norm_eps", 1e-12))

    def norm(x: str, name: str) -> str:
        hidden_states = [graph.constant(array) for array in weights.pair(name)]
        return graph.op("LayerNormalization", x, *hidden_states, epsilon=epsilon)

    def linear(x: str, name: str) -> str:
        return graph.linear(x, *weights.pair(name))

    hidden = norm(_embedded(graph, weights), "embeddings.LayerNorm")
    if kind.widen and f"{kind.widen}.weight" in weights:
        hidden = linear(hidden, kind.widen)
    bias = _relative_bias(graph, weights, kind.relative, config) if kind.relative else ""
    hidden_states = {0: hidden}
    for layer in range(max(states)):
        at = kind.layer.format(layer)
        names = [at + part for part in (kind.query, kind.key, kind.value)]
        context = _attention(graph, hidden, [weights.pair(name) for name in names], heads, bias)
        attended = linear(context, at + kind.attended)
        hidden = norm(graph.op("Add", hidden, attended), at + kind.attended_norm)
        inner = graph.op(act, linear(hidden, at + kind.up), **options)
        down = linear(inner, at + kind.down)
        hidden = norm(graph.op("Add", hidden, down), at + kind.down_norm)
        hidden_states[layer + 1] = hidden
    outputs = [hidden_states[state] for state in states]
    return graph.session(outputs, threads=threads), outputs


def _embedded(graph: Graph, weights: Weights) -> str:
    places = weights["embeddings.position_embeddings.weight"]
    kinds = "embeddings.token_type_embeddings.weight"
    if kinds in weights:
        # All tokens of a single text are of the first type.
        places = places + weights[kinds][0]
    words = graph.constant(weights["embeddings.word_embeddings.weight"])
    return graph.op(
        "Add",
        graph.op("Gather", words, "input_ids"),
        graph.op("Gather", graph.constant(places), "position_ids"),
    )


def _attention(
    graph: Graph,
    x: str,
    maps: Sequence[tuple[Matrix, NDArray[np.float32]]],
    heads: int,
    bias: str,
) -> str:
    """Return the attention's output for each token."""
    width = len(maps[0][0])
    if width % heads:
        raise DataError(f"{heads} heads do not fit a width of {width}")
    scale = np.float32(1 / math.sqrt(width // heads))
    (query, query_bias), *key_and_value = maps
    scaled = [(query * scale, query_bias * scale), *key_and_value]
    together = graph.linear(
        x, np.concatenate([w for w, _ in scaled]), np.concatenate([b for _, b in scaled])
    )
    # [tokens, 3 x heads x size] -> three times [heads, tokens, size]
    shape = graph.constant(np.array([0, 3 * heads, width // heads]))
    head_values = graph.op("Transpose", graph.op("Reshape", together, shape), perm=[1, 0, 2])
    q, k, v = graph.ops("Split", head_values, outputs=3, axis=0, num_outputs=3)
    scores = graph.op("MatMul", q, graph.op("Transpose", k, perm=[0, 2, 1]))
    if bias:
        scores = graph.op("Add", scores, bias)
    context = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), v)
    flat = graph.constant(np.array([0, width]))
    return graph.op("Reshape", graph.op("Transpose", context, perm=[1, 0, 2]), flat)


def _relative_bias(graph: Graph, weights: Weights, name: str, config: Mapping[str, Any]) -> str:
    """Return what MPNet adds to the attention scores, by distance and head."""
    longest = int(config["max_position_embeddings"])
    table = weights[f"{name}.weight"][_buckets(np.arange(-longest, longest + 1))]
    zero, unit = graph.constant(np.array(0)), graph.constant(np.array(1))
    count = graph.op("Squeeze", graph.op("Shape", "input_ids"))
    place = graph.op("Range", zero, count, unit)
    across, down = (
        graph.op("Unsqueeze", place, graph.constant(np.array([axis]))) for axis in (0, 1)
    )
    index = graph.op("Add", graph.op("Sub", across, down), graph.constant(np.array(longest)))
    return graph.op("Transpose", graph.op("Gather", graph.constant(table), index), perm=[2, 0, 1])


def _buckets(
    distance: NDArray[np.int64], *, count: int = 32, farthest: int = 128
) -> NDArray[np.int64]:
    """Return T5's distance buckets: one for each short distance, logarithmic for long ones."""
    half = count // 2
    exact = half // 2
    size = np.abs(distance)
    # In float32 like torch: rounding matters at powers of two.
    ratio = np.log(np.maximum(size, 1).astype(np.float32) / np.float32(exact))
    ratio = ratio / np.float32(math.log(farthest / exact)) * np.float32(half - exact)
    far = np.minimum(exact + ratio.astype(np.int64), half - 1)
    return np.where(distance > 0, half, 0) + np.where(size < exact, size, far)
