"""Human scores: the share of content units that raters find in a summary, with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.parameters import SEED
from rubrica.statistics.intervals import check_rounds
from rubrica.study.dawid_skene import Truth, dawid_skene
from rubrica.study.ratings import Missing, Rating, aligned_answers, by_summary
from rubrica.study.rows import StudyRow

Vote: TypeAlias = Literal["majority", "mean", "any", "all", "dawid-skene"]
Tie: TypeAlias = Literal["absent", "present", "half"]
MEASURE = "litepyramid_recall"
_Votes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HumanScore:
    """A summary's score, 0 to 1; None if no unit has an answer.

    `error` and the bounds come from resampling raters and units with replacement: they estimate how
    much the score would vary with other raters and other units. None with one rater.
    """

    event: str
    summarizer_id: str
    value: float | None
    error: float | None
    lower: float | None
    upper: float | None
    raters: int
    units: int
    unanimous: float | None
    scored_digest: str = ""


@dataclass(frozen=True, slots=True)
class Voting:
    """How to turn answers into a score.

    `majority`: a unit is present if more raters mark it than not; `tie` decides equal numbers.
    `mean`: the share of raters who mark it. `any`, `all`: one rater is enough, or all must agree.
    `dawid-skene`: the probability that it is present, workers weighed by their reliability.
    `missing`: what a missing answer counts as (LitePyramids: present).
    """

    vote: Vote = "majority"
    tie: Tie = "absent"
    missing: Missing = "none"
    rounds: int = 1000
    confidence: float = 95.0
    seed: int = SEED

    def check(self) -> None:
        """Raise an error for unknown names and numbers out of range."""
        for value, known in ((self.vote, Vote), (self.tie, Tie), (self.missing, Missing)):
            if value not in get_args(known):
                raise ParameterError(f"{value!r} is none of {', '.join(get_args(known))}")
        if not 0 < self.confidence < 100 or self.rounds < 0:
            raise ParameterError("confidence lies between 0 and 100; rounds are not negative")
        check_rounds(self.rounds)


def human_scores(
    ratings: Sequence[Rating], voting: Voting | None = None
) -> tuple[list[HumanScore], Truth | None]:
    """Return the score of every summary, in order of appearance; with Dawid-Skene, the workers too."""
    voting = voting or Voting()
    voting.check()
    groups = by_summary(ratings)
    truth, soft = _truth(groups, voting) if voting.vote == "dawid-skene" else (None, {})
    scores = []
    for number, (key, group) in enumerate(groups.items()):
        digest = group[0].scored_digest
        votes = _matrix(group, voting.missing)
        answered = ~np.isnan(votes).all(axis=0)
        votes = votes[:, answered]
        units = votes.shape[1]
        if not units:
            scores.append(HumanScore(*key, None, None, None, None, len(group), 0, None, digest))
            continue
        if truth is not None:
            value = float(np.mean(soft[key]))
        else:
            value = _mean(_present(votes[None], voting)[0])
        error, lower, upper = _uncertainty(votes, voting, number)
        same = float(np.mean(np.nanmin(votes, axis=0) == np.nanmax(votes, axis=0)))
        scores.append(HumanScore(*key, value, error, lower, upper, len(group), units, same, digest))
    return scores, truth


def _mean(present: _Votes) -> float:
    # Whole numbers summed: 3 of 7 is 3 / 7, whatever the order.
    return float(present.sum() / len(present))


def _matrix(group: Sequence[Rating], missing: Missing) -> _Votes:
    """Return raters x units: 1 present, 0 absent, NaN without an answer."""
    # None, no answer, becomes NaN.
    rows = aligned_answers(group, missing)
    return np.array(rows, dtype=np.float64).reshape(len(group), len(rows[0]))


def _present(votes: _Votes, voting: Voting) -> _Votes:
    """Reduce rounds x raters x units to rounds x units: how present each unit is, 0 to 1."""
    yes = np.nansum(votes, axis=1)
    answered = (~np.isnan(votes)).sum(axis=1)
    if voting.vote in ("mean", "dawid-skene"):
        return np.asarray(np.where(answered > 0, yes / np.maximum(answered, 1), np.nan))
    if voting.vote == "any":
        return np.asarray((yes > 0).astype(np.float64))
    if voting.vote == "all":
        return np.asarray(((yes == answered) & (answered > 0)).astype(np.float64))
    tie = {"absent": 0.0, "present": 1.0, "half": 0.5}[voting.tie]
    return np.asarray(np.where(2 * yes == answered, tie, (2 * yes > answered).astype(np.float64)))


def _uncertainty(
    votes: _Votes, voting: Voting, number: int
) -> tuple[float | None, float | None, float | None]:
    raters, units = votes.shape
    if raters < 2 or not voting.rounds:
        return None, None, None
    chance = np.random.default_rng([voting.seed, number])
    who = chance.integers(0, raters, (voting.rounds, raters))
    which = chance.integers(0, units, (voting.rounds, units))
    drawn = votes[who[:, :, None], which[:, None, :]]
    present = _present(drawn, voting)
    with np.errstate(invalid="ignore"):
        samples = np.nanmean(present, axis=1)
    samples = samples[~np.isnan(samples)]
    tail = (100 - voting.confidence) / 2
    lower, upper = np.percentile(samples, [tail, 100 - tail])
    return float(samples.std(ddof=1)), float(lower), float(upper)


def _truth(
    groups: Mapping[tuple[str, str], Sequence[Rating]], voting: Voting
) -> tuple[Truth, dict[tuple[str, str], list[float]]]:
    statements: list[int] = []
    workers: list[str] = []
    answers: list[bool] = []
    places: dict[tuple[str, str], list[int]] = {}
    count = 0
    for key, group in groups.items():
        by_unit: dict[str, int] = {}
        for rating in group:
            for unit in rating.units():
                answer = unit.counted(voting.missing)
                if answer is None:
                    continue
                if unit.id not in by_unit:
                    by_unit[unit.id] = count
                    count += 1
                statements.append(by_unit[unit.id])
                workers.append(rating.worker)
                answers.append(answer)
        places[key] = list(by_unit.values())
    truth = dawid_skene(statements, workers, answers)
    soft = {key: [float(truth.present[at]) for at in numbers] for key, numbers in places.items()}
    return truth, soft


def human_rows(
    scores: Sequence[HumanScore],
    *,
    measure: str = MEASURE,
    split: str = "",
    note: str = "",
) -> list[StudyRow]:
    """Return the rows of a table, without summaries that have no score."""
    rows = []
    for score in scores:
        if score.value is None:
            continue
        name = score.summarizer_id
        if split and "/" not in name:
            name = f"{split}/{name}"
        uncertainty = {
            "error": score.error, "lower": score.lower, "upper": score.upper,
            "raters": score.raters, "units": score.units, "unanimous": score.unanimous,
        }  # fmt: skip
        rows.append(
            StudyRow(
                instance_id=score.event,
                summarizer_id=name,
                summarizer_type="peer",
                metrics=MetricsDict({measure: score.value}),
                summary_digest=score.scored_digest,
                signatures=(note,) if note else (),
                uncertainty={measure: uncertainty},
            )
        )
    return rows
