"""Choose the tokens that BLANC hides, and build the masked inputs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from rubrica.neural.pieces import Piece


@dataclass(frozen=True, slots=True)
class Shortest:
    """The shortest tokens that are hidden: a whole word, the first piece of a word, a later piece."""

    word: int = 4
    lead: int = 2
    # Effectively never.
    later: int = 100


def eligible(pieces: Sequence[Piece], shortest: Shortest) -> list[int]:
    """Return the indices of tokens that are long enough to hide."""
    places = []
    for at, piece in enumerate(pieces):
        if piece.continues:
            least = shortest.later
        else:
            follows = at + 1 < len(pieces) and pieces[at + 1].continues
            least = shortest.lead if follows else shortest.word
        if len(piece.text) >= least:
            places.append(at)
    return places


@dataclass(frozen=True, slots=True)
class Evenly:
    """`run` tokens of every `gap` are hidden."""

    gap: int
    run: int
    shortest: Shortest


def even_maskings(pieces: Sequence[Piece], how: Evenly) -> list[list[int]]:
    """Return maskings of every gap-th token, one per starting offset; skips maskings that hide nothing."""
    gap = min(how.gap, len(pieces))
    places = eligible(pieces, how.shortest)
    maskings = [[at for at in places if (at - start) % gap < how.run] for start in range(gap)]
    return [masking for masking in maskings if masking]


def random_maskings(
    pieces: Sequence[Piece], share: float, shortest: Shortest, draw: random.Random
) -> list[list[int]]:
    """Return maskings of eligible tokens in random order; each hides `share` of the text."""
    places = eligible(pieces, shortest)
    draw.shuffle(places)
    count = max(int(len(pieces) * share), 1)
    return [sorted(places[at : at + count]) for at in range(0, len(places), count)]


@dataclass(frozen=True, slots=True)
class Gaps:
    """An input with hidden tokens: its ids, the hidden positions, and the original tokens."""

    ids: list[int]
    places: list[int]
    answers: list[int]


def with_gaps(
    before: Sequence[int],
    sentence: Sequence[int],
    hidden: Sequence[int],
    *,
    cls: int,
    sep: int,
    mask: int,
) -> Gaps:
    """Return `[CLS] before sentence [SEP]` with tokens of the sentence hidden."""
    start = 1 + len(before)
    ids = [cls, *before, *sentence, sep]
    places = [start + at for at in hidden]
    for place in places:
        ids[place] = mask
    return Gaps(ids, places, [sentence[at] for at in hidden])


def fitted(
    sentence: Sequence[int], summary: Sequence[Sequence[int]], room: int, shortest: int
) -> tuple[list[int], list[int]]:
    """Cut the sentence and the summary (in sentences) to `room` tokens together.

    The sentence is cut first, down to `shortest` tokens; then the summary loses whole sentences from its
    end; its first one, if it alone is too long, keeps its last tokens.
    """
    flat = [token for part in summary for token in part]
    excess = len(flat) + len(sentence) - room
    if excess <= 0:
        return list(sentence), flat
    cut_sentence = list(sentence[: max(len(sentence) - excess, min(len(sentence), shortest))])
    left = room - len(cut_sentence)
    chosen: list[int] = []
    for part in summary:
        if len(chosen) + len(part) > left:
            break
        chosen += part
    if not chosen and summary and left > 0:
        # The original drops the beginning of this sentence.
        chosen = list(summary[0][-left:])
    return cut_sentence, chosen
