"""How models run: device, number type, threads, batch size, cache folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

from rubrica.data.resource import data_root
from rubrica.errors import MissingResourceError, ParameterError

Dtype = Literal["float32", "bfloat16", "float16"]
Backend = Literal["torch", "onnx", "onnx-int8"]
NO_CACHE = "off"
_NEEDS_TORCH = (
    "models need torch and transformers: pip install 'rubrica[neural]' (bertscore, moverscore and supert "
    "also run without them, on ONNX Runtime: pip install 'rubrica[onnx]')"
)


class InferenceOptions(TypedDict, total=False):
    """Options of every metric with a model; only `device` and `dtype` affect scores.

    Args:
        device: Where the model runs, such as cpu, cuda, cuda:1 or mps; null takes a GPU where there is one.
        dtype: Number type of the model; null is float32.
        threads: CPU threads of the model; null leaves it to torch (and OMP_NUM_THREADS).
        batch_tokens: Tokens in a batch, padding included; null is 1024 on a CPU and 16384 on a GPU.
        cache_dir: Folder of the cache on disk; null is one in the user's cache folder, off is none.
    """

    device: str | None
    dtype: Dtype | None
    threads: int | None
    batch_tokens: int | None
    cache_dir: str | None


@dataclass(frozen=True, slots=True)
class Settings:
    """Validated `InferenceOptions` with defaults."""

    device: str | None = None
    dtype: Dtype | None = None
    threads: int | None = None
    batch_tokens: int | None = None
    cache_dir: str | None = None
    backend: Backend = "torch"

    def __post_init__(self) -> None:
        if self.backend != "torch" and self.dtype not in (None, "float32"):
            raise ParameterError(
                f"backend {self.backend} computes in float32 (onnx) or int8 (onnx-int8); "
                f"dtype {self.dtype} is for backend torch"
            )
        for name in ("threads", "batch_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ParameterError(f"{name} must be at least 1, not {value}")

    def resolved_device(self) -> str:
        """Return the device to use; None is resolved by asking torch."""
        if self.backend != "torch":
            if self.device not in (None, "cpu"):
                raise ParameterError(
                    f"backend {self.backend} runs on the CPU; device {self.device!r} is for backend torch"
                )
            return "cpu"
        torch = import_torch()
        if self.device is None:
            if torch.cuda.is_available():
                return "cuda"
            return "mps" if torch.backends.mps.is_available() else "cpu"
        try:
            device = torch.device(self.device)
        except RuntimeError as error:
            raise ParameterError(
                f"unknown device {self.device!r}; use cpu, cuda, cuda:0 or mps"
            ) from error
        usable = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}
        if device.type in usable and not usable[device.type]():
            raise ParameterError(f'device {self.device!r} is not available; use `device="cpu"`')
        return self.device

    def number_type(self) -> Dtype | Literal["int8"]:
        """Return the model's number type."""
        return "int8" if self.backend == "onnx-int8" else self.dtype or "float32"

    def budget(self) -> int:
        """Return the number of tokens in a batch."""
        return self.batch_tokens or (1024 if self.resolved_device() == "cpu" else 16384)

    def cache_folder(self) -> Path | None:
        """Return the folder of the cache on disk, if any."""
        if self.cache_dir == NO_CACHE:
            return None
        if self.cache_dir is not None:
            return Path(self.cache_dir).expanduser()
        return data_root() / "model-results"


def default_backend() -> Backend:
    """Return `torch` if it is installed, else `onnx` if ONNX Runtime is."""
    with_torch = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
    return "onnx" if not with_torch and importlib.util.find_spec("onnxruntime") else "torch"


def import_torch() -> Any:
    """Return torch, or raise a `MissingResourceError` with the command that installs it."""
    try:
        import torch
    except ImportError as error:
        raise MissingResourceError(_NEEDS_TORCH) from error
    return torch


def import_transformers() -> Any:
    """Return transformers without logging, or raise a `MissingResourceError` with the install command."""
    try:
        import transformers
    except ImportError as error:
        raise MissingResourceError(_NEEDS_TORCH) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


@contextmanager
def inference(settings: Settings) -> Iterator[Any]:
    """Disable gradients and set the threads of torch; restore the number of threads afterwards.

    Does nothing for ONNX Runtime, which has no gradients and whose sessions have their own threads.
    """
    if settings.backend != "torch":
        yield None
        return
    torch = import_torch()
    before = torch.get_num_threads()
    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    try:
        with torch.inference_mode():
            yield torch
    finally:
        if settings.threads is not None:
            torch.set_num_threads(before)
