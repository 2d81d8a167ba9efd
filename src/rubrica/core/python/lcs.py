"""Longest common subsequences: plain definitions with the tie rule that ROUGE fixes.

Many subsequences can be longest; ROUGE's union over sentences depends on which one is taken. The
table has the reference as rows and the summary as columns. A cell whose tokens are equal always
comes from the diagonal; otherwise from above, unless the cell to the left is strictly greater.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_DIAGONAL, _ABOVE, _LEFT = 0, 1, 2


def lcs_length(reference: Sequence[str], summary: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    return max((column.bit_count() for column in _columns(reference, summary)), default=0)


def mark_lcs(reference: Sequence[str], summary: Sequence[str], marks: bytearray) -> None:
    """Set `marks[i]` for the reference tokens on the one path the tie rule chooses."""
    for i, _ in lcs_path(reference, summary):
        marks[i] = 1


def lcs_path(reference: Sequence[str], summary: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places (in the reference, in the summary) of the common tokens on that path, the last first.

    Takes one bit of memory per cell of the table.
    """
    columns = list(_columns(reference, summary))
    i, j = len(reference), len(summary)
    while i and j:
        if reference[i - 1] == summary[j - 1]:
            i, j = i - 1, j - 1
            yield i, j
        elif columns[j - 1] >> (i - 1) & 1:  # this row is greater than the one above: go left
            j -= 1
        else:
            i -= 1


def _columns(reference: Sequence[str], summary: Sequence[str]) -> Iterator[int]:
    """For each summary token an integer whose bit i says that the table rises at row i.

    Allison and Dix (1986), as rewritten by Hyyrö (2004): the whole column is one long integer, and
    one addition carries every match to where the table rises.
    """
    where: dict[str, int] = {}
    for i, token in enumerate(reference):
        where[token] = where.get(token, 0) | 1 << i
    all_bits = (1 << len(reference)) - 1
    level = all_bits  # the complement: ones where the table does not rise
    for token in summary:
        matches = level & where.get(token, 0)
        level = ((level + matches) | (level - matches)) & all_bits
        yield all_bits ^ level


def mark_weighted_lcs(
    reference: Sequence[str], summary: Sequence[str], power: Sequence[float], marks: bytearray
) -> None:
    """As `mark_lcs`, with runs of consecutive matches preferred; `power[k]` is k ** weight."""
    for i, _ in weighted_lcs_path(reference, summary, power):
        marks[i] = 1


def weighted_lcs_path(
    reference: Sequence[object], summary: Sequence[object], power: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """As `lcs_path`, with runs preferred. Takes one byte of memory per cell."""
    width = len(summary) + 1
    score, run = [0.0] * width, [0] * width
    moves = []
    for token in reference:
        above, run_above = score, run
        score, run, move = [0.0] * width, [0] * width, bytearray(width)
        for j, other in enumerate(summary, 1):
            if token == other:
                k = run_above[j - 1]
                # Added and subtracted in this order: (c + g(k+1)) - g(k) and c + (g(k+1) - g(k))
                # differ in the last bit, and ties are decided by it.
                score[j] = (above[j - 1] + power[k + 1]) - power[k]
                run[j] = k + 1
            elif above[j] >= score[j - 1]:
                score[j], move[j] = above[j], _ABOVE
            else:
                score[j], move[j] = score[j - 1], _LEFT
        moves.append(move)
    i, j = len(reference), len(summary)
    while i and j:
        move_here = moves[i - 1][j]
        if move_here == _DIAGONAL:
            i, j = i - 1, j - 1
            yield i, j
        elif move_here == _LEFT:
            j -= 1
        else:
            i -= 1
