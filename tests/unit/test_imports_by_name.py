"""What a name may import: registered names always, `module:name` only from the command line or Python."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DefinitionError, ParameterError, UnknownNameError
from rubrica.metrics import Rouge
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.metric_like import resolve_metric
from rubrica.text.tokenize import tokenizer

MODULE = '''
from rubrica.metrics import SummaryOnlyMetric


class Length(SummaryOnlyMetric):
    """Characters of the summary."""

    def score_one(self, summary):
        return {"length": len(summary)}


def letters(text: str) -> list[str]:
    return list(text)


def untyped(text):
    return list(text)


NUMBER = 1
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module that can be imported and has not been."""
    (tmp_path / "unimported_module.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "unimported_module"
    sys.modules.pop("unimported_module", None)
    METRICS._known.pop("unimported_module:Length", None)


def test_a_registry_looks_an_address_up_only_through_load(module: str) -> None:
    address = f"{module}:Length"
    with pytest.raises(UnknownNameError, match="is not imported"):
        METRICS.get(address)
    assert address not in METRICS
    assert METRICS.find(address) is None
    assert module not in sys.modules
    assert METRICS.load(address).__name__ == "Length"


def test_an_address_that_python_loaded_is_known_from_then_on(module: str) -> None:
    metric = Metric.from_config(f"{module}:Length", allow_import=True)
    assert type(Metric.from_config(metric.to_config())) is type(metric)


@pytest.mark.parametrize(
    "config",
    [
        {"type": "unimported_module:Length"},
        "unimported_module:Length",
        {"type": "rouge", "profile": "unicode", "tokenizer": "unimported_module:letters"},
    ],
)
def test_a_configuration_imports_only_where_python_allows_it(module: str, config: Any) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match="allow_import=True"):
        Metric.from_config(config)
    assert module not in sys.modules
    assert isinstance(Metric.from_config(config, allow_import=True), Metric)


def test_a_reader_configuration_imports_nothing_either(module: str) -> None:
    with pytest.raises(UnknownNameError, match="is not imported"):
        DatasetReader.from_config({"type": f"{module}:Length"})
    assert module not in sys.modules


def test_python_names_metrics_and_tokenizers_by_address(module: str) -> None:
    assert resolve_metric(f"{module}:Length").score("abc") == {"length": 3}
    rouge = Rouge(1, profile="unicode", tokenizer=f"{module}:letters")
    assert rouge.score("ab", ["ab"])["rouge-1"]["f1"] == 100


@pytest.mark.parametrize(
    "address",
    ["os:system", "subprocess:getoutput", "subprocess:Popen", "builtins:eval", "os.path:sep"],
)
def test_a_tokenizer_is_a_function_from_a_text_to_a_list_of_texts(address: str) -> None:
    with pytest.raises(ParameterError, match=r"def tokens\(text: str\) -> list\[str\]"):
        tokenizer(address)
    with pytest.raises(ParameterError):
        Rouge(1, profile="unicode", tokenizer=address)


def test_a_tokenizer_without_types_or_that_is_no_function_is_refused(module: str) -> None:
    for name in ("untyped", "NUMBER", "Length"):
        with pytest.raises(ParameterError, match="list"):
            tokenizer(f"{module}:{name}")


@pytest.mark.parametrize("address", ["os:system", "collections:OrderedDict", f"{__name__}:MODULE"])
def test_an_address_of_another_kind_is_no_metric(address: str) -> None:
    with pytest.raises(DefinitionError, match="is not a metric"):
        METRICS.load(address)


@pytest.fixture
def config_file(module: str, tmp_path: Path) -> Path:
    """A configuration that names a class of the module."""
    (tmp_path / "a.txt").write_text("ab\nabcd\n")
    file = tmp_path / "run.json"
    config = {"input_files": str(tmp_path / "a.txt"), "metrics": [{"type": f"{module}:Length"}]}
    file.write_text(json.dumps(config))
    return file


def test_a_configuration_file_imports_only_with_trust_config(
    config_file: Path, module: str, rubrica: Any
) -> None:
    refused = rubrica("evaluate", "--config", config_file, "--format", "json")
    assert refused.code == 1
    assert "--trust-config" in refused.err
    assert module not in sys.modules
    done = rubrica("evaluate", "--config", config_file, "--trust-config", "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["metrics"]["length"] == 3


def test_a_reader_named_in_a_configuration_file_needs_trust_too(
    config_file: Path, module: str, rubrica: Any
) -> None:
    config = json.loads(config_file.read_text())
    config |= {"metrics": ["data-stats"], "dataset_reader": {"type": f"{module}:Length"}}
    config_file.write_text(json.dumps(config))
    refused = rubrica("evaluate", "--config", config_file)
    assert (refused.code, module in sys.modules) == (1, False)
    assert "--trust-config" in refused.err
    # Trusted, it is imported, and is no reader.
    trusted = rubrica("evaluate", "--config", config_file, "--trust-config")
    assert (trusted.code, module in sys.modules) == (1, True)
    assert "is not a reader" in trusted.err


def test_packages_named_in_a_configuration_file_need_trust_too(
    config_file: Path, module: str, rubrica: Any
) -> None:
    config = json.loads(config_file.read_text())
    config["metrics"] = ["data-stats"]
    config["include_packages"] = [module]
    config_file.write_text(json.dumps(config))
    refused = rubrica("evaluate", "--config", config_file)
    assert (refused.code, module in sys.modules) == (1, False)
    assert "include_packages" in refused.err
    assert "--trust-config" in refused.err


def test_even_a_trusted_configuration_names_tokenizers_only_where_they_are_expected(
    config_file: Path, module: str, rubrica: Any
) -> None:
    words = ["evaluate", "--config", config_file, "--format", "json"]
    override = '{"metrics": [{"type": "rouge", "profile": "unicode", "tokenizer": "os:system"}]}'
    refused = rubrica(*words, "--trust-config", "--overrides", override)
    assert refused.code == 1
    assert "list[str]" in refused.err
