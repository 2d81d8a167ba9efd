"""Audit of a judge that compares two texts: position bias, consistency, accuracy.

Every pair is judged twice, in both orders. A verdict names the text (1 or 2), not the place, so a
judge without position bias gives one verdict both times.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import DataError
from rubrica.meta.judges.judgment_files import read_rows
from rubrica.meta.judges.kappa import cohen_kappa
from rubrica.meta.signatures import method_signature
from rubrica.signature import Signature
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_means
from rubrica.statistics.significance import sign_test_p

VERDICTS = (1, 2, "tie", None)


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One pair: the verdict with text 1 first, and with text 2 first; `label` is people's."""

    name: str
    original: int | str | None
    swapped: int | str | None
    label: int | str | None = None
    texts: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class PairAudit:
    """What both orders say about a judge; shares with intervals over pairs.

    `first` is the share of decisions (ties count one half) for the text in the first place: 0.5 is
    none. `position_p_value` tests it on pairs decided differently (exact binomial). Accuracies are
    None without labels; `correct_both` counts pairs that are right in both orders. `decided` counts
    pairs for which a text was chosen in both orders.
    """

    pairs: int
    undecided: int
    ties: int
    first: Interval | None
    position_p_value: float | None
    prefers_first: int
    prefers_second: int
    consistent: Interval
    correct_original: Interval | None
    correct_swapped: Interval | None
    correct_average: Interval | None
    correct_both: Interval | None
    kappa_of_orders: float | None
    inconsistent: tuple[JudgedPair, ...] = field(repr=False)
    signature: Signature = field(repr=False)
    decided: int = 0

    def verdict(self, name: str = "The judge") -> str:
        """Return the result in a sentence or two."""
        share = self.consistent.value
        text = f"{name} gives the same verdict in both orders for {100 * share:.1f} % of pairs"
        text += self._position()
        if self.correct_average is not None:
            text += f". It is right in {100 * self.correct_average.value:.1f} % of decisions"
        return f"{text}."

    def _position(self) -> str:
        """Say what the orders show about position bias."""
        if self.first is None or not self.decided:
            return "; it decided no pair in both orders, so position bias cannot be tested"
        place = "first" if self.first.value > 0.5 else "second"
        size = 100 * max(self.first.value, 1 - self.first.value)
        if self.position_p_value is None:
            pairs = "pair" if self.decided == 1 else "pairs"
            text = f"in the {self.decided:,} {pairs} decided in both orders"
            if self.first.value == 0.5:
                return f"; no sign of position bias {text}"
            return (
                f"; no sign of position bias {text}, but with ties and missing verdicts, "
                f"{size:.1f} % of decisions are for the {place} place"
            )
        if self.position_p_value <= 0.05:
            return f". It prefers the {place} place ({size:.1f} % of decisions, p = {self.position_p_value:.2g})"
        return f"; no position bias was shown (p = {self.position_p_value:.2g})"


def audit_pairs(pairs: Sequence[JudgedPair], *, resampling: Resampling | None = None) -> PairAudit:
    """Audit a judge's verdicts on pairs that it saw in both orders.

    Args:
        pairs: The verdicts in both orders; `read_pairs` reads them from a file.
        resampling: Rounds, confidence and seed of the intervals, which resample pairs; default 1,000 rounds.

    Returns:
        Position bias, consistency and, where people labelled every pair, accuracy.

    Raises:
        DataError: There are no pairs, or a verdict is not 1, 2, "tie" or None.

    Example:
        >>> from rubrica.meta import audit_pairs
        >>> from rubrica.meta.judges.pair_audit import JudgedPair
        >>> audit = audit_pairs([JudgedPair("a", 1, 1), JudgedPair("b", 1, 2), JudgedPair("c", 2, 2)])
        >>> round(audit.consistent.value, 3), audit.prefers_first, audit.prefers_second
        (0.667, 1, 0)
    """
    resampling = resampling or Resampling()
    if not pairs:
        raise DataError("no pairs to audit")
    for pair in pairs:
        if pair.original not in VERDICTS or pair.swapped not in VERDICTS:
            raise DataError(f"{pair.name}: a verdict is 1, 2, tie or null")
    columns = {
        "first": [_first_share(pair) for pair in pairs],
        "consistent": [float(pair.original == pair.swapped) for pair in pairs],
    }
    labelled = all(pair.label is not None for pair in pairs)
    if labelled:
        right = [(pair.original == pair.label, pair.swapped == pair.label) for pair in pairs]
        columns["original"] = [float(first_order) for first_order, _ in right]
        columns["swapped"] = [float(other) for _, other in right]
        columns["average"] = [(first_order + other) / 2 for first_order, other in right]
        columns["both"] = [float(first_order and other) for first_order, other in right]
    matrix: NDArray[np.float64] = np.array(list(columns.values()), dtype=np.float64).T
    intervals = dict(zip(columns, bootstrap_means(matrix, resampling), strict=True))
    prefers_first = sum(pair.original == 1 and pair.swapped == 2 for pair in pairs)
    prefers_second = sum(pair.original == 2 and pair.swapped == 1 for pair in pairs)
    verdicts = [first_order for pair in pairs for first_order in (pair.original, pair.swapped)]
    orders = cohen_kappa(
        [_text(pair.original) for pair in pairs], [_text(pair.swapped) for pair in pairs]
    )
    first = intervals["first"]
    table = np.array(
        [[_text(p.original), _text(p.swapped), _text(p.label)] for p in pairs], dtype=object
    )
    return PairAudit(
        len(pairs),
        verdicts.count(None),
        verdicts.count("tie"),
        None if math.isnan(first.value) else first,
        sign_test_p(prefers_first, prefers_second),
        prefers_first,
        prefers_second,
        intervals["consistent"],
        intervals.get("original"),
        intervals.get("swapped"),
        intervals.get("average"),
        intervals.get("both"),
        orders.value,
        tuple(pair for pair in pairs if pair.original != pair.swapped),
        method_signature("pair-audit", table, bs=resampling.rounds, seed=resampling.seed),
        sum(pair.original in (1, 2) and pair.swapped in (1, 2) for pair in pairs),
    )


