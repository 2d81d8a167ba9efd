"""What a comparison is asked and what it finds, as plain records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from rubrica.comparison.paired import PRule
from rubrica.errors import ParameterError
from rubrica.parameters import SEED
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.corrections import CORRECTIONS

Method: TypeAlias = Literal["ar", "bs"]
METHODS: Mapping[Method, str] = {
    "ar": "paired approximate randomization",
    "bs": "paired bootstrap",
}
# As in sacrebleu.
ROUNDS: Mapping[Method, int] = {"ar": 10_000, "bs": 1_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which tests: their methods with their rounds, of which pairs, and what counts as significant.

    Every system is tested against the `baseline` (by default the first one), or, with `all_pairs`,
    against every other. `p_rule` None counts ties in randomization, and follows sacrebleu in the
    bootstrap; a name is used for both. The `correction` is made over all pairs of one measure.
    """

    methods: Mapping[Method, int]
    baseline: str | None = None
    all_pairs: bool = False
    alpha: float = 0.05
    correction: str = "none"
    p_rule: PRule | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must lie between 0 and 1: {self.alpha:g}")
        if self.correction not in CORRECTIONS:
            raise ParameterError(f"no correction {self.correction!r}: {', '.join(CORRECTIONS)}")
        for method, rounds in self.methods.items():
            if method not in METHODS:
                raise ParameterError(f"no paired test {method!r}: {', '.join(METHODS)}")
            if rounds < 1:
                raise ParameterError(f"{METHODS[method]} needs at least one round: {rounds}")
        if self.baseline is not None and self.all_pairs:
            raise ParameterError("with all pairs there is no baseline")

    def facts(self) -> str:
        """What the tests add to a signature."""
        parts = [f"{'pbs' if name == 'bs' else name}:{n}" for name, n in self.methods.items()]
        if parts:
            parts.append(f"pseed:{self.seed}")
            parts += [f"p:{self.p_rule}"] * (self.p_rule is not None)
            parts += [f"corr:{self.correction}"] * (self.correction != "none")
        return "".join(f"|{part}" for part in parts)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One system against another by one measure; `difference` is system - baseline.

    `adjusted` is the p-value after the correction; None where the test is undefined. The paired
    bootstrap also gives the mean of the system's resampled scores and half of the width of their 95 %
    interval, as sacrebleu prints them.
    """

    method: Method
    measure: str
    system: str
    baseline: str
    difference: float
    p_value: float | None
    adjusted: float | None = None
    mean: float | None = None
    half_width: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Scores of the systems with intervals, and the tests. Systems stand in the order given.

    Printed it is the table of `rubrica compare`.
    """

    evaluation: Evaluation
    measures: Sequence[str]
    tests: Sequence[PairedTest]
    plan: Plan
    signatures: Sequence[str]

    def __repr__(self) -> str:
        """The table, what its numbers mean, and the signatures."""
        from rubrica.comparison.text import as_text

        return as_text(self)

    @property
    def systems(self) -> list[str]:
        """Their names."""
        return list(self.evaluation.systems)

    def test(self, method: Method, system: str, measure: str) -> PairedTest | None:
        """The test of a system against the baseline; None for the baseline itself."""
        for one in self.tests:
            if (one.method, one.system, one.measure) == (method, system, measure):
                return one
        return None

    def significant(self, test: PairedTest) -> bool:
        """Whether a test finds a difference, after the correction."""
        return test.adjusted is not None and test.adjusted <= self.plan.alpha

    def to_dict(self) -> dict[str, Any]:
        """As written to JSON."""
        plan = self.plan
        return {
            "systems": {name: one.to_dict() for name, one in self.evaluation.systems.items()},
            "baseline": None if plan.all_pairs else self.systems[0],
            "measures": list(self.measures),
            "lower_is_better": sorted(self.evaluation.lower_is_better & set(self.measures)),
            "confidence": self.evaluation.resampling.confidence,
            "alpha": plan.alpha,
            "correction": plan.correction,
            "rounds": dict(plan.methods),
            "seed": plan.seed,
            "tests": [{**asdict(one), "significant": self.significant(one)} for one in self.tests],
            "signatures": list(self.signatures),
        }
