"""The LitePyramid score: the share of content units that a crowd finds in a summary."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

from rubrica.data.votes import UnitVotes
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.units import Unit, supported_share


@Metric.register("lite-pyramid")
class LitePyramid(Metric):
    """Share of content units that annotators' votes find in the summary; all units have the same weight.

    Fillers ("BLANK" statements) do not count. Without any unit that has an answer the score is
    undefined.

    Args:
        aggregation: When a unit is present: by `majority` of its answers, by `any` of them, or
            `mean`: partial credit, by the share of answers.
        tie: Credit for a tied unit: 0, 0.5 or 1.
        missing: Treatment of missing answers: `ignored`, or counted as `present` or `absent`.
        max_answers: Sample at most this many answers per unit.
        max_units: Sample at most this many units.
        rounds: Number of samples; the score is the mean.
        seed: Random seed.
    """

    required_summary_fields = ("votes",)
    value_range = (0.0, 1.0)
    citation = """@inproceedings{shapira-etal-2019-crowdsourcing,
    title = "Crowdsourcing Lightweight Pyramids for Manual Summary Evaluation",
    author = "Shapira, Ori and Gabay, David and Gao, Yang and Ronen, Hadar and Pasunuru, Ramakanth
      and Bansal, Mohit and Amsterdamer, Yael and Dagan, Ido",
    booktitle = "Proceedings of NAACL 2019", year = "2019",
    url = "https://aclanthology.org/N19-1072", pages = "682--687"}"""

    def __init__(
        self,
        aggregation: Literal["majority", "mean", "any"] = "majority",
        tie: float = 0.0,
        missing: Literal["ignored", "present", "absent"] = "ignored",
        max_answers: int | None = None,
        max_units: int | None = None,
        rounds: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if tie not in (0, 0.5, 1):
            raise ParameterError(f"lite-pyramid: tie must be 0, 0.5 or 1: {tie}")
        for name, value in (("max_answers", max_answers), ("max_units", max_units)):
            if value is not None and value < 1:
                raise ParameterError(f"lite-pyramid: {name} must be at least 1: {value}")
        if rounds < 1:
            raise ParameterError(f"lite-pyramid: rounds must be at least 1: {rounds}")
        self.aggregation, self.tie = aggregation, tie
        self.missing = {"ignored": None, "present": True, "absent": False}[missing]
        self.max_answers, self.max_units = max_answers, max_units
        self.rounds, self.seed = rounds, seed

    def score_one(self, *fields: Any) -> dict[str, Any]:
        """Return the score of one summary's votes."""
        votes: Sequence[UnitVotes]
        (votes,) = fields
        units = [self._answers(unit) for unit in votes if not unit.blank]
        units = [answers for answers in units if answers]
        if not units:
            return {"litepyramid": {"recall": None}}
        if self.max_answers is None and self.max_units is None:
            return {"litepyramid": {"recall": self._share(units)}}
        # A separate generator for each summary: its score does not depend on earlier summaries.
        draw = random.Random(self.seed)
        shares = [self._share(self._drawn(units, draw)) for _ in range(self.rounds)]
        return {"litepyramid": {"recall": sum(shares) / len(shares)}}

    def _answers(self, unit: UnitVotes) -> list[bool]:
        answers = [self.missing if answer is None else answer for answer in unit.answers]
        return [answer for answer in answers if answer is not None]

    def _drawn(self, units: list[list[bool]], draw: random.Random) -> list[list[bool]]:
        if self.max_units is not None and len(units) > self.max_units:
            units = draw.sample(units, self.max_units)
        limit = self.max_answers
        return [
            draw.sample(answers, limit) if limit is not None and len(answers) > limit else answers
            for answers in units
        ]

    def _share(self, units: list[list[bool]]) -> float:
        share = supported_share([Unit(support=self._present(answers)) for answers in units])
        assert share is not None
        return share

    def _present(self, answers: list[bool]) -> float:
        share = sum(answers) / len(answers)
        if self.aggregation == "mean":
            return share
        if self.aggregation == "any":
            return float(share > 0)
        return self.tie if share == 0.5 else float(share > 0.5)
