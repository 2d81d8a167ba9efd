"""Any encoder as an ONNX file, made once where torch is, for machines where it is not."""

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

# What a machine without torch needs beside the graph.
_FILES = ("config.json", "tokenizer*.json", "special_tokens_map.json")
_OPSET = 17
# A file of this format cannot pass 2 GiB: weights of larger models stand beside it.
_LARGEST = 1 << 30


def export_encoder(checkpoint: Checkpoint, folder: Path, *, largest: int = _LARGEST) -> None:
    """A folder with `config.json`, tokenizer and `onnx/model.onnx`, whose outputs are all hidden states."""
    if folder.exists():
        raise ParameterError(f"{folder} is there already; give the name of a new folder")
    try:
        import onnx
    except ImportError as error:
        raise MissingResourceError(
            "an ONNX file is made with onnx: pip install 'rubrica[onnx]'"
        ) from error
    torch = import_torch()
    encoder = Encoder(checkpoint, Settings(device="cpu"))
    # The tokenizer in the form that is read without transformers.
    tokenizer = encoder.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise DataError(
            f"its tokenizer ({type(tokenizer).__name__}) cannot be saved as tokenizer.json",
            file=str(checkpoint.folder),
        )
    with atomic_folder(folder) as made, tempfile.TemporaryDirectory() as place:
        tokenizer.save_pretrained(made)
        for pattern in _FILES:
            for file in checkpoint.folder.glob(pattern):
                if not (made / file.name).exists():
                    shutil.copyfile(file, made / file.name)
        _trace(torch, encoder, Path(place) / "model.onnx")
        graph = onnx.load(Path(place) / "model.onnx")
        (made / "onnx").mkdir()
        apart = sum(len(one.raw_data) for one in graph.graph.initializer) > largest
        onnx.save_model(
            graph,
            made / "onnx" / "model.onnx",
            save_as_external_data=apart,
            location="model.onnx_data" if apart else None,
        )


def _trace(torch: Any, encoder: Encoder, file: Path) -> None:
    """Write the graph that torch follows on a short text."""
    network = encoder.whole_network()

    class States(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            made = self.network(
                input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
            )
            return tuple(made.hidden_states)

    ids, mask = encoder.padded([encoder.token_ids(["A short text."])[0]])
    names = [f"hidden_states.{layer}" for layer in range(encoder.layers + 1)]
    axes = {name: {0: "texts", 1: "tokens"} for name in ("input_ids", "attention_mask", *names)}
    with torch.inference_mode(), warnings.catch_warnings():
        # The tracer warns of every branch; that the graph is right is checked by what it computes.
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
