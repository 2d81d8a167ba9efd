"""`rouge-be`: basic elements, counted as ROUGE-1.5.5 -3 does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import main
from rubrica.errors import DataError, ParameterError
from rubrica.metrics import RougeBE

PEER = "ferry|nil|nil\nferry|new|mod\nsank|ferries|subj\nsank|ferries|subj\n"
MODEL = "ferries|new|mod\nsank|ferry|subj\nsank|nil|nil\n"


@pytest.mark.parametrize(
    ("mode", "hits", "of_model", "of_peer"),
    [("H", 0, 1, 1), ("HM", 2, 2, 3), ("HMR", 2, 2, 3), ("HM1", 2, 3, 4), ("HMR2", 2, 3, 4)],
)
def test_elements_are_matched_clipped(mode: Any, hits: int, of_model: int, of_peer: int) -> None:
    values = RougeBE(mode).score(PEER, [MODEL])[f"rouge-be-{mode.lower()}"]
    assert values["recall"] == pytest.approx(100 * hits / of_model, abs=1e-3)
    assert values["precision"] == pytest.approx(100 * hits / of_peer, abs=1e-3)


def test_without_stemming_ferry_is_not_ferries() -> None:
    values = RougeBE("HM", use_porter_stemmer=False).score(PEER, [MODEL])
    assert values["rouge-be-hm"]["recall"] == 0.0


@pytest.mark.parametrize("mode", ["H", "HM", "HMR", "HM1", "HMR1", "HMR2"])
def test_the_metric_gives_what_the_command_prints(
    mode: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    texts = {"peer": PEER, "one": MODEL, "two": "ferry|nil|nil\nsank|storm|by\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "list").write_text("peer one two\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["rouge155", "-3", mode, "-m", "-d", "-z", "SIMPLE", "list"]) == 0
    line = next(one for one in capsys.readouterr().out.splitlines() if " Eval " in one)
    printed = [float(part.split(":")[1]) for part in line.split()[-3:]]
    values = RougeBE(mode).score(PEER, [MODEL, texts["two"]])[f"rouge-be-{mode.lower()}"]
    assert [*values.values()] == pytest.approx([100 * one for one in printed], abs=1e-9)


def test_prose_is_refused_with_the_place_and_the_form_wanted() -> None:
    with pytest.raises(DataError, match=r"element 2 is 'The ferry sank\.'; .*head\|modifier"):
        RougeBE().score(PEER, ["ferry|new|mod\nThe ferry sank."])


def test_alpha_is_a_share() -> None:
    with pytest.raises(ParameterError, match="alpha"):
        RougeBE(alpha=2)
