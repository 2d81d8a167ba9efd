"""From answers to human scores: cleaning by rules, votes, Dawid-Skene, agreement, other judgments."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, ParameterError
from rubrica.study.batches import agreement_by_batch, retest
from rubrica.study.clean import Rules, clean, read_rules
from rubrica.study.dawid_skene import dawid_skene
from rubrica.study.human import HumanScore, Voting, human_rows, human_scores
from rubrica.study.judgments import acu_rows, likert_rows
from rubrica.study.ratings import Answer, Rating


def rating(
    answers: str, worker: str = "", event: str = "d", system: str = "s",
    seconds: float | None = None, shown: str = "text", batch: str = "f.csv",
) -> Rating:  # fmt: skip
    """Answers as letters: p, n, - for none; B and b for BLANK marked present or not; A and a for a
    check that was answered rightly or wrongly."""
    made = []
    for place, letter in enumerate(answers):
        if letter in "Bb":
            made.append(Answer(f"b{place}", "BLANK", letter == "B"))
        elif letter in "Aa":
            made.append(Answer(f"attention-p-{place}", "check", letter == "A", True))
        else:
            value = None if letter == "-" else letter == "p"
            made.append(Answer(str(place), f"fact {place}", value))
    return Rating(event, system, worker, tuple(made), shown, batch, 2, seconds)


def score(*answers: str, **options: str) -> float | None:
    scores, _ = human_scores([rating(one) for one in answers], Voting(**options, rounds=0))  # type: ignore[arg-type]
    return scores[0].value


def test_a_unit_is_present_by_strict_majority_and_a_tie_is_absent() -> None:
    assert score("ppn", "pnn", "nnp") == pytest.approx(1 / 3)
    assert score("p", "n") == 0.0
    assert score("p", "n", tie="present") == 1.0
    assert score("p", "n", tie="half") == 0.5


def test_blanks_and_checks_do_not_count() -> None:
    assert score("pnBA", "pnba") == 0.5


def test_other_votes_and_missing_answers() -> None:
    assert score("pp", "pn", "nn", vote="mean") == pytest.approx(0.5)
    assert score("pp", "pn", "nn", vote="any") == 1.0
    assert score("pp", "pn", "pn", vote="all") == 0.5
    assert score("p-", "pp") == 1.0
    assert score("p-", "nn", "nn", missing="present") == 0.0
    assert score("-", "n", missing="present") == 0.0
    assert score("-", "-") is None
    with pytest.raises(ParameterError, match="none of majority"):
        Voting(vote="odd").check()  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="more than 10,000,000 rounds"):
        Voting(rounds=2**63 - 1).check()


def test_scores_that_all_agree_on_have_only_the_uncertainty_of_units() -> None:
    agreed, _ = human_scores([rating("pppp")] * 3)
    assert (agreed[0].error, agreed[0].lower, agreed[0].upper) == (0.0, 1.0, 1.0)
    split, _ = human_scores([rating("ppnn"), rating("pnpn"), rating("nppn")])
    assert split[0].error is not None
    assert split[0].error > 0.1
    assert split[0].value is not None
    assert split[0].lower is not None
    assert split[0].upper is not None
    assert split[0].lower <= split[0].value <= split[0].upper
    assert split[0].unanimous == 0.25
    alone, _ = human_scores([rating("pn")])
    assert (alone[0].value, alone[0].error) == (0.5, None)


def test_the_uncertainty_hangs_on_the_seed_alone() -> None:
    rows = [rating("ppnn", system=s) for s in "ab"] + [rating("pnpn", system=s) for s in "ab"]
    one, two = human_scores(rows)[0], human_scores(rows)[0]
    assert one == two
    assert one[0].lower is not None


def test_rows_carry_the_uncertainty_beside_the_measures() -> None:
    (row,) = human_rows(human_scores([rating("pn"), rating("pp")])[0], split="abs")
    assert row.summarizer_id == "abs/s"
    assert row.metrics == {"litepyramid_recall": 0.5}
    assert row.uncertainty is not None
    assert row.uncertainty["litepyramid_recall"]["raters"] == 2


def value_of(score: HumanScore) -> float:
    assert score.value is not None
    return score.value


def crowd(items: int = 200) -> tuple[list[Rating], list[bool]]:
    """Two good workers and two who answer at random, on `items` summaries of one unit."""
    chance = np.random.default_rng(7)
    truth = [bool(one) for one in chance.random(items) < 0.4]
    rows = []
    for name, right in (("good", 0.97), ("fair", 0.93), ("random", 0.5), ("dice", 0.5)):
        for n, present in enumerate(truth):
            said = present if chance.random() < right else not present
            rows.append(rating("p" if said else "n", name, event=str(n)))
    return rows, truth


def test_dawid_skene_finds_the_careless_worker_and_beats_the_vote() -> None:
    rows, truth = crowd()
    scores, found = human_scores(rows, Voting("dawid-skene", rounds=0))
    assert found is not None
    rates = {one.worker: (one.finds + one.rejects) / 2 for one in found.workers}
    assert rates["good"] > 0.85
    assert abs(rates["random"] - 0.5) < 0.15
    right = sum((value_of(one) > 0.5) == t for one, t in zip(scores, truth, strict=True))
    votes, _ = human_scores(rows, Voting(rounds=0))
    by_vote = sum((value_of(one) > 0.5) == t for one, t in zip(votes, truth, strict=True))
    assert right > by_vote + 10


def test_dawid_skene_by_hand() -> None:
    """One step of EM from the votes 1, 1/2 with one worker each way, computed on paper.

    With smoothing 1: prevalence (1.5 + 1) / (2 + 2) = 5/8. Worker a says p, p: finds
    (1.5 + 1) / (1.5 + 2) = 5/7, rejects (0 + 1) / (0.5 + 2) = 2/5. Worker b says p, n: finds
    (1 + 1) / (1.5 + 2) = 4/7, rejects (0.5 + 1) / (0.5 + 2) = 3/5.
    Odds of item 0: 5/3 x (5/7)/(3/5) x (4/7)/(2/5); of item 1: 5/3 x (5/7)/(3/5) x (3/7)/(3/5).
    """
    made = dawid_skene([0, 1, 0, 1], ["a", "a", "b", "b"], [True, True, True, False], iterations=1)
    odds = [5 / 3 * (25 / 21) * (10 / 7), 5 / 3 * (25 / 21) * (5 / 7)]
    assert made.present == pytest.approx([one / (1 + one) for one in odds], abs=1e-12)


def test_dawid_skene_needs_workers() -> None:
    with pytest.raises(DataError, match="no worker ids"):
        human_scores([rating("p"), rating("n")], Voting("dawid-skene"))


def test_litepyramids_rule_drops_workers_of_little_agreement() -> None:
    rows = [
        rating(answers, worker, event=str(n))
        for n in range(3)
        for worker, answers in (("a", "ppnn"), ("b", "ppnn"), ("c", "nnnn"), ("z", "nnpp"))
    ]
    made = clean(rows)
    # SequenceMatcher aligns: ppnn and nnpp share one block of two, 2 * 2 / 8.
    records = {one.worker: one for one in made.workers}
    assert records["a"].agreement == pytest.approx((1 + 0.5 + 0.5) / 3, abs=1e-3)
    assert records["z"].agreement == pytest.approx(0.5)
    assert made.removed == ()
    strict = clean(rows, Rules(method="positions"))
    assert {one.worker for one in strict.removed} == {"z"}
    assert strict.removed[0].reason == "0.167, below 0.5"


def test_rules_on_rows_say_why() -> None:
    rows = [
        rating("ppBb", "a"), rating("ppAa", "b"), rating("pp--", "c"),
        rating("pp", "d", seconds=1.0), rating("pp", "e", seconds=900.0), rating("pp", "f", seconds=20.0),
    ]  # fmt: skip
    for number, one in enumerate(rows):
        rows[number] = rating(
            "".join("p" if a.counts and a.answer else "-" if a.counts else ("B" if a.answer else "b") if a.blank
                    else ("A" if a.answer else "a") for a in one.answers),
            one.worker, event=str(number), seconds=one.seconds,
        )  # fmt: skip
    rules = Rules(
        agreement=None, blank=0, row_attention=0, unanswered=1, fastest=1.0, slowest=100.0
    )
    made = clean(rows, rules)
    assert {one.worker: one.rule for one in made.removed} == {
        "a": "blank", "b": "row_attention", "c": "unanswered", "d": "fastest", "e": "slowest",
    }  # fmt: skip
    assert [one.worker for one in made.remaining] == ["f"]
    assert len(made.left_without) == 5


def test_straight_lines_attention_and_majority_are_rules_on_workers() -> None:
    rows = [
        rating(answers, worker, event=str(n))
        for n in range(2)
        for worker, answers in (
            ("good", "pnpA"),
            ("fine", "pnpA"),
            ("lazy", "pppA"),
            ("blind", "npna"),
        )
    ]

    def removed(**rules: float) -> set[str]:
        return {one.worker for one in clean(rows, Rules(agreement=None, **rules)).removed}  # type: ignore[arg-type]

    assert removed(straight_lines=0.5) == {"lazy"}
    assert removed(attention=0.5) == {"blind"}
    assert removed(leave_one_out=0.4) == {"blind"}
    assert removed(row_agreement=0.4) == {"blind"}
    assert removed() == set()


def test_rules_come_from_a_file_and_unknown_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('method = "positions"\nagreement = 0.6\nblank = 0\n')
    assert read_rules(str(path)) == Rules(method="positions", agreement=0.6, blank=0)
    path.write_text("agrement = 0.6\n")
    with pytest.raises(DataError, match="agrement"):
        read_rules(str(path))


def test_agreement_by_batch_and_over_all() -> None:
    rows = [rating(a, event=str(n), batch=b) for b in ("x", "y") for n in range(4)
            for a in (("pn", "pn") if b == "x" else ("pn", "np"))]  # fmt: skip
    rows = [rating(a.replace("", ""), one.worker, f"{one.batch}{one.event}", batch=one.batch) for one in rows
            for a in ["".join("p" if x.answer else "n" for x in one.answers)]]  # fmt: skip
    made = {one.batch: one for one in agreement_by_batch(rows)}
    assert made["x"].alpha == 1.0
    assert made["y"].alpha is not None
    assert made["y"].alpha < 0
    assert made["(all)"].summaries == 8


def test_equal_texts_are_a_retest() -> None:
    rows = [
        rating(answers, event=str(n), system=s, shown=f"text {n}")
        for n in range(4)
        for s, answers in (("one", "pppn"[: n + 1]), ("two", "ppnn"[: n + 1]))
    ]
    scores = {
        (r.event, r.summarizer_id): value_of(s)
        for r, s in zip(rows, human_scores(rows)[0], strict=True)
    }
    made = retest(rows, scores)
    assert made.pairs == 4
    assert made.difference == pytest.approx((0 + 0 + 1 / 3 + 1 / 4) / 4)
    assert retest(rows[:1], scores).pairs == 0


def test_likert_ratings_are_averaged_and_standardized(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("id,sys,rater,fluency\n1,a,x,5\n1,b,x,3\n1,a,y,2\n1,b,y,1\n2,a,y,\n")
    columns = {"instance_id": "id", "summarizer_id": "sys"}
    made = likert_rows([str(path)], ["fluency"], columns=columns)
    assert [row.metrics["fluency"] for row in made] == [3.5, 2.0]
    assert made[0].uncertainty is not None
    assert made[0].uncertainty["fluency"] == {"error": pytest.approx(1.5), "raters": 2}
    level = likert_rows([str(path)], ["fluency"], columns=columns, standardize=True)
    assert [row.metrics["fluency"] for row in level] == [1.0, -1.0]
    with pytest.raises(DataError, match=r"l\.csv:2: fluency is '5', not 1 to 4"):
        likert_rows([str(path)], ["fluency"], columns=columns, bounds=(1, 4))


def test_acu_labels_become_scores_and_long_summaries_are_discounted(tmp_path: Path) -> None:
    path = tmp_path / "rose.jsonl"
    row: dict[str, Any] = {
        "example_id": "e", "reference": "four words are here", "reference_acus": ["a", "b"],
        "annotations": {"s": {"acu_labels": [1, 0], "acu": 0.5}},
        "system_outputs": {"s": "eight words are here and they are many"},
    }  # fmt: skip
    path.write_text(json.dumps(row))
    (made,) = acu_rows([str(path)], length_alpha=2.0)
    assert made.metrics["acu"] == 0.5
    assert made.metrics["normalized_acu"] == pytest.approx(0.5 * np.exp(-1 / 2))
    row["annotations"]["s"]["acu"] = 0.9
    path.write_text(json.dumps(row))
    with pytest.warns(UserWarning, match="its labels give"):
        acu_rows([str(path)])
    row["annotations"]["s"]["acu_labels"] = [1, 2]
    path.write_text(json.dumps(row))
    with pytest.raises(DataError, match="0 and 1"):
        acu_rows([str(path)])


def test_the_order_in_which_people_saw_the_statements_does_not_matter() -> None:
    rows = [rating("ppn", worker) for worker in ("w1", "w2", "w3")]
    turned = [rows[0], replace(rows[1], answers=rows[1].answers[::-1]), rows[2]]
    rules = Rules(row_agreement=0.9, leave_one_out=0.9, agreement=0.9)
    assert clean(turned, rules).workers == clean(rows, rules).workers
    assert clean(turned, rules).removed == ()
    assert agreement_by_batch(turned) == agreement_by_batch(rows)
    assert human_scores(turned, Voting(rounds=0)) == human_scores(rows, Voting(rounds=0))
