"""Paired tests of `compare` against sacrebleu's own, on its own metrics: equal p-values, draw for draw."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from rubrica.comparison import TestPlan, compare
from rubrica.metrics import Bleu, ChrF, Ter

WORDS = [
    "the",
    "a",
    "river",
    "ferry",
    "mayor",
    "council",
    "bridge",
    "storm",
    "closed",
    "opened",
    "on",
    "in",
    "of",
    "by",
    "after",
    "night",
]


def corpus(
    size: int = 40, systems: int = 3, references: int = 1
) -> tuple[list[list[str]], list[list[str]]]:
    """Systems that repeat their references with more or fewer changed words, and the references."""
    rng = random.Random(3)
    texts = [[rng.choices(WORDS, k=rng.randint(4, 14)) for _ in range(size)]]
    texts += [[_changed(one, 0.2, rng) for one in texts[0]] for _ in range(references - 1)]
    made = [[_changed(one, 0.3 + 0.06 * s, rng) for one in texts[0]] for s in range(systems)]
    return [_joined(one) for one in made], [_joined(one) for one in texts]


def _changed(words: list[str], share: float, rng: random.Random) -> list[str]:
    kept = [rng.choice(WORDS) if rng.random() < share else one for one in words]
    return [one for one in kept if rng.random() > 0.1]


def _joined(texts: list[list[str]]) -> list[str]:
    return [" ".join(words) for words in texts]


def theirs(method: str, metrics: dict[str, Any], texts: Any, references: Any, rounds: int) -> Any:
    named = [(f"s{number}", one) for number, one in enumerate(texts)]
    test = PairedTest(named, metrics, references, test_type=method, n_samples=rounds)
    _, scores = test()
    return scores


def ours(method: str, texts: Any, references: Any, rounds: int, rule: Any, metrics: Any) -> Any:
    systems = {f"s{number}": one for number, one in enumerate(texts)}
    name = f"{method}-sacrebleu" if rule == "sacrebleu" else method
    plan = TestPlan(methods={name: rounds})
    per_input = [list(one) for one in zip(*references, strict=True)]
    return compare(systems, per_input, metrics, plan=plan, workers=1)


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize(("method", "rounds"), [("ar", 2000), ("bs", 500)])
def test_p_values_are_sacrebleus(
    method: str, rounds: int, references: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    texts, refs = corpus(references=references)
    expected = theirs(method, {"BLEU": BLEU(), "CHRF": CHRF(), "TER": TER()}, texts, refs, rounds)
    for rule in ("sacrebleu", None):
        found = ours(method, texts, refs, rounds, rule, [Bleu(), ChrF(), Ter()])
        for measure, name in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
            for number, result in enumerate(expected[name]):
                system = f"s{number}"
                value = found.evaluation.systems[system].scores[measure].value
                assert value == pytest.approx(result.score, rel=1e-12)
                if number == 0:
                    continue
                test = found.test(f"{method}-sacrebleu" if rule else method, system, measure)
                if rule is None and (method == "bs" or measure == "ter"):
                    # sacrebleu's bootstrap is nearly one-sided. Edits are few whole numbers: many rounds of
                    # TER tie, and sacrebleu counts none.
                    assert test.p_value >= result.p_value
                else:
                    assert test.p_value == result.p_value, (measure, system, rule)
                if method == "bs":
                    # sacrebleu resamples in single precision.
                    assert test.mean == pytest.approx(result.mean, rel=1e-5)
                    assert test.half_width == pytest.approx(result.ci, rel=1e-4)


def test_ties_of_ter_with_three_references_do_not_count() -> None:
    # The mean lengths are thirds: sacrebleu, in single precision, counts some tied swaps as larger. How many
    # depends on the order of its sums, and so on the machine.
    texts, references = corpus(size=20, systems=2, references=3)
    per_input = [list(one) for one in zip(*references, strict=True)]
    found = ours("ar", texts, references, 1000, "sacrebleu", [Ter()])
    expected = theirs("ar", {"TER": TER()}, texts, references, 1000)["TER"][1].p_value
    rows = [
        [Ter().statistics(one, refs) for one, refs in zip(system, per_input, strict=True)]
        for system in texts
    ]
    # Edits, and three times the mean length: whole numbers.
    whole = np.rint(np.array(rows) * [1, 3]).astype(int)

    def ter(counts: Any) -> Fraction:
        edits, length = counts.sum(axis=0).tolist()
        return Fraction(edits, length)

    observed = abs(ter(whole[0]) - ter(whole[1]))
    coins = np.random.default_rng(12345).integers(2, size=(1000, 20, 1), dtype=bool)
    larger = sum(
        abs(ter(np.where(coin, *whole)) - ter(np.where(coin, whole[1], whole[0]))) > observed
        for coin in coins
    )
    assert found.test("ar-sacrebleu", "s1", "ter").p_value == (larger + 1) / 1001 <= expected


def test_draws_in_blocks_are_the_draws_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, refs = corpus(size=33)
    whole = {m: ours(m, texts, refs, 300, None, [Bleu()]) for m in ("ar", "bs")}
    monkeypatch.setattr("rubrica.statistics.paired._BLOCK", 33 * 64)
    for method, expected in whole.items():
        found = ours(method, texts, refs, 300, None, [Bleu()])
        assert [one.p_value for one in found.tests] == [one.p_value for one in expected.tests]


@pytest.mark.parametrize(
    "options",
    [
        {"smooth_method": "exp"},
        {"smooth_method": "floor", "smooth_value": 0.3},
        {"smooth_method": "add-k"},
        {"smooth_method": "none"},
        {"effective_order": True},
        {"max_ngram_order": 2, "lowercase": True},
    ],
)
def test_bleu_of_many_rows_at_once_is_bleu_of_each(options: dict[str, Any]) -> None:
    metric = Bleu(**options)
    rng = np.random.default_rng(5)
    order = options.get("max_ngram_order", 4)
    totals = np.zeros((400, 2 + 2 * order))
    totals[:, 0] = rng.integers(0, 9, 400)
    totals[:, 1] = rng.integers(1, 9, 400)
    for n in range(order):
        totals[:, 2 + order + n] = np.maximum(totals[:, 0] - n, 0)
        totals[:, 2 + n] = rng.integers(0, totals[:, 2 + order + n] + 1)
    check(metric, "bleu", totals)


@pytest.mark.parametrize("options", [{}, {"eps_smoothing": True}, {"word_order": 2, "beta": 3}])
def test_chrf_of_many_rows_at_once_is_chrf_of_each(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(6)
    orders = 6 + options.get("word_order", 0)
    totals = rng.integers(0, 5, (400, 3 * orders)).astype(float)
    totals[:, 2::3] = np.minimum(totals[:, 2::3], np.minimum(totals[:, ::3], totals[:, 1::3]))
    check(ChrF(**options), "chrf", totals)


def test_ter_of_many_rows_at_once_is_ter_of_each() -> None:
    totals = np.random.default_rng(7).integers(0, 4, (100, 2)).astype(float)
    check(Ter(), "ter", totals)


def check(metric: Any, name: str, totals: Any) -> None:
    found = metric.score_sums([name], totals, np.ones((len(totals), 1)))[:, 0]
    expected = [metric.score_statistics(row)[name] for row in totals.tolist()]
    assert found.tolist() == pytest.approx(expected, rel=1e-13, abs=1e-300)
