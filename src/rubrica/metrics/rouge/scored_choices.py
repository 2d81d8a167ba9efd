"""Scores by a row of choices, also by combinations that no package has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rubrica.core import kernels
from rubrica.core.python.rouge import count_texts
from rubrica.core.python.rouge_text import Text as Tokens
from rubrica.core.rouge_options import RougeOptions
from rubrica.data.instance import Text
from rubrica.errors import ParameterError
from rubrica.metrics.rouge.bootstrap import (
    official_order,
    official_scores,
    printed_units,
    rouge_score_intervals,
)
from rubrica.metrics.rouge.non_ascii import ASCII_ONLY, unread
from rubrica.metrics.rouge.pltrdy import pltrdy_counts
from rubrica.metrics.rouge.preset_tokens import fallback_reader, reader_of
from rubrica.metrics.rouge.presets import Choices, check
from rubrica.metrics.rouge.profiles import Profile
from rubrica.metrics.rouge.scorer import HITS, Floats, RougeScorer
from rubrica.parameters import SEED

Part: TypeAlias = Literal["recall", "precision", "f1"]
PARTS: tuple[Part, ...] = ("recall", "precision", "f1")
_SKIP = re.compile(r"(su?)(\d+|\*)")
_WEIGHTED = re.compile(r"w-(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Scored:
    """Texts under one row of choices: their tokens, scores [summary, (recall, precision, f1)] and hits."""

    choices: Choices
    summaries: Sequence[Tokens]
    references: Sequence[Sequence[Tokens]]
    scores: Floats
    hits: float

    def system(self) -> dict[Part, float]:
        """Return the system's scores, from 0 to 1."""
        return dict(zip(PARTS, _system(self.choices, self.scores).tolist(), strict=True))


def scored(
    summaries: Sequence[Text],
    references: Sequence[Sequence[Text]],
    choices: Choices,
    measure: str,
) -> Scored:
    """Score summaries by these choices: `rouge-1`, `rouge-l`, `rouge-w-1.2`, `rouge-su4`, ..."""
    check(choices, references)
    read = reader_of(choices)
    sizes = np.array([len(group) for group in references])
    owners = np.repeat(np.arange(len(summaries)), sizes)
    pairs = np.stack([owners, np.arange(len(owners))], axis=1).astype(np.int64)
    texts = [read(text) for text in summaries]
    reference_tokens = [read(text) for group in references for text in group]
    summary_tokens = list(texts)
    if choices.fallback != "none" and choices.tokens in ASCII_ONLY:
        # Both texts of a pair use the same tokenizer, so a summary may be needed in both forms.
        other, places = fallback_reader(choices), dict[int, int]()
        all_references = [text for group in references for text in group]
        for at in np.flatnonzero(unread(summaries)[owners] | unread(all_references)).tolist():
            owner = int(owners[at])
            if owner not in places:
                places[owner] = len(texts)
                summary_tokens[owner] = other(summaries[owner])
                texts.append(summary_tokens[owner])
            pairs[at, 0], reference_tokens[at] = places[owner], other(all_references[at])
    options = _options(choices, measure)
    counts = _counts(choices, options, texts, reference_tokens, pairs)
    starts = np.cumsum(sizes) - sizes
    scores = _engine(choices, options).score(counts, starts)[:, 0]
    groups = [
        reference_tokens[start : start + size] for start, size in zip(starts, sizes, strict=True)
    ]
    return Scored(choices, summary_tokens, groups, scores, float(counts[:, 0, HITS].sum()))


def _options(choices: Choices, measure: str) -> RougeOptions:
    kind = measure.removeprefix("rouge-")
    if kind == "l":
        union = choices.level == "sentences"
        return RougeOptions(tokenizer="given", lcs=not union, lcs_union=union)
    if kind.isdecimal() and int(kind) >= 1:
        return RougeOptions(tokenizer="given", ngrams=(int(kind),))
    if (match := _WEIGHTED.fullmatch(kind)) and float(match[1]) > 0:
        if float(match[1]) == 1 and choices.weighing == "back":
            return RougeOptions(tokenizer="given", lcs_union=True)
        return RougeOptions(tokenizer="given", wlcs_weight=float(match[1]))
    if match := _SKIP.fullmatch(kind):
        gaps = (None if match[2] == "*" else int(match[2]),)
        if match[1] == "s":
            return RougeOptions(tokenizer="given", skip_gaps=gaps)
        return RougeOptions(tokenizer="given", skip_unigram_gaps=gaps)
    if kind == "lsum":
        raise ParameterError(
            "rouge-lsum is rouge-l over sentences: explain rouge-l, with level=sentences after the preset, as in "
            "rouge-score,level=sentences"
        )
    raise ParameterError(
        f"{measure!r} cannot be explained; rouge-1, rouge-2, ..., rouge-l, rouge-w-1.2, rouge-s4, "
        "rouge-su4 and rouge-su* can"
    )


def _counts(
    choices: Choices,
    options: RougeOptions,
    summaries: Sequence[Tokens],
    references: Sequence[Tokens],
    pairs: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> Floats:
    if choices.bytes and (options.lcs_union or options.wlcs_weight is not None):
        # The limit keeps different words in the sentences than in the text; only texts have both.
        return count_texts(options, summaries, references, pairs)
    peers, models = ([text.units for text in texts] for texts in (summaries, references))
    if choices.bytes:
        peers, models = ([[text.whole] for text in texts] for texts in (summaries, references))
    if (options.lcs and choices.level in ("words", "pairs")) or (
        options.ngrams and choices.counting == "sets"
    ):
        distinct = choices.level == "words" if options.lcs else True
        return pltrdy_counts(options, peers, models, pairs, distinct=distinct)
    counts = kernels.rouge_counts(options, peers, models, pairs)
    if choices.counting == "negative" and options.ngrams:
        for side, texts in ((2, summaries), (1, references)):
            sizes = np.array([len(text.whole) for text in texts], dtype=float)
            counts[:, 0, side] = sizes[pairs[:, 0 if side == 2 else 1]] - (options.ngrams[0] - 1)
    return counts


def _engine(choices: Choices, options: RougeOptions) -> RougeScorer:
    profile = Profile(
        name="",
        origin="",
        tokens="whitespace",
        combine={"average": choices.references},
        best_w=choices.weighing,
        negative_counts=choices.counting == "negative",
        printed=choices.rounding == "5-digits",
        single_precision=choices.rounding == "single",
        epsilon=choices.epsilon,
    )
    return RougeScorer(profile=profile, options=options, combination=choices.references)


def _system(choices: Choices, scores: Floats) -> Floats:
    """Return the system's recall, precision and F."""
    if choices.system == "resamples":
        return official_scores(printed_units(scores, order=official_order(len(scores))))[0]
    if choices.system == "median":
        # rouge-score's columns are precision, recall, F; of an unseeded generator any seed is as good.
        swapped = scores[:, [1, 0, 2]]
        middle = rouge_score_intervals(swapped, random=np.random.RandomState(SEED))[1]
        ordered = middle[[1, 0, 2]]
        return np.asarray(ordered)
    means: Floats = scores.mean(axis=0)
    if choices.system == "f-of-means":
        below = means[0] + means[1]
        means[2] = 2 * means[0] * means[1] / below if below > 0 else 0.0
    return means
