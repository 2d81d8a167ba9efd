"""`rubrica METRIC --p ... --r ...`: what the little scripts print, to the last digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import prepare
from rubrica.cli.scoring.quick_score import QuickScore
from rubrica.metrics import ReferenceBasedMetric

PREDICTIONS = """The quick brown fox jumped over the lazy dog.
The product was very good. I enjoyed it.
"""
REFERENCES = """The quick brown dog jumped on the log.
The product was good.
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    predictions, references = tmp_path / "predictions.txt", tmp_path / "references.txt"
    predictions.write_text(PREDICTIONS)
    references.write_text(REFERENCES)
    return predictions, references


def test_rouge_prints_what_the_script_prints(rubrica: Any, files: tuple[Path, Path]) -> None:
    answer = rubrica("rouge", "--p", files[0], "--r", files[1])
    assert answer.out == (
        "rouge1:  0.6862745098039216\nrouge2:  0.33333333333333337\nrougeL:  0.6274509803921569\n"
    )
    assert answer.code == 0


def test_rouge_says_whose_numbers_it_prints_and_their_scale(
    rubrica: Any, files: tuple[Path, Path]
) -> None:
    words = ["rouge", "--p", files[0], "--r", files[1]]
    answer = rubrica(*words)
    assert answer.err == (
        "ROUGE of rouge-score, from 0 to 1; rubrica compare -m rouge prints ROUGE-1.5.5, from 0 to 100\n"
    )
    perl = rubrica(*words, "--profile", "rouge-1.5.5")
    assert perl.err.startswith("ROUGE of rouge-1.5.5, from 0 to 100;")
    assert rubrica(*words, "-q").err == ""


def test_marks_of_sentences_are_text_and_that_is_said(
    rubrica: Any, files: tuple[Path, Path]
) -> None:
    files[0].write_text(PREDICTIONS.replace(". ", r".\n"))
    answer = rubrica("rouge", "--p", files[0], "--r", files[1])
    assert answer.err.startswith(
        rf"\n in {files[0]} is text here, as for common scripts; rubrica compare -m rouge reads it as marks of "
        "sentences\n"
    )
    files[1].write_text(REFERENCES.replace("good", "<q> <t>"))
    assert "<q>" not in rubrica("rouge", "--p", files[0], "--r", files[1]).err


def test_several_systems_are_referred_to_compare(rubrica: Any, files: tuple[Path, Path]) -> None:
    answer = rubrica("rouge", "--p", files[0], files[0], "--r", files[1])
    assert answer.code == 2
    assert "rubrica compare A.txt B.txt -r REFERENCES.txt -m rouge" in answer.err
    assert "-r takes one file" not in answer.err


def test_the_mean_of_rouge_score_is_what_is_printed(rubrica: Any, news: Path) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer")
    plain = news / "plain"
    names = ["rouge1", "rouge2", "rougeL"]
    rouge = scorer.RougeScorer(names)
    texts = [(plain / f"{name}.txt").read_text().splitlines() for name in ("lead3", "references.A")]
    scores = [rouge.score(reference, summary) for summary, reference in zip(*texts, strict=True)]
    answer = rubrica("rouge", "--p", plain / "lead3.txt", "--r", plain / "references.A.txt")
    for name, line in zip(names, answer.out.splitlines(), strict=True):
        key, value = line.split(":  ")
        expected = sum(one[name].fmeasure for one in scores) / len(scores)
        assert key == name
        assert float(value) == pytest.approx(expected, rel=1e-14)


def test_several_reference_files_and_parameters(rubrica: Any, files: tuple[Path, Path]) -> None:
    twice = rubrica("rouge", "--p", files[0], "--r", files[1], files[0], "--max_ngram", 1)
    assert twice.out == "rouge1:  1.0\nrougeL:  1.0\n"
    stemmed = rubrica(
        "rouge", "--p", files[0], "--r", files[1], "--use-porter-stemmer", "--compute_rouge_lsum"
    )
    assert [line.split(":")[0] for line in stemmed.out.splitlines()] == [
        "rouge1", "rouge2", "rougeL", "rougeLsum"
    ]  # fmt: skip


def test_every_metric_of_references_has_the_form(rubrica: Any, files: tuple[Path, Path]) -> None:
    assert rubrica("chrf", "--p", files[0], "--r", files[1]).out == "chrf: 63.860614323333984\n"
    assert rubrica("bleu", "--p", files[1], "--references", files[1]).out.startswith("bleu: 100.0")


def test_unequal_numbers_of_lines_are_both_told(rubrica: Any, files: tuple[Path, Path]) -> None:
    files[1].write_text("one line\n")
    answer = rubrica("rouge", "--p", files[0], "--r", files[1])
    assert answer.code == 1
    assert "references.txt has 1, " in answer.err
    assert "predictions.txt has 2" in answer.err


def test_mistakes_are_told(rubrica: Any, files: tuple[Path, Path], tmp_path: Path) -> None:
    answer = rubrica("rouge", "--p", files[0])
    assert answer.code == 2
    assert "--r" in answer.err
    assert "does not score plain texts" in rubrica("pyramid-score", "--p", files[0]).err
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    assert rubrica("rouge", "--p", empty, "--r", empty).code == 1
    assert "cannot be opened" in rubrica("rouge", "--p", "none.txt", "--r", files[1]).err
    assert "--p PREDICTIONS" in rubrica("rouge", "--help").out


class Vectors(ReferenceBasedMetric):
    """Gives what `bertscore` gives."""

    def __init__(self, model: str = "small") -> None:
        super().__init__()
        self.model = model

    def score_one(self, summary: str, references: list[str]) -> dict[str, Any]:
        value = 0.25 if self.model == "small" else 0.75
        return {"bertscore": {"precision": 0.0, "recall": 1.0, "f1": value}}


def test_bertscore_prints_its_one_line_with_the_chosen_model(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--p", str(files[0]), "--r", str(files[1])]
    command = QuickScore("bertscore", Vectors)
    assert prepare(command, "bertscore", words)() == 0
    assert prepare(command, "bertscore", [*words, "--model", "large"])() == 0
    assert capsys.readouterr().out == "BERTScore: 0.25\nBERTScore: 0.75\n"


def test_short_options_and_the_files_a_metric_needs(rubrica: Any, files: tuple[Path, Path]) -> None:
    predictions, references = files
    long = rubrica("rouge", "--p", predictions, "--r", references)
    assert rubrica("rouge", "-p", predictions, "-r", references).out == long.out
    assert "--p PREDICTIONS --d DOCUMENTS [DOCUMENTS ...]\n" in rubrica("blanc", "--help").out
    assert "--p" not in rubrica("pyramid-score", "--help").out
    told = " ".join(rubrica("rouge", "--p", predictions, "--help").out.split())
    assert "of rouge-score, from 0 to 1" in told
