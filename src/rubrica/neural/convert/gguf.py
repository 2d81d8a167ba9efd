"""Convert a language model in a GGUF file to a transformers checkpoint, once."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from rubrica.data.files import atomic_folder
from rubrica.errors import MissingResourceError
from rubrica.neural.running import import_transformers

# transformers reads with gguf and accelerate, which imports psutil.
_READERS = ("gguf", "accelerate", "psutil")


def convert_gguf(file: Path, target: Path, say: Callable[[str], None]) -> None:
    """Write the model of a GGUF file, with its tokenizer, as a checkpoint with float32 weights."""
    if missing := missing_readers():
        raise MissingResourceError(
            f"reading a GGUF file needs {', '.join(missing)}: pip install --no-deps {' '.join(missing)}"
        )
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


def missing_readers() -> list[str]:
    """Return the packages that transformers needs to read a GGUF file and that are not installed."""
    return [name for name in _READERS if importlib.util.find_spec(name) is None]
