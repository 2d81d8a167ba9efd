"""What METEOR's kernels are given: texts as numbers of words, and a table of paraphrases as a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# A row of statistics: for each of the four modules the matched words of the summary (content words,
# function words) and of the reference (the same), then the lengths likewise, then chunks.
MODULES = 4
COLUMNS = 4 * MODULES + 4 + 1


@dataclass(frozen=True, slots=True)
class MeteorTexts:
    """Texts whose words are numbers, with what is known about each word."""

    starts: NDArray[np.int64]  # text t is words[starts[t]:starts[t + 1]]
    words: NDArray[np.int32]
    function: NDArray[np.uint8]  # by word: whether it is a function word
    stems: NDArray[np.int32]  # by word: equal numbers for equal stems
    synset_starts: NDArray[np.int64]  # by word, into synsets
    synsets: NDArray[np.int32]
    phrase_words: NDArray[np.int32]  # by word: its number in the table of phrases, or -1


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """Phrases as a tree of words, and for each its paraphrases in the order of the file.

    Node 0 is the root. The children of node n are the nodes from first_child[n] to
    first_child[n + 1], sorted by word; its paraphrases the entries from first_entry[n] to
    first_entry[n + 1], and entry e is entry_words[entry_starts[e]:entry_starts[e + 1]].
    """

    first_child: NDArray[np.int32]
    node_words: NDArray[np.int32]
    first_entry: NDArray[np.int32]
    entry_starts: NDArray[np.int32]
    entry_words: NDArray[np.int32]
