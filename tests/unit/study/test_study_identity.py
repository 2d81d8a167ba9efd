"""Identity is by text: one name never pools two texts, and one worker is one rater."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rubrica.errors import DataError
from rubrica.study.batches import agreement_by_batch
from rubrica.study.clean import Rules, clean
from rubrica.study.human import Voting, human_scores
from rubrica.study.ratings import Answer, Rating, read_ratings, result_columns, result_row
from rubrica.study.sheets import write_sheet


def rating(
    answers: str, worker: str = "", shown: str = "The text.", batch: str = "f.csv"
) -> Rating:
    units = tuple(Answer(str(n), f"fact {n}", letter == "p") for n, letter in enumerate(answers))
    return Rating("d", "bart", worker, units, shown, batch, 2)


def two_folders(folder: Path) -> list[str]:
    """Two systems of one name, each with three ratings: ext and abs of REALSumm's BART."""
    files = []
    for split, answers in (("abs", "pp"), ("ext", "nn")):
        (folder / split).mkdir()
        files.append(str(folder / split / "bart_out.csv"))
        rows = [rating(answers, f"{split}-{n}", shown=f"Text of {split}.") for n in range(3)]
        write_sheet(files[-1], result_columns(2), map(result_row, rows))
    return files


def test_one_name_for_two_texts_is_an_error_that_names_both_files(tmp_path: Path) -> None:
    files = two_folders(tmp_path)
    ratings = read_ratings(files)
    with pytest.raises(DataError) as refused:
        human_scores(ratings)
    assert f"{files[0]}:2" in str(refused.value)
    assert f"{files[1]}:2" in str(refused.value)
    assert "--split-by-folder" in str(refused.value)
    for analysis in (clean, agreement_by_batch):
        with pytest.raises(DataError, match="another text"):
            analysis(ratings)


def test_folders_tell_systems_of_one_name_apart(tmp_path: Path) -> None:
    ratings = read_ratings(two_folders(tmp_path), split_by_folder=True)
    scores, _ = human_scores(ratings, Voting(rounds=0))
    assert [(s.summarizer_id, s.value, s.raters) for s in scores] == [
        ("abs/bart", 1.0, 3), ("ext/bart", 0.0, 3)
    ]  # fmt: skip
    assert clean(ratings).removed == ()
    assert len(agreement_by_batch(ratings)) == 3  # two files of one name, and all


def test_blanks_between_words_do_not_make_another_text() -> None:
    rows = [rating("p", "a", "The  text."), rating("p", "b", "The text. ")]
    assert human_scores(rows, Voting(rounds=0))[0][0].raters == 2


def test_ratings_of_one_worker_are_one_rater_and_the_last_counts() -> None:
    rows = [rating("pp", "a"), rating("pn", "a"), rating("nn", "a"), rating("pp", "b")]
    (score,), _ = human_scores(rows, Voting(vote="mean", rounds=0))
    assert (score.raters, score.value) == (2, 0.5)
    alone, _ = human_scores(rows[:3])
    assert (alone[0].raters, alone[0].error) == (1, None)
    # Without worker ids nothing tells who repeats: every row is a rater.
    nameless = [replace(row, worker="") for row in rows]
    assert human_scores(nameless)[0][0].raters == 4


def test_cleaning_removes_repeated_ratings_and_says_so() -> None:
    rows = [rating("pp", "a"), rating("nn", "a"), rating("nn", "b")]
    cleaned = clean(rows, Rules(agreement=None))
    assert [(r.rule, r.worker, r.reason) for r in cleaned.removed] == [
        ("repeated", "a", "the worker rated this summary again, in f.csv:2")
    ]
    assert {w.worker: w.agreement for w in cleaned.workers} == {"a": 1.0, "b": 1.0}
