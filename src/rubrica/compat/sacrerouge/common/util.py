"""Small helpers of SacreROUGE: temporary folders, logging, packages with all their modules, downloads."""

from __future__ import annotations

import importlib
import logging
import os
import pkgutil
import shutil
import sys
import tempfile
import urllib.request

from rubrica.data.instance import flatten
from rubrica.errors import MissingResourceError

__all__ = [
    "TemporaryDirectory",
    "command_exists",
    "download_file_from_google_drive",
    "download_url_to_file",
    "flatten",
    "import_module_and_submodules",
    "prepare_global_logging",
]


class TemporaryDirectory:
    """A folder that is removed at the end of the block, unless `persist`."""

    def __init__(self, root: str | None = None, persist: bool = False) -> None:
        self.root, self.persist = root, persist

    def __enter__(self) -> str:
        self.path = tempfile.mkdtemp(dir=self.root)
        return self.path

    def __exit__(self, *error: object) -> None:
        if not self.persist:
            shutil.rmtree(self.path)


def prepare_global_logging(file_path: str | None = None, silent: bool = False) -> None:
    """Write the log to a file, and to standard output unless `silent`."""
    handlers: list[logging.Handler] = []
    if file_path is not None:
        make_parent(file_path)
        handlers.append(logging.FileHandler(file_path))
    if not silent:
        handlers.append(logging.StreamHandler(sys.stdout))
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s - %(levelname)s - %(name)s - %(message)s",
        handlers=handlers or [logging.NullHandler()],
    )


def make_parent(path: str) -> None:
    """Create the folder of a file."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)


def command_exists(command: str) -> bool:
    """Return whether a program is on the path."""
    return shutil.which(command) is not None


def download_url_to_file(url: str, file_path: str, force: bool = False) -> None:
    """Download a file, unless it exists and `force` is false."""
    if not url.startswith(("https://", "http://", "ftp://")):
        raise MissingResourceError(f"not an address on the network: {url}")
    if force or not os.path.exists(file_path):
        make_parent(file_path)
        urllib.request.urlretrieve(url, file_path)


def download_file_from_google_drive(file_id: str, file_path: str, force: bool = False) -> None:
    """Say how to get a file of Google Drive, whose pages no program can rely on."""
    if force or not os.path.exists(file_path):
        raise MissingResourceError(
            f"download https://drive.google.com/uc?id={file_id} with a browser to {file_path}"
        )


def import_module_and_submodules(package_name: str) -> None:
    """Import a package and all modules below it, so that their classes are registered.

    The working directory is searched, too.
    """
    importlib.invalidate_caches()
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        module = importlib.import_module(package_name)
        for _, name, _ in pkgutil.iter_modules(getattr(module, "__path__", [])):
            # Main modules run when they are imported; tests register classes of their own.
            if name not in ("__main__", "tests"):
                import_module_and_submodules(f"{package_name}.{name}")
    finally:
        sys.path.remove(folder)
