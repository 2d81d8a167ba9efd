"""The tests of two metrics. A new test is a class (or an object of one) and a line in `METRIC_TESTS`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rubrica.meta.correlation.bootstrap import Over, bootstrap_correlations, cluster_facts
from rubrica.meta.correlation.coefficients import Coefficient
from rubrica.meta.correlation.correlation import correlation_value, number_of_points
from rubrica.meta.correlation.exchanges import ScoreExchange
from rubrica.meta.correlation.levels import Level
from rubrica.meta.correlation.masks import Masks
from rubrica.meta.correlation.significance import (
    Exchange,
    Scheme,
    Test,
    TestOptions,
    p_value_of,
    standardised,
)
from rubrica.meta.scores import Matrix
from rubrica.statistics.undefined import nan_if_none, none_if_nan
from rubrica.statistics.williams import williams_p_value

Pairs: TypeAlias = Sequence[tuple[int, int]]

# The two-way test needs only the variance of exchanges of single cells, for which so many rounds are enough.
VARIANCE_ROUNDS = 499


@dataclass(frozen=True, slots=True)
class TestedScores:
    """What a test rests on: aligned scores of metrics [metric, system, input] and of people.

    `shared` keeps what tests of the same metrics against other human scores, levels and coefficients can use again.
    """

    __test__ = False

    metrics: Matrix
    human: Matrix
    level: Level
    coefficient: Coefficient
    options: TestOptions
    shared: dict[Any, Any]

    def correlation(self, metric: Matrix, other: Matrix) -> float | None:
        """Return the correlation of two matrices of scores."""
        return correlation_value(
            metric, other, self.level, self.coefficient, self.options.undefined
        )


class PairResult(NamedTuple):
    """The p-values of A against B and of B against A, None where undefined, and the rounds left out of them."""

    p_value: float | None
    reverse: float | None
    undefined_rounds: int = 0


class MetricTest(ABC):
    """A test of two metrics against each other."""

    @abstractmethod
    def results(self, scores: TestedScores, pairs: Pairs) -> Iterator[PairResult]:
        """Yield the result of each pair of metrics."""

    def facts(self, options: TestOptions, level: Level) -> dict[str, Any]:
        """Return what a signature says of the test and its options."""
        undefined = {"undefined": options.undefined} if level is Level.SUMMARY else {}
        return {
            "test": options.method,
            "tails": options.tails,
            **undefined,
            **self.own_facts(options),
        }

    @abstractmethod
    def own_facts(self, options: TestOptions) -> dict[str, Any]:
        """Return what a signature says of this kind of test."""


class WilliamsTest(MetricTest):
    """Williams' test of correlations that share a variable; it draws nothing."""

    def results(self, scores: TestedScores, pairs: Pairs) -> Iterator[PairResult]:
        """Yield the result of each pair of metrics."""
        for a, b in pairs:
            yield PairResult(self._p_value(scores, a, b), self._p_value(scores, b, a))

    def own_facts(self, options: TestOptions) -> dict[str, Any]:
        """Return which correlations are compared."""
        return {"sign": "signed" if options.signed else "absolute"}

    def _p_value(self, scores: TestedScores, a: int, b: int) -> float | None:
        x, y, z = scores.metrics[a], scores.metrics[b], scores.human
        r12, r13, r23 = (
            nan_if_none(scores.correlation(left, right)) for left, right in ((x, z), (y, z), (x, y))
        )
        points, options = number_of_points(z, scores.level), scores.options
        return williams_p_value(r12, r13, r23, points, tails=options.tails, signed=options.signed)


class ResamplingTest(MetricTest):
    """A test that compares the difference of two correlations with those of scores drawn again."""

    def results(self, scores: TestedScores, pairs: Pairs) -> Iterator[PairResult]:
        """Yield the result of each pair; all pairs see the same draws."""
        scores, options = self.prepared(scores), scores.options
        values = [scores.correlation(metric, scores.human) for metric in scores.metrics]
        draws = self.draws(scores, pairs)
        for (a, b), drawn in zip(pairs, zip(*draws, strict=True), strict=True):
            undefined = max(int(np.isnan(deltas).sum()) for deltas in drawn)
            value, other = values[a], values[b]
            if value is None or other is None:
                yield PairResult(None, None, undefined)
                continue
            nulls, difference = self.distributions(drawn), value - other
            # With roles changed, a test has the same draws with the other sign.
            forward, reverse = (
                none_if_nan(
                    np.max(
                        [self.p_value(sign * null, sign * difference, options) for null in nulls]
                    )
                )
                for sign in (1, -1)
            )
            yield PairResult(forward, reverse, undefined)

    def prepared(self, scores: TestedScores) -> TestedScores:
        """Return the scores in the form in which they are drawn."""
        return scores

    @abstractmethod
    def draws(self, scores: TestedScores, pairs: Pairs) -> Iterator[Iterator[Matrix]]:
        """Yield for each way of drawing the differences of every pair in each round."""

    def distributions(self, drawn: Sequence[Matrix]) -> Sequence[Matrix]:
        """Return the differences that the observed one is compared with; the largest p-value counts."""
        return drawn

    @abstractmethod
    def p_value(self, deltas: Matrix, observed: float, options: TestOptions) -> float:
        """Return the p-value of an observed difference."""


