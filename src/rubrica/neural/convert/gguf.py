"""Convert a language model in a GGUF file to a transformers checkpoint, once."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from rubrica.data.files import atomic_folder
from rubrica.errors import MissingResourceError
from rubrica.neural.running import import_transformers


def convert_gguf(file: Path, target: Path, say: Callable[[str], None]) -> None:
    """Write the model of a GGUF file, with its tokenizer, as a checkpoint with float32 weights."""
    if not _has_reader():
        raise MissingResourceError("reading a GGUF file needs gguf: pip install --no-deps gguf")
    transformers = import_transformers()
    say(f"{file.name}: converting (a minute or two, once)")
    place = {"gguf_file": file.name, "local_files_only": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(file.parent), **place)
    network = transformers.AutoModelForCausalLM.from_pretrained(str(file.parent), **place)
    # The weights are plain numbers now; transformers refuses to save what it calls quantized.
    network.hf_quantizer = None
    network.is_quantized = False
    if hasattr(network.config, "quantization_config"):
        del network.config.quantization_config
    with atomic_folder(target) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _has_reader() -> bool:
    return importlib.util.find_spec("gguf") is not None
