"""The tools behind docs/proven-models.md and docs/substitutes.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(autouse=True)
def _tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))


def test_weights_that_are_not_the_published_ones_are_bold(tmp_path: Path) -> None:
    from prove_models import weights

    for name in ("all-MiniLM-L6-v2", "my-model"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_bytes(b"other")
    published, unknown = weights(tmp_path)
    assert published.endswith("| **other weights** |")
    assert unknown.endswith("| no published digest known here |")


def test_a_missing_folder_of_models_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from prove_models import main

    monkeypatch.setattr(sys, "argv", ["prove_models", "--models", str(tmp_path / "none")])
    with pytest.raises(SystemExit):
        main()
    assert "no such folder" in capsys.readouterr().err


def test_an_original_that_is_not_installed_is_named() -> None:
    from prove_models import compared

    assert "| not installed |" in compared("bertscore", "no_such_package", "m", lambda: [])


def test_published_values_name_the_checkpoint_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    from golden.test_public_values import there

    monkeypatch.setenv("RUBRICA_MODELS", str(tmp_path))
    # The page of proven models shows this reason.
    with pytest.raises(pytest.skip.Exception, match=r"needs bleurt-test in \$RUBRICA_MODELS"):
        there("bleurt-test")


@pytest.mark.filterwarnings("ignore::rubrica.errors.ComparabilityWarning")
def test_rouge_reads_other_scripts_by_default_and_not_like_the_original() -> None:
    from measure_substitutes import OTHER_SCRIPTS, other_scripts

    rows = [row.split("|") for row in other_scripts()]
    assert len(rows) == len(OTHER_SCRIPTS)
    assert all(float(default) > 0 == float(original) for _, _, default, original, _ in rows)
