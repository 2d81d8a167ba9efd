"""METEOR's alignment in plain Python: which words of a summary match which of a reference.

Matches come from four modules (equal words, equal stems, common synsets, paraphrases). Which of them
make up the alignment is decided by a beam search over the reference, left to right; its order of
states and its integer arithmetic are those of METEOR 1.5, for its choices depend on both.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubrica.core.meteor_texts import COLUMNS, MODULES, MeteorTexts, PhraseTable

BEAM = 40
# What a matched word counts in the search (not in the score), by module.
_SEARCH_WEIGHTS = (1.0, 0.5, 0.5, 0.5)


class Match(NamedTuple):
    """Words [start, start + length) of the reference (2) and of the summary (1) that match."""

    start2: int
    length2: int
    start1: int
    length1: int
    module: int

    @property
    def mask1(self) -> int:
        """Its words of the summary as bits."""
        return ((1 << self.length1) - 1) << self.start1

    @property
    def mask2(self) -> int:
        """Its words of the reference as bits."""
        return ((1 << self.length2) - 1) << self.start2


Path = tuple[Match, "Path"] | None


@dataclass(slots=True)
class _State:
    """An alignment of the reference's first words."""

    used1: int  # bits: words of the summary that are taken
    used2: int
    chosen: Path = None
    matched1: int = 0
    matched2: int = 0
    chunks: int = 0
    index: int = 0  # the next word of the reference to decide on
    last: int = -1  # end, in the summary, of the match just before `index`
    distance: int = 0

    def order(self) -> tuple[int, int, int]:
        return -(self.matched1 + self.matched2), self.chunks, self.distance

    def copy(self) -> _State:
        # Written out: `dataclasses.replace` takes most of the time of a search.
        counts = self.matched1, self.matched2, self.chunks, self.index, self.last, self.distance
        return _State(self.used1, self.used2, self.chosen, *counts)

    def take(self, match: Match) -> None:
        # As in METEOR the sums are integers, cut after each addition: a single stem adds nothing.
        weight = _SEARCH_WEIGHTS[match.module]
        self.matched1 = int(self.matched1 + match.length1 * weight)
        self.matched2 = int(self.matched2 + match.length2 * weight)
        if self.last not in (-1, match.start1):
            self.chunks += 1
        self.index = match.start2 + match.length2
        self.last = match.start1 + match.length1
        self.chosen = (match, self.chosen)


def meteor_statistics(
    texts: MeteorTexts,
    pairs: NDArray[np.int64],
    modules: int = MODULES,
    phrases: PhraseTable | None = None,
    threads: int = 1,
) -> NDArray[np.float64]:
    """Counts of the best alignment of each pair (summary, reference): array [pair, COLUMNS].

    `modules` says how many of the modules run, in their order. `threads` is for the compiled twin.
    """
    out = np.zeros((len(pairs), COLUMNS))
    starts, words = texts.starts.tolist(), texts.words.tolist()
    lexicon = _Lexicon(texts)
    for row, (summary, reference) in zip(out, pairs.tolist(), strict=True):
        words1 = words[starts[summary] : starts[summary + 1]]
        words2 = words[starts[reference] : starts[reference + 1]]
        matches = _matches(words1, words2, lexicon, modules, phrases)
        alignment = _search(matches, len(words1), len(words2))
        row[:] = _count(alignment, words1, words2, lexicon.function)
    return out


class _Lexicon:
    def __init__(self, texts: MeteorTexts) -> None:
        self.function = texts.function.tolist()
        self.stems = texts.stems.tolist()
        self.phrase_words = texts.phrase_words.tolist()
        ends, synsets = texts.synset_starts.tolist(), texts.synsets.tolist()
        self.synsets = [frozenset(synsets[a:b]) for a, b in pairwise(ends)]


def _matches(
    words1: list[int],
    words2: list[int],
    lexicon: _Lexicon,
    modules: int,
    phrases: PhraseTable | None,
) -> list[list[Match]]:
    """Return all matches by their first reference word, in the order of their modules."""
    matches: list[list[Match]] = [[] for _ in words2]
    if words1 == words2:
        modules = 1
    stems, synsets = lexicon.stems, lexicon.synsets
    for module in range(min(modules, 3)):
        for j, theirs in enumerate(words2):
            for i, ours in enumerate(words1):
                if module == 0:
                    same = ours == theirs
                elif ours == theirs:
                    same = False
                elif module == 1:
                    same = stems[ours] == stems[theirs]
                else:
                    same = not synsets[ours].isdisjoint(synsets[theirs])
                if same:
                    matches[j].append(Match(j, 1, i, 1, module))
    if modules > 3 and phrases is not None:
        keys1 = [lexicon.phrase_words[word] for word in words1]
        keys2 = [lexicon.phrase_words[word] for word in words2]
        for j, length2, i, length1 in _paraphrases(keys2, keys1, phrases):
            matches[j].append(Match(j, length2, i, length1, 3))
        # Matches found from both sides are kept twice, which affects the search.
        for i, length1, j, length2 in _paraphrases(keys1, keys2, phrases):
            matches[j].append(Match(j, length2, i, length1, 3))
    return matches


