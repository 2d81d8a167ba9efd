"""Compare answers like SQuAD: without case, punctuation and articles."""

from __future__ import annotations

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> str:
    """Return an answer in small letters, without punctuation, articles and extra blanks."""
    plain = answer.lower().translate(_MARKS)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def exact_match(prediction: str, gold: str) -> float:
    """Return 1 if the two are the same."""
    return float(normalised(prediction) == normalised(gold))


def token_f1(prediction: str, gold: str) -> float:
    """Return the F1 of the two word lists; if one is empty, whether both are."""
    ours, theirs = normalised(prediction).split(), normalised(gold).split()
    if not ours or not theirs:
        return float(ours == theirs)
    common = sum((Counter(ours) & Counter(theirs)).values())
    if not common:
        return 0.0
    precision, recall = common / len(ours), common / len(theirs)
    return 2 * precision * recall / (precision + recall)
