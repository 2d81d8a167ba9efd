"""What the ROUGE kernels count: one set of choices, read alike by the compiled and the plain twin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

LONGEST_GRAM = 10_000
"""The longest n-gram that a kernel counts."""

Tokenizer = Literal["ascii", "lower", "given"]
Stemmer = Literal["none", "porter-rouge", "porter-nltk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeOptions:
    """Choices of one count.

    `tokenizer`: "ascii" reads UTF-8 bytes, lower-cases A-Z and keeps runs of [a-z0-9] (ROUGE-1.5.5);
    "lower" applies Python's `str.lower` first (rouge-score); "given" takes units that are lists of
    tokens. `stemmer`: "porter-rouge" is the official variant, "porter-nltk" NLTK's default mode;
    both leave tokens of 3 letters and less alone. `exceptions`: consult the WordNet table before
    "porter-rouge" stems.
    `newline_units`: a text given as one string is split into units at newlines.
    """

    tokenizer: Tokenizer = "ascii"
    stemmer: Stemmer = "none"
    exceptions: bool = True
    stopwords: bool = False
    newline_units: bool = False
    max_words: int | None = None
    max_bytes: int | None = None
    ngrams: tuple[int, ...] = ()
    lcs: bool = False
    lcs_union: bool = False
    wlcs_weight: float | None = None
    skip_gaps: tuple[int | None, ...] = ()
    skip_unigram_gaps: tuple[int | None, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the result columns, in their order: n1.., l, lsum, w, s<gap>.., su<gap>.."""
        names = [f"n{n}" for n in self.ngrams]
        names += (
            ["l"] * self.lcs + ["lsum"] * self.lcs_union + ["w"] * (self.wlcs_weight is not None)
        )
        names += [f"s{'*' if gap is None else gap}" for gap in self.skip_gaps]
        names += [f"su{'*' if gap is None else gap}" for gap in self.skip_unigram_gaps]
        return tuple(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeFinish:
    """How counts become scores.

    Recall and precision are hits over the two counts (0 where a count is 0), each raised to the
    measure's exponent, then rounded to 5 digits if `printed`. F is P R / ((1 - alpha) P + alpha R),
    or, with an `epsilon`, 2 (P R / (P + R + epsilon)); it too is rounded if `printed`. `scale`
    multiplies all three at the end, or with `scale_first` recall and precision before F is formed.
    """

    alpha: float = 0.5
    epsilon: float = 0.0
    printed: bool = False
    scale: float = 1.0
    scale_first: bool = False


def power(values: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    """Powers by the C library: numpy's own can differ from Perl's and Python's in the last bit."""
    flat = [value**exponent for value in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)


def scale_printed(scores: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Scores of five digits times `scale`, exact in these digits: 0.26906 gives 26.906, unlike a product."""
    return np.rint(scores * 1e5) / (1e5 / scale)
