"""Which tokens BLANC hides, and the inputs that hide them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from rubrica.text.pieces import Piece

# Shortest token that is hidden: a whole word, the first piece of a word, a later piece (never).
SHORTEST_WORD, SHORTEST_LEAD = 4, 2


def eligible(pieces: Sequence[Piece]) -> list[int]:
    """Places of tokens long enough to be worth guessing."""
    places = []
    for at, piece in enumerate(pieces):
        follows = at + 1 < len(pieces) and pieces[at + 1].continues
        if not piece.continues and len(piece.text) >= (SHORTEST_LEAD if follows else SHORTEST_WORD):
            places.append(at)
    return places


def even_maskings(pieces: Sequence[Piece], gap: int) -> list[list[int]]:
    """Every gap-th token, starting at each of the first ones in turn; maskings that hide nothing are left out."""
    gap = min(gap, len(pieces))
    places = eligible(pieces)
    maskings = [[at for at in places if at % gap == start] for start in range(gap)]
    return [masking for masking in maskings if masking]


def random_maskings(pieces: Sequence[Piece], share: float, draw: random.Random) -> list[list[int]]:
    """Eligible tokens in random order, so many at a time that each masking hides a share of the text."""
    places = eligible(pieces)
    draw.shuffle(places)
    count = max(int(len(pieces) * share), 1)
    return [sorted(places[at : at + count]) for at in range(0, len(places), count)]


@dataclass(frozen=True, slots=True)
class Gaps:
    """An input with hidden tokens: its ids, the places hidden, and what stood there."""

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
    """`[CLS] before sentence [SEP]` with tokens of the sentence hidden."""
    start = 1 + len(before)
    ids = [cls, *before, *sentence, sep]
    places = [start + at for at in hidden]
    for place in places:
        ids[place] = mask
    return Gaps(ids, places, [sentence[at] for at in hidden])


def fitted(
    sentence: Sequence[int], summary: Sequence[Sequence[int]], room: int, shortest: int
) -> tuple[list[int], list[int]]:
    """Sentence and summary (in sentences) cut to `room` tokens together.

    The sentence is cut first, down to `shortest` tokens; then the summary loses whole sentences from its
    end; its first one, if it alone is too long, is cut itself.
    """
    flat = [token for one in summary for token in one]
    excess = len(flat) + len(sentence) - room
    if excess <= 0:
        return list(sentence), flat
    kept = list(sentence[: max(len(sentence) - excess, min(len(sentence), shortest))])
    left = room - len(kept)
    chosen: list[int] = []
    for one in summary:
        if len(chosen) + len(one) > left:
            break
        chosen += one
    if not chosen and summary and len(flat) > left:
        chosen = list(summary[0][:left])
    return kept, chosen
