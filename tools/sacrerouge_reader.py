"""Run one data set reader of a SacreROUGE checkout: `sacrerouge_reader.py CHECKOUT NAME RAW OUT`.

Only for `compare_sacrerouge_readers.py`, in a process of its own: it replaces functions of the standard library, so that
the reader finds its raw files by their names, wherever they are below RAW.
"""

from __future__ import annotations

import builtins
import gzip
import importlib
import os
import shutil
import sys
import tarfile
import types
import urllib.request
from pathlib import Path
from typing import Any


def main(checkout: str, name: str, raw: str, out: str) -> None:
    """Run the reader."""
    files: dict[str, list[Path]] = {}
    for path in sorted(Path(raw).rglob("*")):
        files.setdefault(path.name, []).append(path)

    def found(path: Any) -> Any:
        """The raw file of that name with the most folders in common, where there is none at the path itself."""
        if not isinstance(path, (str, os.PathLike)) or os.path.exists(path):
            return path
        parts = Path(path).parts[::-1]
        candidates = files.get(Path(path).name, [])
        return max(
            candidates,
            key=lambda one: sum(a == b for a, b in zip(one.parts[::-1], parts, strict=False)),
            default=path,
        )

    def fetched(url: str, path: str, *_: Any, **__: Any) -> None:
        source = found(path)
        if source is not path:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(source, path)

    _replace_files(found)
    urllib.request.urlretrieve = fetched  # type: ignore[assignment]
    _replace_sentences()
    builtins.input = lambda *_: "y"
    sys.path.insert(0, checkout)
    util: Any = importlib.import_module("sacrerouge.common.util")
    util.download_url_to_file = util.download_file_from_google_drive = fetched
    group = {"d": "duc_tac.", "t": "duc_tac.", "m": "multiling."}.get(name[0], "")
    command = importlib.import_module(f"sacrerouge.datasets.{group}{name}.subcommand")
    if group == "duc_tac.":
        _run_steps(command, raw, out)
        return
    registry: Any = importlib.import_module("sacrerouge.common").Registrable._registry
    base = importlib.import_module("sacrerouge.commands").DatasetSetupSubcommand
    words = types.SimpleNamespace(data_root=raw, gigaword_root=raw, output_dir=out, force=False)
    registry[base][name][0]().run(words)


def _run_steps(command: Any, raw: str, out: str) -> None:
    """Run each step of a reader of NIST's data; samples are too small for the counts that some steps assert."""
    for step in ("task1", "tasks", "metrics", "pyramids"):
        module = getattr(command, step, None)
        if module is not None:
            try:
                module.setup(raw, out)
            except Exception as error:
                print(f"{step}: {type(error).__name__}: {error}", file=sys.stderr)


def _replace_files(found: Any) -> None:
    """Let whatever opens a file look for it."""

    def looking(function: Any) -> Any:
        def opened(path: Any = None, mode: str = "r", *more: Any, **options: Any) -> Any:
            return function(path if "w" in mode else found(path), mode, *more, **options)

        return opened

    for module in (builtins, tarfile, gzip):
        module.open = looking(module.open)  # type: ignore[attr-defined]
    etree: Any = importlib.import_module("lxml.etree")
    # A module in C: its functions cannot be replaced, but it can.
    proxy: Any = types.ModuleType("lxml.etree")
    proxy.__dict__.update(etree.__dict__)
    lenient = etree.XMLParser(recover=True)
    proxy.parse = lambda source, *_, **__: etree.parse(str(found(source)), lenient)
    html: Any = importlib.import_module("lxml.html")
    parse = html.parse
    html.parse = lambda source, *more, **options: parse(str(found(source)), *more, **options)
    sys.modules["lxml.etree"] = importlib.import_module("lxml").etree = proxy  # type: ignore[attr-defined]


def _replace_sentences() -> None:
    """Cut sentences without NLTK's downloads."""
    from rubrica.metrics.rouge.tokens import punkt_tokenizer

    split = punkt_tokenizer()
    nltk: Any = importlib.import_module("nltk")
    nltk.sent_tokenize = nltk.tokenize.sent_tokenize = lambda text, *_, **__: split(text)


if __name__ == "__main__":
    main(*sys.argv[1:5])