def read_pairs(file: str | os.PathLike[str]) -> list[JudgedPair]:
    """Read a judge's verdicts on pairs that it saw in both orders.

    Args:
        file: JSON lines or CSV with `original`, `swapped` and optionally `label`, or LLMBar's `result.json`.

    Returns:
        The pairs, for `audit_pairs`.

    Raises:
        DataError: A field is missing, or a verdict is not 1, 2, tie or null.

    Example:
        >>> from pathlib import Path
        >>> from rubrica.meta import read_pairs
        >>> _ = Path("pairs.csv").write_text("instance_id,original,swapped,label\\nx,1,2,1\\ny,tie,tie,2\\n")
        >>> [(pair.name, pair.original, pair.swapped, pair.label) for pair in read_pairs("pairs.csv")]
        [('x', 1, 2, 1), ('y', 'tie', 'tie', 2)]
    """
    path = os.fspath(file)
    if path.endswith(".json"):
        return _read_llmbar(path)
    pairs = []
    for line, row in read_rows(path):
        for name in ("original", "swapped"):
            if name not in row:
                raise DataError(f"no {name!r} (found: {', '.join(row)})", file=path, line=line)
        try:
            original, swapped = _verdict(row["original"]), _verdict(row["swapped"])
            label = _verdict(row.get("label"))
        except ValueError as error:
            raise DataError(str(error), file=path, line=line) from error
        texts = (str(row.get("text_1", "")), str(row.get("text_2", "")))
        pairs.append(JudgedPair(str(row.get("instance_id", line)), original, swapped, label, texts))
    return pairs


def _read_llmbar(path: str) -> list[JudgedPair]:
    try:
        with open(path, "rb") as stream:
            rows = json.loads(stream.read())
        return [
            JudgedPair(
                str(number),
                _verdict(row["results"][-1]["swap = False"]["winner"]),
                _verdict(row["results"][-1]["swap = True"]["winner"]),
                _verdict(row["label"]),
                (str(row["output_1"]), str(row["output_2"])),
            )
            for number, row in enumerate(rows, 1)
        ]
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=path) from error
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise DataError(f"not a list of LLMBar's results: {error!r}", file=path) from error


def _verdict(value: Any) -> int | str | None:
    known: dict[str, int | str | None] = {"1": 1, "2": 2, "tie": "tie", "none": None, "": None}
    key = str(value).strip().lower()
    if key not in known:
        raise ValueError(f"a verdict is 1, 2, tie or empty, not {value!r}")
    return known[key]


def _text(value: Any) -> str:
    return str(value)


def _first_share(pair: JudgedPair) -> float:
    """Share of the pair's two decisions for the text in the first place; NaN without a decision."""
    shares: dict[int | str, float] = {1: 1.0, 2: 0.0, "tie": 0.5}
    decisions = []
    if pair.original is not None:
        decisions.append(shares[pair.original])
    if pair.swapped is not None:
        decisions.append(1 - shares[pair.swapped])
    return sum(decisions) / len(decisions) if decisions else math.nan
