"""The result of auditing a judge's ratings: findings with intervals, the worst cases, the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rubrica.formatting.text_table import format_value
from rubrica.meta.correlation.draws import count_blocks, defined_interval
from rubrica.signature import Signature
from rubrica.statistics.intervals import Resampling
from rubrica.statistics.undefined import none_if_nan

# Checks that need further scores, and a finding that each has.
_OPTIONAL = {
    "length bias": "length bias",
    "self-preference": "self-preference",
    "stability": "drift",
    "prompt sensitivity": "prompt sensitivity",
}
# The findings that the verdict opens with.
AGREEMENTS = ("agreement, summary level", "agreement, system level")


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: a value with its interval, what it is compared with, and what it means.

    `concern` is True where the interval excludes `reference`, for agreement where it does not lie
    above 0, and None for descriptions.
    """

    name: str
    value: float | None
    lower: float | None = None
    upper: float | None = None
    reference: float | None = None
    concern: bool | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """A summary on which judge and people differ most, in standard deviations; `texts` are (heading, text)."""

    system: str
    instance: str
    human: float
    judge: float
    difference: float
    texts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreAudit:
    """All findings about one judge, and where it differs most from people."""

    judge: str
    human: str
    summaries: int
    findings: tuple[Finding, ...]
    by_system: tuple[tuple[str, float, float, float], ...]
    worst: tuple[WorstCase, ...]
    signature: Signature = field(repr=False)

    def concerns(self) -> list[str]:
        """Return the names of the findings that raise concerns, without commas."""
        # "agreement, summary level" has a comma of its own.
        names = [finding.name for finding in self.findings if finding.concern]
        return [re.sub(r", (\w+ level)$", r" (\1)", name) for name in names]

    def verdict(self) -> str:
        """Return agreement and concerns in a sentence or two."""
        known = {finding.name: finding.value for finding in self.findings}
        agreements = [finding for finding in self.findings if finding.name in AGREEMENTS]
        places = []
        for level, noun in (("summary", "summaries"), ("system", "systems")):
            ceiling = known.get(f"human ceiling, {level} level")
            bound = "" if ceiling is None else f", human ceiling {format_value(ceiling, 2)}"
            places.append(f"{format_value(known[f'agreement, {level} level'], 2)} ({noun}{bound})")
        text = f"{self.judge} agrees with people on {self.human} at"
        if any(_is_negative(finding) for finding in agreements):
            text = f"{self.judge} disagrees with people on {self.human}:"
        elif any(finding.concern for finding in agreements):
            text = f"{self.judge} is not shown to agree with people on {self.human}:"
        text += f" {' and '.join(places)}"
        names = self.concerns()
        text += f". Concerns: {', '.join(names)}." if names else "; no concern was found."
        unmeasured = [check for check, finding in _OPTIONAL.items() if finding not in known]
        return f"{text} Not measured: {', '.join(unmeasured)}." if unmeasured else text


def bootstrap_finding(
    name: str,
    statistic: Callable[[NDArray[np.int64]], float],
    inputs: int,
    resampling: Resampling,
    meaning: str,
    reference: float | None = None,
) -> Finding:
    """Bootstrap a statistic of the inputs with these numbers."""
    value = statistic(np.arange(inputs))
    samples = np.full(max(1, resampling.rounds), np.nan)
    for part, counts in count_blocks(resampling, inputs, inputs):
        for at, row in enumerate(counts, part.start):
            samples[at] = statistic(np.repeat(np.arange(inputs), row.astype(np.int64)))
    lower, upper = defined_interval(samples, resampling)
    concern = None
    if reference is not None and lower is not None and upper is not None:
        concern = not lower <= reference <= upper
    return Finding(name, none_if_nan(value), lower, upper, reference, concern, meaning)


def _is_negative(finding: Finding) -> bool:
    """Return whether the interval, or the value where there is none, lies below 0."""
    highest = finding.value if finding.upper is None else finding.upper
    return highest is not None and highest < 0
