"""Selecting documents for judgment: easy and hard ones, agreed and disputed ones, by several metrics.

For each metric the documents are sorted by the mean score of all systems and cut into parts of equal
size; within a part they are sorted by the spread over systems and cut again; from every cell one
document is drawn (Bhandari et al., EMNLP 2020, algorithm 1, as far as it is published).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, ParameterError

# More cells than any study has documents.
MAX_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """A document and the cell it was drawn from; bins count from 0, the lowest."""

    document: str
    metric: str
    mean_bin: int
    spread_bin: int
    mean: float
    spread: float


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen documents, in the order of the cells; `short` cells had no free document left."""

    chosen: tuple[Chosen, ...]
    short: tuple[tuple[str, int, int], ...]
    documents: int
    seed: int

    def names(self) -> list[str]:
        """Return the selected documents, in the order they were drawn."""
        return [choice.document for choice in self.chosen]

    def manifest(self, **more: Any) -> dict[str, Any]:
        """Return everything needed to repeat the selection."""
        return {
            **more,
            "seed": self.seed,
            "documents": self.documents,
            "selected": self.names(),
            "cells": [asdict(choice) for choice in self.chosen],
            "cells_without_document": [list(cell) for cell in self.short],
        }


def select_documents(
    table: ScoreTable,
    metrics: Sequence[str],
    *,
    mean_bins: int = 5,
    spread_bins: int = 4,
    per_cell: int = 1,
    seed: int = 0,
) -> Selection:
    """Draw documents without replacement: metrics x mean bins x spread bins x `per_cell`.

    The spread is the standard deviation over the systems (divisor n). A document without any score
    of a metric is in none of its cells. A document drawn for one metric is not drawn again; a cell
    without a free document is reported as short.
    """
    if min(mean_bins, spread_bins, per_cell) < 1:
        raise ParameterError("bins and documents per cell are counted from 1")
    if mean_bins * spread_bins > MAX_CELLS:
        raise ParameterError(
            f"{mean_bins:,} x {spread_bins:,} bins are more than {MAX_CELLS:,} cells; choose fewer bins"
        )
    if not metrics:
        raise ParameterError("name at least one metric to stratify by")
    chance = np.random.default_rng(seed)
    taken: set[int] = set()
    chosen: list[Chosen] = []
    short: list[tuple[str, int, int]] = []
    for metric in metrics:
        scores = table.matrix(metric)
        present = np.flatnonzero((~np.isnan(scores)).any(axis=0))
        if not len(present):
            raise DataError(f"no document has a score of {metric!r}")
        means, spreads = (
            np.nanmean(scores[:, present], axis=0),
            np.nanstd(scores[:, present], axis=0),
        )
        # Stable: documents that tie stay in the order of the table.
        by_mean = np.argsort(means, kind="stable")
        for m, part in enumerate(np.array_split(by_mean, mean_bins)):
            by_spread = part[np.argsort(spreads[part], kind="stable")]
            for s, cell in enumerate(np.array_split(by_spread, spread_bins)):
                free = [int(at) for at in cell if int(present[at]) not in taken]
                drawn = chance.permutation(len(free))[:per_cell]
                if len(drawn) < per_cell:
                    short.append((metric, m, s))
                for at in (free[int(number)] for number in drawn):
                    taken.add(int(present[at]))
                    chosen.append(
                        Chosen(
                            table.inputs[int(present[at])],
                            metric,
                            m,
                            s,
                            float(means[at]),
                            float(spreads[at]),
                        )
                    )
    return Selection(tuple(chosen), tuple(short), len(table.inputs), seed)
