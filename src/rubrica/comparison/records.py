"""What a comparison is asked and what it finds, as plain records."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypeAlias

from rubrica.data.metrics import Metrics
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.parameters import SEED
from rubrica.scoring.evaluation import Evaluation
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.significance import PAIRED_TESTS

Method: TypeAlias = str
DEFAULT_TEST = "ar"
ROUNDS: Mapping[Method, int] = {name: test.rounds for name, test in PAIRED_TESTS.items()}


def _default_methods() -> dict[Method, int]:
    return {DEFAULT_TEST: ROUNDS[DEFAULT_TEST]}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPlan:
    """Which tests: their methods with their rounds, of which pairs, and what counts as significant.

    Methods are names of `PAIRED_TESTS`. Every system is tested against the `baseline` (by default the first
    one), or, with `all_pairs`, against every other. The `correction` covers the pairs that are tested, for each
    measure. `p_rule="sacrebleu"` is the old way to choose the tests `ar-sacrebleu` and `bs-sacrebleu`.
    """

    # Not a class of tests, whatever pytest thinks of its name.
    __test__: ClassVar[bool] = False

    methods: Mapping[Method, int] = field(default_factory=_default_methods)
    baseline: str | None = None
    all_pairs: bool = False
    alpha: float = 0.05
    correction: str = "holm"
    p_rule: str | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.p_rule is not None:
            self._replace_rule()
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must lie between 0 and 1: {self.alpha:g}")
        if self.correction not in CORRECTIONS:
            raise UnknownNameError("correction", self.correction, CORRECTIONS)
        for method, rounds in self.methods.items():
            if method not in PAIRED_TESTS:
                raise UnknownNameError("paired test", method, PAIRED_TESTS)
            test = PAIRED_TESTS[method]
            if rounds < 1 and test.rounds:
                raise ParameterError(f"{test.label} needs at least one round: {rounds}")
        if self.baseline is not None and self.all_pairs:
            raise ParameterError("all pairs have no baseline; choose one of the two")

    def _replace_rule(self) -> None:
        if self.p_rule not in ("two-sided", "sacrebleu"):
            raise UnknownNameError("rule", str(self.p_rule), ("two-sided", "sacrebleu"))
        warnings.warn(
            "p_rule is replaced by the tests 'ar-sacrebleu' and 'bs-sacrebleu' and will be removed",
            DeprecationWarning,
            stacklevel=4,
        )
        if self.p_rule == "sacrebleu":
            methods = {f"{name}-sacrebleu": rounds for name, rounds in self.methods.items()}
            object.__setattr__(self, "methods", methods)
        object.__setattr__(self, "p_rule", None)

    def facts(self) -> str:
        """Return what the tests add to a signature."""
        parts = [
            f"{PAIRED_TESTS[name].abbreviation}:{rounds if PAIRED_TESTS[name].rounds else 'yes'}"
            for name, rounds in self.methods.items()
        ]
        if parts:
            parts.append(f"pseed:{self.seed}")
            parts += [f"corr:{self.correction}"] * (self.correction != "none")
        return "".join(f"|{part}" for part in parts)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One system against another by one measure on `inputs` inputs; `difference` is system - baseline.

    `adjusted` is the p-value after the correction; None where the test is undefined. The paired
    bootstrap also gives the mean of the system's resampled scores and half of the width of their 95 %
    interval, as sacrebleu prints them.
    """

    method: Method
    measure: str
    system: str
    baseline: str
    inputs: int
    difference: float
    p_value: float | None
    adjusted: float | None = None
    mean: float | None = None
    half_width: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Scores of the systems with intervals, and the tests. Systems keep the order of the input.

    Printed it is the table of `rubrica compare`.
    """

    evaluation: Evaluation
    measures: Sequence[str]
    tests: Sequence[PairedTest]
    plan: TestPlan
    signatures: Sequence[str]
    # Means of sentence scores of corpus metrics (BLEU, chrF, TER), whose corpus score is another number.
    sentence_means: frozenset[str] = frozenset()
    # Inputs were resampled and exchanged by cluster: how many clusters there are.
    clusters: int | None = None
    # For a page: the scores of every summary, and the tests of every two systems.
    rows: Sequence[Metrics] = ()
    all_tests: Sequence[PairedTest] = ()

    def __repr__(self) -> str:
        """Return the table, what its numbers mean, and the signatures."""
        from rubrica.comparison.text import as_text

        return as_text(self)

    @property
    def systems(self) -> list[str]:
        """Their names."""
        return list(self.evaluation.systems)

    def test(self, method: Method, system: str, measure: str) -> PairedTest | None:
        """Return the test of a system against the baseline; None for the baseline itself."""
        for test in self.tests:
            if (test.method, test.system, test.measure) == (method, system, measure):
                return test
        return None

    def significant(self, test: PairedTest) -> bool:
        """Return whether a test finds a difference, after the correction."""
        return test.adjusted is not None and test.adjusted <= self.plan.alpha

    def better(self, test: PairedTest) -> bool:
        """Return whether the system of a test scores better than the baseline, significantly or not."""
        return (test.difference < 0) == (test.measure in self.evaluation.lower_is_better)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as written to JSON."""
        plan = self.plan
        return {
            "systems": {name: own.to_dict() for name, own in self.evaluation.systems.items()},
            "baseline": None if plan.all_pairs else self.systems[0],
            "measures": list(self.measures),
            "lower_is_better": sorted(self.evaluation.lower_is_better & set(self.measures)),
            "sentence_means": sorted(self.sentence_means & set(self.measures)),
            "clusters": self.clusters,
            "confidence": self.evaluation.resampling.confidence,
            "alpha": plan.alpha,
            "correction": plan.correction,
            "rounds": dict(plan.methods),
            "seed": plan.seed,
            "tests": [
                {**asdict(test), "significant": self.significant(test)} for test in self.tests
            ],
            "signatures": list(self.signatures),
        }
