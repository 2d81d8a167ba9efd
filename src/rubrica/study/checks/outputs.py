"""Auditing outputs against references: a summary that fits another line's reference is misplaced."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rubrica.study.checks.findings import Finding, Gravity
from rubrica.study.layout import SystemFiles
from rubrica.text.tags import is_stand_in, without_tags

# Another reference must fit so much better than the line's own.
BETTER = 2.0
# Fewer telling words in common are chance.
SHARED = 3
# So many of an output's lines are no accident any more; below that a summary may just be poor.
TOLERATED_SHARE = 0.1
# A word in more than this part of the references says nothing about which of them fits.
COMMON = 0.2


def check_outputs(
    systems: Sequence[SystemFiles], lines: Mapping[Path, Sequence[str]]
) -> Iterator[Finding]:
    """Test every output against all references of its system."""
    for system in systems:
        outputs, references = lines[system.out], lines[system.ref]
        fits = [
            (number, best)
            for number, best in enumerate(best_references(outputs, references))
            if best is not None
        ]
        misplaced = [(number, best) for number, best in fits if best != number]
        gravity: Gravity = "error"
        if len(misplaced) <= TOLERATED_SHARE * len(fits):
            # A few may be poor summaries; two that fit each other's reference are not.
            gravity, misplaced = "warning", [(a, b) for a, b in misplaced if (b, a) in misplaced]
        if not misplaced:
            continue
        message = "summaries that fit the reference of another line much better than their own"
        shift, count = Counter(best - number for number, best in misplaced).most_common(1)[0]
        if gravity == "error" and 2 * count > len(misplaced):
            where = "below" if shift > 0 else "above"
            message += f"; {count} of them the one {abs(shift)} {where}: the lines are shifted"
        numbers = [number + 1 for number, _ in misplaced]
        yield Finding.of_lines(gravity, "misplaced", system.out, message, numbers, len(fits))


def best_references(outputs: Sequence[str], references: Sequence[str]) -> list[int | None]:
    """Return the number of the reference that fits each output: its own unless another is far better.

    None for an output without a text, or that shares no telling word with any reference.
    """
    words = [_words(reference) for reference in references]
    counts = Counter(word for reference in words for word in reference)
    most = max(2, COMMON * len(references))
    weights = {
        word: math.log(len(references) / count) for word, count in counts.items() if count <= most
    }
    lengths = [math.sqrt(sum(weights.get(word, 0.0) for word in text)) or 1.0 for text in words]
    holders: dict[str, list[int]] = {}
    for number, text in enumerate(words):
        for word in text & weights.keys():
            holders.setdefault(word, []).append(number)
    best: list[int | None] = []
    for number, output in enumerate(outputs):
        scores: dict[int, float] = {}
        shared: Counter[int] = Counter()
        for word in _words(output):
            for reference in holders.get(word, ()):
                scores[reference] = scores.get(reference, 0.0) + weights[word] / lengths[reference]
                shared[reference] += 1
        if not scores:
            best.append(None)
            continue
        other = max(scores, key=lambda reference: (scores[reference], -reference))
        is_better = scores[other] > BETTER * scores.get(number, 0.0) and shared[other] >= SHARED
        best.append(other if is_better else number)
    return best


def _words(line: str) -> set[str]:
    if is_stand_in(line):
        return set()
    return set(re.findall(r"\w+", without_tags(line).lower()))
