"""Preferences between two summaries, and Bradley-Terry strengths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import DataError, MismatchError, ParameterError
from rubrica.meta.ranking.preferences import bradley_terry, preference_agreement

NAN = math.nan
SCORE = st.sampled_from([0.0, 1.0, 2.0, NAN])
ROWS = st.lists(st.tuples(SCORE, SCORE, st.sampled_from([-1.0, 0.0, 1.0, NAN])), max_size=12)


@given(ROWS, st.sampled_from([0.0, 1.0]))
def test_agreement_is_the_plain_count(
    rows: list[tuple[float, float, float]], epsilon: float
) -> None:
    kept = [row for row in rows if not any(v != v for v in row)]
    sides = [list(side) for side in zip(*rows, strict=True)] or [[], [], []]
    found = preference_agreement(*sides, epsilon=epsilon)
    choices = [(0.0 if abs(a - b) <= epsilon else math.copysign(1, a - b), h) for a, b, h in kept]
    decided = [0.5 if m == 0 else float(m == h) for m, h in choices if h != 0]
    assert found.accuracy == (
        pytest.approx(np.mean([m == h for m, h in choices])) if kept else None
    )
    assert found.decided == (pytest.approx(np.mean(decided)) if decided else None)
    assert (found.pairs, found.left_out) == (len(kept), len(rows) - len(kept))
    assert found.metric_ties == sum(m == 0 for m, _ in choices)


def test_what_cannot_be_preferences_is_refused() -> None:
    with pytest.raises(DataError, match="1, -1 or 0"):
        preference_agreement([1], [2], [2])
    with pytest.raises(MismatchError):
        preference_agreement([1], [2], [1, -1])
    with pytest.raises(ParameterError):
        preference_agreement([1], [2], [1], epsilon=-1)
    with pytest.raises(DataError, match="itself"):
        bradley_terry([("a", "a", 1)])
    with pytest.raises(DataError, match="1, -1 or 0"):
        bradley_terry([("a", "b", 3)])


def test_two_systems_have_the_log_odds_of_their_wins() -> None:
    found = bradley_terry([("a", "b", 1)] * 3 + [("a", "b", -1), ("a", "b", NAN)])
    assert found.strengths is not None
    assert found.strengths[0] - found.strengths[1] == pytest.approx(math.log(3))
    assert (found.systems, found.comparisons) == (("a", "b"), 4)
    assert bradley_terry([("a", "b", 0)]).strengths == pytest.approx((0.0, 0.0))


def test_strengths_maximise_the_likelihood() -> None:
    rng = np.random.default_rng(0)
    truth = dict(zip("abcde", [1.0, 0.5, 0.0, -0.5, -1.0], strict=True))
    games = []
    for _ in range(300):
        a, b = rng.choice(list(truth), 2, replace=False)
        won = rng.random() < 1 / (1 + math.exp(truth[b] - truth[a]))
        games.append((str(a), str(b), 0 if rng.random() < 0.1 else 1 if won else -1))
    found = bradley_terry(games)
    assert found.strengths is not None
    strength = dict(zip(found.systems, found.strengths, strict=True))
    # At the maximum each system's wins (ties half) equal what the strengths expect.
    for name in truth:
        own = [
            (b if a == name else a, h if a == name else -h) for a, b, h in games if name in (a, b)
        ]
        wins = sum((1 + h) / 2 for _, h in own)
        expected = sum(1 / (1 + math.exp(strength[other] - strength[name])) for other, _ in own)
        assert wins == pytest.approx(expected, abs=1e-6)


def test_a_system_that_always_wins_has_no_finite_strength() -> None:
    assert bradley_terry([("a", "b", 1), ("b", "c", 1), ("c", "b", 1)]).strengths is None
    assert bradley_terry([]).strengths is None
    assert bradley_terry([("a", "b", NAN)]).strengths is None
