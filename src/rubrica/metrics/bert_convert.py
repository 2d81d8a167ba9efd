"""From BERT's weights as TensorFlow names them to a transformers checkpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError
from rubrica.metrics.sumqe import HEAD
from rubrica.text.named_arrays import Arrays, read_named_arrays
from rubrica.text.running import import_torch, import_transformers

Floats = NDArray[np.float32]

_LAYER = {
    "attention/self/query": "attention.self.query",
    "attention/self/key": "attention.self.key",
    "attention/self/value": "attention.self.value",
    "attention/output/dense": "attention.output.dense",
    "attention/output/LayerNorm": "attention.output.LayerNorm",
    "intermediate/dense": "intermediate.dense",
    "output/dense": "output.dense",
    "output/LayerNorm": "output.LayerNorm",
}
_PARTS = {"kernel": "weight", "gamma": "weight", "bias": "bias", "beta": "bias"}


def convert_bleurt(source: str, output: str) -> None:
    """A classifier with one output from BLEURT's folder (`variables/`, `bert_config.json`, `vocab.txt`)."""
    transformers = import_transformers()
    folder = Path(source)
    for name in ("bert_config.json", "vocab.txt"):
        if not (folder / name).is_file():
            raise DataError(
                f"no {name}: not a BLEURT checkpoint of the BERT kind (BLEURT-20 is a RemBERT, which "
                "is not converted)",
                file=source,
            )
    arrays = _plain_names(read_named_arrays(folder))
    config = transformers.BertConfig.from_json_file(str(folder / "bert_config.json"))
    config.num_labels = 1
    state = {f"bert.{name}": value for name, value in bert_state(arrays, source).items()}
    kernel, bias = _head(arrays, (config.hidden_size, 1), source)
    state |= {"classifier.weight": kernel, "classifier.bias": bias}
    network = _loaded(transformers.BertForSequenceClassification(config), state, source)
    longest = _longest(folder)
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=longest)
    with atomic_folder(output) as made:
        network.save_pretrained(made)
        tokenizer.save_pretrained(made)


def convert_sumqe(source: str, base: Path, output: str) -> None:
    """An encoder with a head of five values from SumQE's weights; `base` has configuration and tokenizer."""
    transformers = import_transformers()
    arrays = _plain_names(read_named_arrays(Path(source)))
    config = transformers.AutoConfig.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    network = _loaded(
        transformers.BertModel(config, add_pooling_layer=False),
        {k: v for k, v in bert_state(arrays, source).items() if not k.startswith("pooler.")},
        source,
    )
    kernel, bias = _head(arrays, (config.hidden_size, 5), source)
    from safetensors.numpy import save_file

    with atomic_folder(output) as made:
        network.save_pretrained(made)
        tokenizer.save_pretrained(made)
        save_file({"weight": np.ascontiguousarray(kernel), "bias": bias}, made / HEAD)


def bert_state(arrays: Mapping[str, NDArray[Any]], source: str) -> dict[str, Floats]:
    """The encoder's weights under the names of transformers."""
    made: dict[str, Floats] = {}
    for name, value in arrays.items():
        ours = _name(name)
        if ours is not None:
            # TensorFlow's kernels are [in, out].
            turned = value.T if name.endswith("/kernel") else value
            made[ours] = np.ascontiguousarray(turned, dtype=np.float32)
    if "embeddings.word_embeddings.weight" not in made:
        raise DataError("has no weights of a BERT (bert/embeddings/word_embeddings)", file=source)
    return made


def _name(name: str) -> str | None:
    if not name.startswith("bert/"):
        return None
    path = name.removeprefix("bert/")
    embeddings = re.fullmatch(r"embeddings/(word|position|token_type)_embeddings", path)
    if embeddings:
        return f"embeddings.{embeddings[1]}_embeddings.weight"
    place, _, part = path.rpartition("/")
    if part not in _PARTS:
        return None
    if place in ("embeddings/LayerNorm", "pooler/dense"):
        return f"{place.replace('/', '.')}.{_PARTS[part]}"
    layer = re.fullmatch(r"encoder/layer_(\d+)/(.+)", place)
    if layer and layer[2] in _LAYER:
        return f"encoder.layer.{layer[1]}.{_LAYER[layer[2]]}.{_PARTS[part]}"
    return None


def _plain_names(arrays: Arrays) -> Arrays:
    """Without what stands before `bert/` (modules of TF-Hub and Keras) and without `:0`."""
    made: Arrays = {}
    for name, value in arrays.items():
        plain = re.sub(r":\d+$", "", name)
        before, found, after = plain.rpartition("bert/")
        made[
            "bert/" + after if found and not before.endswith(("adam_m/", "adam_v/")) else plain
        ] = value
    return made


def _head(arrays: Arrays, shape: tuple[int, int], source: str) -> tuple[Floats, Floats]:
    """The one linear layer outside of the BERT with that shape, as [out, in], and its bias."""
    outside = {
        n: a for n, a in arrays.items() if not n.startswith("bert/") and "adam" not in n.lower()
    }
    kernels = [n for n, a in outside.items() if a.shape == shape and n.endswith("kernel")]
    if len(kernels) != 1:
        raise DataError(
            f"has {len(kernels)} linear layers of shape {shape} outside of the BERT, not one: "
            f"{', '.join(sorted(outside)[:8])}",
            file=source,
        )
    bias = outside.get(kernels[0].removesuffix("kernel") + "bias")
    if bias is None or bias.shape != shape[1:]:
        raise DataError(f"{kernels[0]} has no bias beside it", file=source)
    kernel: Floats = np.ascontiguousarray(outside[kernels[0]].T, dtype=np.float32)
    return kernel, np.ascontiguousarray(bias, dtype=np.float32)


def _loaded(network: Any, state: Mapping[str, Floats], source: str) -> Any:
    torch = import_torch()
    tensors = {name: torch.from_numpy(value.copy()) for name, value in state.items()}
    try:
        missing, unexpected = network.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise DataError(f"does not fit its configuration: {error}", file=source) from error
    lost = [name for name in missing if "position_ids" not in name]
    if lost or unexpected:
        raise DataError(
            f"does not fit its configuration: {len(lost)} weights are missing ({', '.join(lost[:3])}), "
            f"{len(unexpected)} are unknown ({', '.join(unexpected[:3])})",
            file=source,
        )
    return network.eval()


def _longest(folder: Path) -> int:
    import json

    config = folder / "bleurt_config.json"
    if not config.is_file():
        return 128
    try:
        return int(json.loads(config.read_text("utf-8"))["max_seq_length"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("has no max_seq_length", file=str(config)) from error
