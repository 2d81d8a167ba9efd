"""What Python prints of results is what the command line shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrica import EvalInstance, Fields, compare, evaluate
from rubrica.cli.app import main
from rubrica.formatting.text_table import format_p

TEXTS = {"lead": ["The cat sat.", "Rain fell."], "head": ["A cat.", "It rained all day."]}
REFERENCES = ["The cat sat down.", "Rain fell all day."]


def test_an_evaluation() -> None:
    instances = [
        EvalInstance(f"d{at}", name, "peer", Fields(summary=text, references=[REFERENCES[at]]))
        for name, texts in TEXTS.items()
        for at, text in enumerate(texts)
    ]
    found, _ = evaluate(instances, [{"type": "rouge", "max_ngram": 1}])
    printed = str(found)
    assert printed.splitlines()[0].split() == ["system", "n", "rouge-1.f1"]
    assert [line.split()[0] for line in printed.splitlines()[2:5]] == ["lead", "head", "(all)"]
    assert printed.splitlines()[-1] == found.signatures[0]


def test_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, texts in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    (tmp_path / "refs.txt").write_text("\n".join(REFERENCES) + "\n")
    files = [str(tmp_path / f"{name}.txt") for name in (*TEXTS, "refs")]
    assert main(["compare", *files[:2], "-r", files[2], "-m", "rouge"]) == 0
    made = compare(TEXTS, REFERENCES, ["rouge"])
    assert str(made) == repr(made)
    assert str(made).splitlines() == capsys.readouterr().out.rstrip().splitlines()


def test_a_p_value_has_four_digits_unless_they_would_all_be_zero() -> None:
    # The smallest of 10,000 rounds is 1 / 10,001.
    shown = [format_p(p) for p in (None, 0, 1 / 10_001, 0.05, 1, 4e-5, 1.6e-71)]
    assert shown == ["-", "0.0000", "0.0001", "0.0500", "1.0000", "4.0e-05", "1.6e-71"]