class BootstrapTest(ResamplingTest):
    """Draws systems, inputs or both with replacement."""

    def __init__(self, over: Over) -> None:
        self._over = over

    def draws(self, scores: TestedScores, pairs: Pairs) -> Iterator[Iterator[Matrix]]:
        """Yield the differences of resampled scores."""
        options = scores.options
        resampled = bootstrap_correlations(
            scores.metrics,
            scores.human,
            scores.level,
            scores.coefficient,
            over=self._over,
            rounds=options.rounds,
            seed=options.seed,
            undefined=options.undefined,
            threads=options.threads,
            clusters=options.clusters,
        )
        yield (np.ascontiguousarray(resampled[:, a] - resampled[:, b]) for a, b in pairs)

    def p_value(self, deltas: Matrix, observed: float, options: TestOptions) -> float:
        """Return the share of rounds with twice the difference.

        Berg-Kirkpatrick et al. (2012): resampled differences scatter about the observed one, not about 0.
        """
        return p_value_of(deltas, 2 * observed, options.tails, "ratio")

    def own_facts(self, options: TestOptions) -> dict[str, Any]:
        """Return rounds, seed and clusters."""
        clusters = cluster_facts(options.clusters)
        return {"bs": options.rounds, "seed": options.seed, **clusters}


class PermutationTest(ResamplingTest):
    """Lets the two metrics exchange scores: a test for each kind of exchange, or one for that of the scheme."""

    def __init__(self, *exchanges: Exchange) -> None:
        self._exchanges = exchanges

    def exchanged(self, scheme: Scheme) -> tuple[Exchange, ...]:
        """Return what is exchanged."""
        return self._exchanges or (scheme,)

    def rounds(self, exchange: Exchange, options: TestOptions) -> int:
        """Return how often scores are exchanged."""
        return options.rounds

    def prepared(self, scores: TestedScores) -> TestedScores:
        """Return standardised scores; observed values come from them, too, since standardising rounds."""
        return replace(scores, metrics=np.stack([standardised(own) for own in scores.metrics]))

    def draws(self, scores: TestedScores, pairs: Pairs) -> Iterator[Iterator[Matrix]]:
        """Yield for each kind of exchange the differences after exchanges."""
        options, human = scores.options, scores.human
        for exchange in self.exchanged(options.scheme):
            if not human.size:
                nothing = np.full(options.rounds, np.nan)
                yield (nothing for _ in pairs)
                continue
            drawn = replace(options, rounds=self.rounds(exchange, options))
            yield ScoreExchange(
                scores.metrics,
                np.ascontiguousarray(human),
                scores.level,
                scores.coefficient,
                Masks(human.shape, exchange, drawn, scores.shared),
                options.undefined == "zero",
                scores.shared,
            ).differences(pairs)

    def p_value(self, deltas: Matrix, observed: float, options: TestOptions) -> float:
        """Return the share of rounds with at least the difference."""
        return p_value_of(deltas, observed, options.tails, options.p_rule)

    def own_facts(self, options: TestOptions) -> dict[str, Any]:
        """Return what is exchanged, the rule of the p-value, rounds, seed and clusters."""
        return {
            "scheme": "+".join(self.exchanged(options.scheme)),
            "p": options.p_rule,
            "perms": options.rounds,
            "seed": options.seed,
            **cluster_facts(options.clusters),
        }


class TwoWayTest(PermutationTest):
    """Exchanges systems, and inputs, and scales the wider distribution to the variance of both effects.

    Exchanges of systems show the variance that comes from systems and from single cells, exchanges of inputs that of
    inputs and cells. Both effects together have the sum of the two variances, less that of cells, counted twice.
    """

    def rounds(self, exchange: Exchange, options: TestOptions) -> int:
        """Return fewer rounds for cells, of which only the variance is needed."""
        return min(options.rounds, VARIANCE_ROUNDS) if exchange == "cells" else options.rounds

    def distributions(self, drawn: Sequence[Matrix]) -> Sequence[Matrix]:
        """Return the differences of exchanged systems and inputs, the wider ones scaled."""
        systems, inputs, cells = drawn
        spread = _mean_square(systems), _mean_square(inputs)
        larger = max(spread)
        if not larger > 0:
            return systems, inputs
        factor = np.sqrt(max(1.0, (sum(spread) - _mean_square(cells)) / larger))
        return (systems * factor, inputs) if spread[0] == larger else (systems, inputs * factor)


def _mean_square(deltas: Matrix) -> float:
    defined = deltas[~np.isnan(deltas)]
    return float(np.mean(defined**2)) if len(defined) else 0.0


METRIC_TESTS: dict[Test, MetricTest] = {
    "permutation-two-way": TwoWayTest("systems", "inputs", "cells"),
    "permutation-max": PermutationTest("systems", "inputs"),
    "permutation-both": PermutationTest(),
    "permutation-system": PermutationTest("systems"),
    "permutation-input": PermutationTest("inputs"),
    "bootstrap-both": BootstrapTest("both"),
    "bootstrap-system": BootstrapTest("systems"),
    "bootstrap-input": BootstrapTest("inputs"),
    "williams": WilliamsTest(),
}
