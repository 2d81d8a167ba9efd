"""Alignment: find the lines of two files that belong to the same document.

Texts are compared by their letters and digits. The default looks up character n-grams in an index.
It is linear, deterministic and one-to-one, with a score and a margin for every match.
`random_probes` is REALSumm's procedure, seeded.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.errors import ParameterError
from rubrica.scoring.engines.local import map_ordered

NGRAM = 8
MIN_SCORE = 0.5
# An n-gram that occurs in more anchors than this is too common to be looked up.
COMMON = 50
# Candidates whose score is computed exactly.
TRIED = 4
# Of all n-grams those whose hash ends in so many zero bits are looked up: one of eight, and the
# same ones in both files. A text with fewer than this many is looked up with all of them.
SAMPLE_BITS = 3
MIN_SAMPLE = 6
UNMATCHED = -1

_Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Match:
    """The anchor of a text, or -1; its score (0 to 1) and the margin to the next candidate.

    `exact`: the letters are equal. `taken`: the best anchor, if a better match has taken it.
    Random probes have no score.
    """

    anchor: int
    score: float | None = None
    margin: float | None = None
    exact: bool = False
    taken: int | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """A match for every text, in order."""

    matches: tuple[Match, ...]
    anchors: int

    def mapping(self) -> dict[str, int]:
        """Return text number to anchor number (or -1), both from 0, as REALSumm stores it."""
        return {str(number): match.anchor for number, match in enumerate(self.matches)}

    def unmatched(self) -> list[int]:
        """Return the numbers of texts without an anchor."""
        return [number for number, match in enumerate(self.matches) if match.anchor < 0]

    def collisions(self) -> dict[int, list[int]]:
        """Return the anchors that several texts share; only random probes produce such anchors."""
        users: dict[int, list[int]] = {}
        for number, match in enumerate(self.matches):
            if match.anchor >= 0:
                users.setdefault(match.anchor, []).append(number)
        return {anchor: texts for anchor, texts in users.items() if len(texts) > 1}

    def report(self) -> dict[str, Any]:
        """Return counts, and the matches to check by hand."""
        used = {match.anchor for match in self.matches}
        scored = [match for match in self.matches if match.score is not None and match.anchor >= 0]
        close = [m for m in scored if m.margin is not None and m.margin < 0.1]
        return {
            "texts": len(self.matches),
            "anchors": self.anchors,
            "matched": len(self.matches) - len(self.unmatched()),
            "exact": sum(match.exact for match in self.matches),
            "unmatched": self.unmatched(),
            "unused_anchors": [n for n in range(self.anchors) if n not in used],
            "collisions": {str(anchor): texts for anchor, texts in self.collisions().items()},
            "smallest_score": min((m.score for m in scored if m.score is not None), default=None),
            "margin_below_0.1": len(close),
            "matches": [asdict(match) for match in self.matches],
        }


def align(
    texts: Sequence[str],
    anchors: Sequence[str],
    *,
    ngram: int = NGRAM,
    min_score: float = MIN_SCORE,
) -> Alignment:
    """Return the best one-to-one matches of normalised texts (see `preprocess.letters`).

    The score is Dice's coefficient of the character n-grams. If two texts have the same best anchor,
    the higher score gets it (the earlier text on a tie) and the other text gets its next candidate.
    A score below `min_score` is no match. A text without letters has no match.
    """
    if ngram < 2:
        raise ParameterError(f"ngram must be at least 2 characters, not {ngram}")
    if not 0 < min_score <= 1:
        raise ParameterError(f"min_score must be above 0 and at most 1, not {min_score}")
    anchor_grams = _grams(anchors, ngram)
    index = _Index([_sample(grams) for grams in anchor_grams])
    full_index: _Index | None = None
    ranked: list[list[tuple[float, int]]] = []
    for grams in _grams(texts, ngram):
        sample = _sample(grams)
        candidates = index.candidates(sample) if len(sample) >= MIN_SAMPLE else []
        if not candidates and len(grams):
            full_index = full_index or _Index(anchor_grams)
            candidates = full_index.candidates(grams)
        scored = [(_dice(grams, anchor_grams[anchor]), anchor) for anchor in candidates]
        ranked.append(sorted(scored, key=lambda pair: (-pair[0], pair[1])))
    return Alignment(tuple(_one_to_one(texts, anchors, ranked, min_score)), len(anchors))


def _one_to_one(
    texts: Sequence[str],
    anchors: Sequence[str],
    ranked: Sequence[Sequence[tuple[float, int]]],
    min_score: float,
) -> list[Match]:
    """Take pairs in the order of their scores, each text and each anchor once."""
    pairs = sorted(
        (-score, number, anchor)
        for number, candidates in enumerate(ranked)
        for score, anchor in candidates
        if score >= min_score
    )
    taken: dict[int, tuple[int, float]] = {}
    used: set[int] = set()
    for negative, number, anchor in pairs:
        if number not in taken and anchor not in used:
            taken[number] = anchor, -negative
            used.add(anchor)
    matches = []
    for number, candidates in enumerate(ranked):
        best = candidates[0][1] if candidates else None
        if number not in taken:
            score = candidates[0][0] if candidates else None
            matches.append(Match(UNMATCHED, score, taken=best))
            continue
        anchor, score = taken[number]
        others = [value for value, other in candidates if other != anchor]
        margin = score - max(others, default=0.0)
        suggestion = best if best != anchor and candidates[0][0] > score else None
        matches.append(Match(anchor, score, margin, texts[number] == anchors[anchor], suggestion))
    return matches


def _grams(texts: Sequence[str], n: int) -> list[_Hashes]:
    """Return the distinct hashed n-grams of each text; a short text is padded to one n-gram."""
    hashes = []
    # Powers of an odd number modulo 2^64: a plain rolling hash, computed for a whole text at once.
    powers = np.array([pow(0x9E3779B97F4A7C15, k, 1 << 64) for k in range(n)], dtype=np.uint64)
    for text in texts:
        if not text:
            hashes.append(np.empty(0, dtype=np.uint64))
            continue
        codes = np.frombuffer(text.ljust(n, "\0").encode("utf-32-le", "surrogatepass"), np.uint32)
        mixed = _mix(codes.astype(np.uint64))
        count = len(codes) - n + 1
        total = np.zeros(count, dtype=np.uint64)
        for k in range(n):
            total += mixed[k : k + count] * powers[k]
        hashes.append(np.unique(total))
    return hashes


def _sample(grams: _Hashes) -> _Hashes:
    chosen: _Hashes = grams[(grams & np.uint64((1 << SAMPLE_BITS) - 1)) == 0]
    return chosen


def _mix(values: _Hashes) -> _Hashes:
    """Spread the small numbers of characters over 64 bits (splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _dice(first: _Hashes, second: _Hashes) -> float:
    if not len(first) or not len(second):
        return 0.0
    shared = len(np.intersect1d(first, second, assume_unique=True))
    return 2.0 * shared / (len(first) + len(second))


class _Index:
    """The anchors of every n-gram, as three sorted columns."""

    def __init__(self, grams: Sequence[_Hashes]) -> None:
        self._number = len(grams)
        sizes = [len(hashes) for hashes in grams]
        owners = np.repeat(np.arange(len(grams)), sizes)
        hashes = np.concatenate(grams) if grams else np.empty(0, dtype=np.uint64)
        order = np.argsort(hashes, kind="stable")
        self._owners = owners[order]
        self._hashes, self._starts = np.unique(hashes[order], return_index=True)
        self._counts = np.diff(np.append(self._starts, len(hashes)))

    def candidates(self, grams: _Hashes) -> list[int]:
        """Return the anchors that share the most rare n-grams, or n-grams if none is rare."""
        if not len(grams) or not len(self._hashes):
            return []
        at = np.minimum(np.searchsorted(self._hashes, grams), len(self._hashes) - 1)
        at = at[self._hashes[at] == grams]
        rare = at[self._counts[at] <= COMMON]
        chosen = rare if len(rare) else at
        if not len(chosen):
            return []
        counts = self._counts[chosen]
        steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        votes = self._owners[np.repeat(self._starts[chosen], counts) + steps]
        anchors, shared = np.unique(votes, return_counts=True)
        best = np.lexsort((anchors, -shared))[:TRIED]
        return [int(anchor) for anchor in anchors[best]]


def random_probes(
    texts: Sequence[str],
    anchors: Sequence[str],
    *,
    length: int = 30,
    max_attempts: int = 10,
    seed: int = 0,
    workers: int = 1,
) -> Alignment:
    """Align by REALSumm's procedure: a random piece of the text must occur in exactly one anchor.

    A piece begins anywhere from 0 to the text's end, so it may be short or even empty. A text stays
    unmatched after more than `max_attempts` failures. Each text has its own random stream, so the
    result does not depend on the number of workers. Two texts may get the same anchor.
    """
    if length < 1 or max_attempts < 0:
        raise ParameterError("length must be at least 1 and max_attempts not negative")
    haystack = "\n".join(anchors)
    starts, position = [], 0
    for anchor in anchors:
        starts.append(position)
        position += len(anchor) + 1
    work = partial(_probe, haystack, starts, length, max_attempts, seed)
    anchor_numbers = map_ordered(work, enumerate(texts), workers=workers, kind="processes")
    return Alignment(tuple(Match(anchor) for anchor in anchor_numbers), len(anchors))


def _probe(
    haystack: str,
    starts: Sequence[int],
    length: int,
    max_attempts: int,
    seed: int,
    item: tuple[int, str],
) -> int:
    number, text = item
    chance = random.Random(f"{seed}:{number}")
    for _ in range(max_attempts + 1):
        begin = chance.randint(0, len(text))
        piece = text[begin : begin + length]
        first = haystack.find(piece)
        if first < 0:
            continue
        anchor = bisect.bisect_right(starts, first) - 1
        following = starts[anchor + 1] if anchor + 1 < len(starts) else len(haystack) + 1
        if haystack.find(piece, following) < 0:
            return anchor
    return UNMATCHED
