"""The output of ROUGE-1.5.5, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cmp_to_key

import numpy as np

from rubrica.cli.rouge155.options import Options
from rubrica.core import kernels
from rubrica.metrics.rouge.bootstrap import official_intervals, official_scores, printed_units
from rubrica.metrics.rouge.scorer import HITS, REFERENCE, SUMMARY, Floats

_LEADING = re.compile(r"[0-9]+")


def section(
    options: Options, peer: str, name: str, keys: Sequence[str], scores: Floats, counts: Floats
) -> str:
    """One measure of one peer; a row of scores (R, P, F) and counts (hits, model, peer) per key."""
    pooled = options.text("t") in ("1", "2")
    # Counts are shown, and pooled, in the order model, peer, hits.
    rows = counts[:, [REFERENCE, SUMMARY, HITS]] if pooled else scores
    # Of equal keys the last stays.
    values = dict(zip(keys, rows, strict=True))
    # Resampling depends on the order of the instances: that of their keys as strings.
    ordered = np.array([values[k] for k in sorted(values, key=str.encode)]).reshape(-1, 3)
    lines = ["-" * 45]
    if options.text("t") == "2":
        m, p, h = (int(x) for x in np.sum(ordered, axis=0))
        lines.append(f"{peer} {name} M_count: {m} P_count: {p} H_count: {h}")
    else:
        lines += _averages(options, peer, name, ordered, pooled)
    if "d" in options:
        lines.append("." * 45)
        shown = "%.15g" if pooled else "%.5f"
        for key in sorted(sorted(values), key=cmp_to_key(_compare)):
            r, p, f = (shown % x for x in values[key])
            lines.append(f"{peer} {name} Eval {key} R:{r} P:{p} F:{f}")
    return "\n".join(lines) + "\n"


def _averages(options: Options, peer: str, name: str, rows: Floats, pooled: bool) -> list[str]:
    rounds, confidence = int(options.number("r", 1000)), options.number("c", 95)
    if not len(rows):
        averages = (np.zeros(3),) * 3
    elif pooled:
        sums = kernels.rouge155_bootstrap_sums(np.ascontiguousarray(rows), rounds)
        averages = official_intervals(_ratios(sums, options.number("p", 0.5)), confidence)
    else:
        averages = official_scores(printed_units(rows), rounds, confidence)
    shown = options.text("c", "95")
    return [
        average_line(peer, name, letter, shown, average, lower, upper)
        for letter, average, lower, upper in zip("RPF", *averages, strict=True)
    ]


def average_line(
    peer: str, name: str, letter: str, confidence: str, average: float, lower: float, upper: float
) -> str:
    """A system's value with its interval, as every ROUGE table was copied from."""
    return (
        f"{peer} {name} Average_{letter}: {average:.5f} "
        f"({confidence}%-conf.int. {lower:.5f} - {upper:.5f})"
    )


def _ratios(sums: Floats, alpha: float) -> Floats:
    """R, P and F of summed counts; ROUGE-W's weight is not taken back here."""
    model, peer, hits = sums.T
    out = np.zeros_like(sums)
    np.divide(hits, model, out=out[:, 0], where=model != 0)
    np.divide(hits, peer, out=out[:, 1], where=peer != 0)
    recall, precision = out[:, 0], out[:, 1]
    below = (1 - alpha) * precision + alpha * recall
    np.divide(recall * precision, below, out=out[:, 2], where=below != 0)
    return out


def _compare(left: str, right: str) -> int:
    """By leading number where both have one, else as strings."""
    a, b = _LEADING.match(left), _LEADING.match(right)
    if a and b:
        return int(a[0]) - int(b[0])
    return (left > right) - (left < right)
