"""What a comparison is asked and what it finds, as plain records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from rubrica.data.instance import EvalInstance
from rubrica.data.metrics import Metrics
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.formatting.charts import Panel
from rubrica.formatting.result import Result
from rubrica.formatting.table import Table
from rubrica.parameters import SEED
from rubrica.scoring.evaluation import Evaluation
from rubrica.scoring.examples import (
    Examples,
    checked,
    measure_name,
    sampled_examples,
    scored_examples,
    with_texts,
)
from rubrica.statistics.corrections import CORRECTIONS
from rubrica.statistics.intervals import check_rounds
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
            check_rounds(rounds)
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


class Details:
    """The scores of every summary and the tests of every two systems, each computed on first use."""

    def __init__(
        self,
        rows: Callable[[], Sequence[Metrics]],
        tests: Callable[[], Sequence[PairedTest]],
    ) -> None:
        self._rows, self._tests = rows, tests

    @cached_property
    def rows(self) -> Sequence[Metrics]:
        """The scores of every summary."""
        return self._rows()

    @cached_property
    def tests(self) -> Sequence[PairedTest]:
        """The tests of every two systems."""
        return self._tests()

    def __reduce__(self) -> Any:
        return _computed, (self.rows, self.tests)


def _computed(rows: Sequence[Metrics], tests: Sequence[PairedTest]) -> Details:
    return Details(lambda: rows, lambda: tests)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
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
    # Where the texts can be read again, and what only examples and pages need.
    data: Iterable[EvalInstance] | None = field(default=None, compare=False)
    details: Details = field(default_factory=lambda: Details(list, list), compare=False)

    @property
    def rows(self) -> Sequence[Metrics]:
        """The scores of every summary."""
        return self.details.rows

    @property
    def all_tests(self) -> Sequence[PairedTest]:
        """The tests of every two systems by every measure, computed when first asked for."""
        return self.details.tests

    def to_tables(self) -> list[Table]:
        """Return the table of scores and, where all pairs were tested, that of their tests."""
        from rubrica.comparison.tables import comparison_tables

        return comparison_tables(self)

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        from rubrica.comparison.tables import as_markdown

        return as_markdown(self, None)

    def to_latex(self) -> str:
        """Return the table of a paper: best scores bold, significantly better and worse ones marked."""
        from rubrica.comparison.latex import as_latex

        return as_latex(self, None)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each system, measure and test (or one without a test)."""
        from rubrica.comparison.tables import records

        return records(self)

    def panels(self) -> list[Panel]:
        """Return a panel per measure, with a point per system."""
        shown = set(self.measures)
        return [panel for panel in self.evaluation.panels() if panel.title in shown]

    def worst(
        self, n: int = 5, *, measure: str | None = None, system: str | None = None
    ) -> Examples:
        """Return the summaries that lose most against the baseline's summary of the same input, with their texts.

        Args:
            n: How many.
            measure: Measure to order by (default: the first of the table).
            system: Only summaries of this system.
        """
        name = measure_name(measure, self.measures)
        baseline = self.systems[0]
        values = {e.input: e.value for e in scored_examples(self.rows, name, baseline)}
        losses = [
            replace(e, value=e.value - values[e.input])
            for e in scored_examples(self.rows, name, system)
            if e.input in values and e.system != baseline
        ]
        sign = -1 if name in self.evaluation.lower_is_better else 1
        losses.sort(key=lambda e: sign * e.value)
        shown = with_texts(losses[: checked(n)], self.data)
        return Examples(f"{name} minus that of {baseline}", shown)

    def sample(
        self, n: int = 5, *, measure: str | None = None, system: str | None = None, seed: int = SEED
    ) -> Examples:
        """Return summaries drawn at random, with their scores; arguments are those of `worst`."""
        name = measure_name(measure, self.measures)
        return sampled_examples(self.rows, self.data, name, n, seed=seed, system=system)

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
            **({"usage": list(self.evaluation.usage)} if self.evaluation.usage else {}),
        }
