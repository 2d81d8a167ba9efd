"""Adaptive studies: which inputs to judge first, and when "A is better than B" is settled.

Inputs on which metrics or judges disagree teach most about the order of systems. They are drawn
first, at random with known weights, so that the stopping rule can correct for the choice.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, ParameterError
from rubrica.statistics.anytime import AnytimeTest, anytime_test
from rubrica.study.merge import merge_tables
from rubrica.study.rows import StudyRow, read_table

# The share of chance in the weights: no input is left to the end for sure.
EXPLORATION = 0.5


def input_values(table: ScoreTable, measures: Sequence[str]) -> dict[str, float]:
    """Return how much measures disagree about the systems on each input.

    Scores are scaled to mean 0 and deviation 1 by measure; the value is the mean over systems of
    the deviation between measures. With one measure it is the deviation between systems.
    """
    scaled = []
    for measure in measures:
        matrix = table.matrix(measure)
        deviation = np.nanstd(matrix)
        if not deviation > 0:
            raise DataError(f"measure {measure!r} has the same score everywhere; leave it out")
        scaled.append((matrix - np.nanmean(matrix)) / deviation)
    cube = np.array(scaled)
    if np.isnan(cube).any():
        raise DataError("every system needs a score of every measure on every input")
    spread = cube.std(axis=0).mean(axis=0) if len(measures) > 1 else cube[0].std(axis=0)
    return dict(zip(table.inputs, map(float, spread), strict=True))


def read_input_values(files: Sequence[str], inputs: Sequence[str]) -> dict[str, float]:
    """Return the values of inputs by all measures in files of scores; every input must have one."""
    rows = merge_tables([(file, read_table(file)) for file in files])
    own_inputs = set(inputs)
    table = ScoreTable.from_metrics([row for row in rows if row.instance_id in own_inputs])
    if absent := sorted(own_inputs - set(table.inputs)):
        raise DataError(f"no scores of input {absent[0]!r}", file=files[0])
    values = input_values(table, table.measures)
    return {name: values[name] for name in inputs}


def weights_of(values: Mapping[str, float]) -> dict[str, float]:
    """Return the weights with which inputs are drawn: half by value, half by chance; mean 1."""
    mean = sum(values.values()) / len(values) if values else 0.0
    if not mean > 0:
        return dict.fromkeys(values, 1.0)
    return {name: EXPLORATION + (1 - EXPLORATION) * value / mean for name, value in values.items()}


def draw_order(weights: Mapping[str, float], seed: int) -> list[str]:
    """Return all inputs in the order of weighted draws without replacement."""
    chance = random.Random(f"draw:{seed}")
    # The largest u^(1/w) first is the same as one weighted draw after another.
    keys = {name: chance.random() ** (1 / weight) for name, weight in weights.items()}
    return sorted(weights, key=lambda name: (-keys[name], name))


@dataclass(frozen=True, slots=True)
class Stopping:
    """Whether one system is better, as of the inputs judged so far, of all inputs."""

    better: str | None
    inputs: int
    all_inputs: int
    saved: int
    test: AnytimeTest


def stopping_rule(
    first: str, second: str, differences: Mapping[str, float], *, order: Sequence[str],
    weights: Mapping[str, float] | None = None, alpha: float = 0.05,
) -> Stopping:  # fmt: skip
    """Test whether `first` is better than `second`, or the reverse, after every judged input.

    `differences` are first minus second, from -1 to 1, by input; `order` is the order in which
    inputs are judged. Without weights, inputs are in random order, and the claim is about all
    inputs of their kind. With the weights of `draw_order`, the claim is about the inputs in `order`,
    and only those before the first that has no difference count.
    """
    if weights is None:
        values = [differences[name] for name in order if name in differences]
        bounds = [1.0] * len(values)
    else:
        values, bounds = _corrected(differences, order, weights)
    test = anytime_test(values, alpha=alpha, bounds=bounds)
    better = {1: first, -1: second, 0: None}[test.decision]
    return Stopping(
        better, len(values), len(order), len(order) - (test.stopped or len(order)), test
    )


def _corrected(
    differences: Mapping[str, float], order: Sequence[str], weights: Mapping[str, float]
) -> tuple[list[float], list[float]]:
    """Return values whose conditional mean is the mean over all inputs, with their bounds.

    A draw with probability q is divided by n q, and what was seen before is added: whichever
    inputs are left, the mean of the sum over the next draw is the mean over all of them.
    """
    count, seen = len(order), 0.0
    left = sum(weights[name] for name in order)
    values, bounds = [], []
    for place, name in enumerate(order):
        if name not in differences:
            break
        rest = order[place:]
        largest = left / (count * min(weights[other] for other in rest))
        values.append(differences[name] * left / (count * weights[name]) + seen / count)
        bounds.append(largest + abs(seen) / count)
        seen += differences[name]
        left -= weights[name]
    return values, bounds


def paired_differences(
    rows: Sequence[StudyRow], first: str, second: str, measure: str, width: float
) -> dict[str, float]:
    """Return first minus second by input, in shares of the width of the scale, in order of rows."""
    if not width > 0:
        raise ParameterError(f"the scale has a width of {width}")
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.summarizer_id in (first, second) and measure in row.values():
            scores.setdefault(row.instance_id, {})[row.summarizer_id] = row.values()[measure]
    differences = {
        name: (pair[first] - pair[second]) / width
        for name, pair in scores.items()
        if first in pair and second in pair
    }
    if any(abs(difference) > 1 for difference in differences.values()):
        raise DataError(
            f"scores {measure!r} differ by more than the width of their scale, {width:g}"
        )
    return differences