def _paraphrases(
    keys: list[int], other_keys: list[int], phrases: PhraseTable
) -> Iterator[tuple[int, int, int, int]]:
    """Yield phrases with paraphrases in the other text: start and length in both."""
    for start in range(len(keys)):
        node, end = 0, start
        while end < len(keys):
            first, last = int(phrases.first_child[node]), int(phrases.first_child[node + 1])
            at = bisect.bisect_left(phrases.node_words, keys[end], first, last)
            if at == last or phrases.node_words[at] != keys[end]:
                break
            node, end = at, end + 1
            for entry in range(int(phrases.first_entry[node]), int(phrases.first_entry[node + 1])):
                low, high = phrases.entry_starts[entry : entry + 2]
                paraphrase = phrases.entry_words[low:high].tolist()
                for position in range(len(other_keys) - len(paraphrase) + 1):
                    if other_keys[position : position + len(paraphrase)] == paraphrase:
                        yield start, end - start, position, len(paraphrase)


def _search(matches: list[list[Match]], length1: int, length2: int) -> list[Match]:
    """Return the matches of the best alignment, in reference order."""
    fixed = _certain(matches, length1, length2)
    state = _State(0, 0)
    for match in fixed.values():
        state.used1 |= match.mask1
        state.used2 |= match.mask2
    states = [state]
    for current in range(length2 + 1):
        states.sort(key=_State.order)
        here = matches[current] if current < length2 else []
        masked = [(match, match.mask1, match.mask2) for match in here]
        after: list[_State] = []
        for state in states[:BEAM]:
            if current == length2:
                state.chunks += state.last != -1
                after.append(state)
            elif state.used2 >> current & 1:
                if current < state.index:
                    after.append(state)
                elif state.index in fixed:
                    match = fixed[state.index]
                    state.take(match)
                    state.distance += abs(match.start2 - match.start1)
                    after.append(state)
            else:
                after += _expand(state, masked)
        states = after or states[:1]
    states.sort(key=_State.order)
    alignment, path = [], states[0].chosen
    while path is not None:
        alignment.append(path[0])
        path = path[1]
    return alignment[::-1]


def _certain(matches_at: list[list[Match]], length1: int, length2: int) -> dict[int, Match]:
    """Return unambiguous matches: no other match covers any of their words."""
    covered1, covered2 = [0] * length1, [0] * length2
    for match in (match for matches in matches_at for match in matches):
        for i in range(match.start1, match.start1 + match.length1):
            covered1[i] += 1
        for j in range(match.start2, match.start2 + match.length2):
            covered2[j] += 1
    return {
        start: matches[0]
        for start, matches in enumerate(matches_at)
        if len(matches) == 1
        and all(n == 1 for n in covered2[start : start + matches[0].length2])
        and all(
            n == 1 for n in covered1[matches[0].start1 : matches[0].start1 + matches[0].length1]
        )
    }


def _expand(state: _State, matches: Sequence[tuple[Match, int, int]]) -> Iterator[_State]:
    """Yield the state with each possible match, which comes with its masks, then without any."""
    for match, mask1, mask2 in matches:
        if state.used1 & mask1 or state.used2 & mask2:
            continue
        child = state.copy()
        child.used1 |= mask1
        child.used2 |= mask2
        child.take(match)
        # METEOR adds the distance of a match to the parent state, so that later siblings bear it and the
        # match itself does not.
        state.distance += abs(match.start2 - match.start1)
        yield child
    if state.last != -1:
        state.chunks += 1
        state.last = -1
    state.index += 1
    yield state


def _count(
    alignment: Sequence[Match], words1: list[int], words2: list[int], function: list[int]
) -> list[int]:
    row = [0] * COLUMNS
    chunks, last1, last2 = 0, -1, -1
    for match in alignment:
        for side, (words, start, length) in enumerate(
            (
                (words1, match.start1, match.length1),
                (words2, match.start2, match.length2),
            )
        ):
            for word in words[start : start + length]:
                row[4 * match.module + 2 * side + function[word]] += 1
        chunks += not (last2 == match.start2 and last1 == match.start1)
        last1, last2 = match.start1 + match.length1, match.start2 + match.length2
    for side, words in enumerate((words1, words2)):
        for word in words:
            row[4 * MODULES + 2 * side + function[word]] += 1
    matched = [
        sum(row[4 * m + 2 * side + k] for m in range(MODULES) for k in (0, 1)) for side in (0, 1)
    ]
    # Texts that match in one chunk have no fragmentation.
    is_identical = chunks == 1 and matched == [len(words1), len(words2)]
    row[-1] = 0 if is_identical else chunks
    return row
