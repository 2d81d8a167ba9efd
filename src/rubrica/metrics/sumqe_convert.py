"""Convert SumQE's weights to an encoder's folder with a head of five values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError
from rubrica.metrics.sumqe import HEAD, QUALITIES
from rubrica.neural.convert.bert import bert_state, linear_layers, loaded, plain_names
from rubrica.neural.convert.tf_checkpoint import Arrays, read_listed_arrays, read_named_arrays
from rubrica.neural.running import import_transformers

_LAYER = (
    *("attention/output/LayerNorm/beta", "attention/output/LayerNorm/gamma"),
    *("attention/output/dense/bias", "attention/output/dense/kernel"),
    *("attention/self/key/bias", "attention/self/key/kernel"),
    *("attention/self/query/bias", "attention/self/query/kernel"),
    *("attention/self/value/bias", "attention/self/value/kernel"),
    *("intermediate/dense/bias", "intermediate/dense/kernel"),
    *("output/LayerNorm/beta", "output/LayerNorm/gamma"),
    *("output/dense/bias", "output/dense/kernel"),
)
_EMBEDDINGS = (
    *("LayerNorm/beta", "LayerNorm/gamma"),
    *("position_embeddings", "token_type_embeddings", "word_embeddings"),
)


def convert_sumqe(source: str, base: Path, output: str) -> None:
    """Write the folder `output` atomically; `base` has configuration and tokenizer."""
    transformers = import_transformers()
    config = transformers.AutoConfig.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    path = Path(source)
    if path.suffix == ".npy":
        arrays = _name_arrays(read_listed_arrays(path), config.num_hidden_layers, source)
    else:
        arrays = plain_names(read_named_arrays(path))
    network = loaded(
        transformers.BertModel(config, add_pooling_layer=False),
        {k: v for k, v in bert_state(arrays, source).items() if not k.startswith("pooler.")},
        source,
    )
    weight, bias = _head(arrays, config.hidden_size, source)
    from safetensors.numpy import save_file

    with atomic_folder(output) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file({"weight": weight, "bias": bias}, folder / HEAD)


def _head(arrays: Arrays, width: int, source: str) -> Any:
    """Return the head: Multi-Task-5 has a layer per quality, Multi-Task-1 one layer with five values."""
    together = (width, len(QUALITIES))
    if any(value.shape == together for value in arrays.values()):
        return linear_layers(arrays, together, 1, source)
    return linear_layers(arrays, (width, 1), len(QUALITIES), source)


def _name_arrays(arrays: list[np.ndarray[Any, Any]], layers: int, source: str) -> Arrays:
    """Name the arrays of the published files, which have no names: Keras' order.

    The BERT comes from TensorFlow Hub, which sorts its variables by name (layer 10 before layer 2);
    the heads follow, each with kernel and bias.
    """
    names = [f"bert/embeddings/{name}" for name in _EMBEDDINGS]
    for layer in sorted(range(layers), key=str):
        names += [f"bert/encoder/layer_{layer}/{name}" for name in _LAYER]
    heads = (len(arrays) - len(names)) / 2
    if heads not in (1, len(QUALITIES)):
        raise DataError(
            f"has {len(arrays)} arrays; a BERT of {layers} layers has {len(names)}, and the heads two "
            f"or {2 * len(QUALITIES)} more",
            file=source,
        )
    for head in range(int(heads)):
        names += [f"output_Q{head + 1}/kernel", f"output_Q{head + 1}/bias"]
    return dict(zip(names, arrays, strict=True))
