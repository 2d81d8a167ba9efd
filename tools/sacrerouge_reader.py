"""Run one data set reader of a SacreROUGE checkout: `sacrerouge_reader.py CHECKOUT NAME RAW OUT`.

Only for `compare_sacrerouge_readers.py`, in a process of its own: it replaces functions of the standard library, so that
the reader finds its raw files by their names, wherever they are below RAW.
"""

from __future__ import annotations

import builtins
import gzip
import importlib
import inspect
import io
import os
import shutil
import sys
import tarfile
import tempfile
import types
import urllib.request
from pathlib import Path
from typing import Any

# What the original calls a download -> the file's own name.
OTHER_NAMES = {
    "PublishedCorpusFileSet.zip": "353.zip",
    "Evaluation_MultiLing2015_MSS.tgz": "Evaluation_MultiLing2015_MSS.tar",
    "2017_test_data.tgz": "2017_test_data.tar.gz",
    "EvaluationML2017.tgz": "Evaluation.tar.gz",
    "summary_eval_v2.zip": "v2.zip",
}
# Options of the original's commands -> the archive, or the folder that is made one.
ARCHIVES = {
    "ldc2008t19_tgz": "LDC2008T19.tgz",
    "mds_documents_zip": "mds/SourceTextsV2b",
    "mds_model_summaries_zip": "mds/models",
    "mds_peer_summaries_zip": "mds/peers",
    "metrics_zip": "mds/grades",
    "train_zip": "train",
    "test_zip": "test",
}


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
        name = Path(path).name
        candidates = files.get(name) or files.get(OTHER_NAMES.get(name, ""), [])
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
    groups = {"duc": "duc_tac.", "tac": "duc_tac.", "multiling": "multiling."}
    group = next((group for start, group in groups.items() if name.startswith(start)), "")
    command = importlib.import_module(f"sacrerouge.datasets.{group}{name}.subcommand")
    if group == "duc_tac.":
        _run_steps(command, raw, out)
        return
    registry: Any = importlib.import_module("sacrerouge.common").Registrable._registry
    base = importlib.import_module("sacrerouge.commands").DatasetSetupSubcommand
    words = types.SimpleNamespace(data_root=raw, gigaword_root=raw, output_dir=out, force=False)
    with tempfile.TemporaryDirectory() as folder:
        words.__dict__.update(_archives(Path(raw), folder))
        registry[base][name][0]().run(words)


def _archives(raw: Path, folder: str) -> dict[str, str | None]:
    """Return the archives that options name; None where the raw data has none."""
    archives: dict[str, str | None] = {}
    for option, name in ARCHIVES.items():
        path = raw / name
        if path.is_dir():
            shutil.make_archive(f"{folder}/{option}", "zip", path.parent, path.name)
            archives[option] = f"{folder}/{option}.zip"
        else:
            archives[option] = str(path) if path.exists() else None
    return archives


def _run_steps(command: Any, raw: str, out: str) -> None:
    """Run each step of a reader of NIST's data; samples are too small for the counts that some steps assert."""
    for step in ("task1", "tasks", "metrics", "pyramids"):
        module = getattr(command, step, None)
        if module is not None:
            try:
                # TAC 2011 takes the folder of Gigaword, too.
                folders = len(inspect.signature(module.setup).parameters) - 1
                module.setup(*[raw] * folders, out)
            except Exception as error:
                print(f"{step}: {type(error).__name__}: {error}", file=sys.stderr)


def _replace_files(found: Any) -> None:
    """Let whatever opens a file look for it."""

    def looking(function: Any) -> Any:
        def opened(path: Any = None, mode: str = "r", *more: Any, **options: Any) -> Any:
            if "w" in mode:
                return function(path, mode, *more, **options)
            path = found(path)
            # A system that a sample lacks has no outputs.
            if str(path).endswith(".aligned.jsonl") and not os.path.exists(path):
                return io.BytesIO() if "b" in mode else io.StringIO()
            return function(path, mode, *more, **options)

        return opened

    for module in (builtins, tarfile, gzip):
        module.open = looking(module.open)  # type: ignore[attr-defined]
    open_archive: Any = tarfile.open

    def open_or_empty(path: Any = None, mode: str = "r", *more: Any, **options: Any) -> Any:
        """An archive that a sample lacks is empty."""
        try:
            return open_archive(path, mode, *more, **options)
        except FileNotFoundError:
            return open_archive(fileobj=io.BytesIO(bytes(10240)), mode="r:")

    tarfile.open = open_or_empty  # type: ignore[assignment]
    etree: Any = importlib.import_module("lxml.etree")
    # A module in C: its functions cannot be replaced, but it can.
    proxy: Any = types.ModuleType("lxml.etree")
    proxy.__dict__.update(etree.__dict__)
    lenient = etree.XMLParser(recover=True)

    def parse_leniently(source: Any, *_: Any, **__: Any) -> Any:
        path = found(source)
        return etree.parse(str(path) if isinstance(path, os.PathLike) else path, lenient)

    proxy.parse = parse_leniently
    html: Any = importlib.import_module("lxml.html")
    parse = html.parse
    html.parse = lambda source, *more, **options: parse(str(found(source)), *more, **options)
    sys.modules["lxml.etree"] = importlib.import_module("lxml").etree = proxy  # type: ignore[attr-defined]


def _replace_sentences() -> None:
    """Cut sentences without NLTK's downloads."""
    from rubrica.text.sentences import punkt_tokenizer

    split = punkt_tokenizer()
    nltk: Any = importlib.import_module("nltk")
    nltk.sent_tokenize = nltk.tokenize.sent_tokenize = lambda text, *_, **__: split(text)


if __name__ == "__main__":
    main(*sys.argv[1:5])
