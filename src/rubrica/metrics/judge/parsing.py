"""What an answer says, read strictly: a number of the scale, a letter, yes or no; or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

# "4", "Score: 4", "**4**", "4/5", "4 out of 5", "4 - reads well"; not "between 3 and 4", not "4 3".
_RATING = re.compile(
    r"^[\s*_`\"'(\[]*(?:(?:score|rating|answer)\b[\s*_:=`\"'-]*)?(-?\d+(?:\.\d+)?)(?![\d.,]*\d)(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_OF = re.compile(r"^[\s*_`\"')\]]*(?:/|out of|of)\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_WORD = re.compile(
    r"^[\s*_`\"'(\[]*(?:(?:answer|verdict|winner)\b[\s*_:=`\"'-]*)?(?:summary\s+)?(\w+)",
    re.IGNORECASE,
)


def rating(answer: str, lowest: float, highest: float) -> float | None:
    """The number an answer begins with, if the scale has it."""
    found = _RATING.match(answer)
    if found is None:
        return None
    value, rest = float(found[1]), found[2]
    of = _OF.match(rest)
    if of is not None:
        if float(of[1]) != highest:
            return None
        rest = rest[of.end() :]
    # A second number on the line ("3 or 4") leaves open which one is meant.
    if re.search(r"\d", rest.partition("\n")[0]):
        return None
    return value if lowest <= value <= highest else None


def preference(answer: str) -> float | None:
    """1 for A, 0 for B, 0.5 for a tie."""
    found = _WORD.match(answer)
    return {"a": 1.0, "b": 0.0, "tie": 0.5}.get(found[1].lower()) if found else None


def yes_no(answer: str) -> float | None:
    """1 for yes, 0 for no."""
    found = _WORD.match(answer)
    return {"yes": 1.0, "no": 0.0}.get(found[1].lower()) if found else None


def expectation(logprobs: Mapping[str, float], values: Mapping[str, float]) -> float | None:
    """The mean of the values of the tokens that have one, weighted by probability.

    Several tokens of one value (`5`, ` 5`) add up; tokens without a value are left out.
    """
    weights: dict[float, float] = {}
    for token, logprob in logprobs.items():
        value = values.get(token.strip().lower())
        if value is not None:
            weights[value] = weights.get(value, 0.0) + math.exp(logprob)
    total = math.fsum(weights.values())
    if not total > 0:
        return None
    return math.fsum(value * weight for value, weight in weights.items()) / total


def rating_tokens(lowest: float, highest: float) -> dict[str, float]:
    """The whole numbers of a scale as a model writes them."""
    return {str(n): float(n) for n in range(math.ceil(lowest), math.floor(highest) + 1)}


def spread(values: Iterable[float]) -> float | None:
    """The standard deviation (n - 1) of several runs; None for fewer than two."""
    known = list(values)
    if len(known) < 2:
        return None
    middle = math.fsum(known) / len(known)
    return math.sqrt(math.fsum((one - middle) ** 2 for one in known) / (len(known) - 1))
