"""Summaries on which a metric and people disagree most, to read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubrica.datasets.open import read
from rubrica.errors import ParameterError
from rubrica.meta.ranking.rankings import MetaEvaluation
from rubrica.scoring.examples import Example, Examples, checked, measure_name, with_texts


def largest_disagreements(
    result: MetaEvaluation, n: int, metric: str | None, human: str | None, summaries: Any
) -> Examples:
    """Return the summaries with the largest differences of ranks, as shares of all summaries.

    The value is the metric's rank minus that of people: 0.8 is a summary near the top by the metric, and near
    the bottom by people.
    """
    from scipy.stats import rankdata  # slow to import

    table = result.table
    if table is None:
        raise ParameterError("this meta-evaluation was read from a file, without its scores")
    metric = measure_name(metric, result.metrics)
    human = measure_name(human, result.humans)
    x, z = table.matrix(metric), table.matrix(human)
    cells = np.argwhere(~np.isnan(x) & ~np.isnan(z))
    systems, inputs = cells[:, 0], cells[:, 1]
    x_sign, z_sign = (-1 if name in result.lower_is_better else 1 for name in (metric, human))
    ranks = rankdata(x_sign * x[systems, inputs]) - rankdata(z_sign * z[systems, inputs])
    differences = ranks / max(len(cells), 1)
    order = np.argsort(-np.abs(differences), kind="stable")[: checked(n)]
    examples = [
        Example(table.inputs[inputs[k]], table.systems[systems[k]], float(differences[k]))
        for k in order
    ]
    data = None if summaries is None else read(summaries, ())
    return Examples(f"rank by {metric} minus rank by {human}", with_texts(examples, data))
