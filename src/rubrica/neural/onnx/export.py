"""Export an encoder as an ONNX file, for machines without torch."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError, MissingResourceError, ParameterError
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.running import Settings, import_torch

# Files that a machine without torch needs besides the graph.
_FILES = ("config.json", "tokenizer*.json", "special_tokens_map.json")
_OPSET = 17
# ONNX files are limited to 2 GiB: larger models have their weights in a separate file.
_LARGEST = 1 << 30


def export_encoder(checkpoint: Checkpoint, folder: Path, *, largest: int = _LARGEST) -> None:
    """Write a folder with `config.json`, tokenizer and `onnx/model.onnx`; it outputs all hidden states."""
    if folder.exists():
        raise ParameterError(f"{folder} already exists; pass the name of a new folder")
    try:
        import onnx
    except ImportError as error:
        raise MissingResourceError("the export needs onnx: pip install 'rubrica[onnx]'") from error
    torch = import_torch()
    encoder = Encoder(checkpoint, Settings(device="cpu"))
    # Save the tokenizer in a form that can be read without transformers.
    tokenizer = encoder.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise DataError(
            f"the tokenizer ({type(tokenizer).__name__}) cannot be saved as tokenizer.json",
            file=str(checkpoint.folder),
        )
    with atomic_folder(folder) as target, tempfile.TemporaryDirectory() as place:
        tokenizer.save_pretrained(target)
        for pattern in _FILES:
            for file in checkpoint.folder.glob(pattern):
                if not (target / file.name).exists():
                    shutil.copyfile(file, target / file.name)
        _trace(torch, encoder, Path(place) / "model.onnx")
        graph = onnx.load(Path(place) / "model.onnx")
        (target / "onnx").mkdir()
        apart = sum(len(tensor.raw_data) for tensor in graph.graph.initializer) > largest
        onnx.save_model(
            graph,
            target / "onnx" / "model.onnx",
            save_as_external_data=apart,
            location="model.onnx_data" if apart else None,
        )


def _trace(torch: Any, encoder: Encoder, file: Path) -> None:
    """Write the graph that torch traces on a short text."""
    network = encoder.whole_network()

    class States(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            output = self.network(
                input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
            )
            return tuple(output.hidden_states)

    ids, mask = encoder.padded([encoder.token_ids(["A short text."])[0]])
    names = [f"hidden_states.{layer}" for layer in range(encoder.layers + 1)]
    axes = {name: {0: "texts", 1: "tokens"} for name in ("input_ids", "attention_mask", *names)}
    with torch.inference_mode(), warnings.catch_warnings():
        # The tracer warns of every branch; tests check the outputs of the graph.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            States().eval(),
            (ids, mask),
            str(file),
            input_names=["input_ids", "attention_mask"],
            output_names=names,
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )
