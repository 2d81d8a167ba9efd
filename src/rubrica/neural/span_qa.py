"""Extractive question answering: the span of a text that answers a question, if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubrica.neural.cache import Matrix
from rubrica.neural.model import Model


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """The best span with its probability, and the probability that there is no answer."""

    text: str
    probability: float
    null_probability: float

    @property
    def answered(self) -> bool:
        """Whether the span is likelier than no answer."""
        return self.probability > self.null_probability


@dataclass(frozen=True, slots=True)
class _Feature:
    """A window of the text with the question before it.

    `offsets` are None outside of the text; `best` says for each token whether no other window has more
    context on both sides of it.
    """

    ids: list[int]
    types: list[int] | None
    offsets: list[tuple[int, int] | None]
    best: list[bool]


class SpanQA(Model):
    """Answers questions as in SQuAD 2: windows of the text, the n best spans, one of them empty."""

    auto_class = "AutoModelForQuestionAnswering"
    longest = 384
    longest_question = 64
    step = 128
    best = 20
    longest_answer = 30

    def start_end_logits(
        self, features: Sequence[_Feature]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the start and end logits of every token of every window."""
        results = self.results(
            "start-end",
            [(feature.ids, feature.types) for feature in features],
            [len(feature.ids) for feature in features],
            lambda places: self._forward([features[at] for at in places]),
            what="questions",
        )
        return [(row[0].astype(np.float64), row[1].astype(np.float64)) for row in results]

    def answers(self, asked: Sequence[tuple[str, str]]) -> list[SpanAnswer]:
        """Return the answer to each (question, text)."""
        features = [self.features(question, text) for question, text in asked]
        logits = iter(self.start_end_logits([window for windows in features for window in windows]))
        return [
            self._best(text, windows, [next(logits) for _ in windows])
            for (_, text), windows in zip(asked, features, strict=True)
        ]

    def features(
        self,
        question: str,
        text: str,
        *,
        longest: int | None = None,
        longest_question: int | None = None,
    ) -> list[_Feature]:
        """Return the windows of a text, each after the question; they begin `step` tokens apart."""
        limit = min(self.limit, longest or self.longest)
        prompt = self._shortened(
            question, min(longest_question or self.longest_question, limit // 2)
        )
        frame = int(self.tokenizer.num_special_tokens_to_add(pair=True))
        words = len(self.tokenizer(prompt, add_special_tokens=False, verbose=False)["input_ids"])
        room = max(limit - frame - words, 1)
        encoding = self.tokenizer(
            prompt,
            text,
            truncation="only_second",
            max_length=limit,
            # The overlap of two windows.
            stride=max(room - self.step, 0),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        features, lengths = [], []
        for at, ids in enumerate(encoding["input_ids"]):
            owners = encoding.sequence_ids(at)
            offsets = [
                tuple(span) if owner == 1 else None
                for owner, span in zip(owners, encoding["offset_mapping"][at], strict=True)
            ]
            types = encoding["token_type_ids"][at] if "token_type_ids" in encoding else None
            lengths.append(sum(offset is not None for offset in offsets))
            features.append(_Feature(list(ids), list(types) if types else None, offsets, []))
        starts = [at * min(self.step, room) for at in range(len(features))]
        for at, feature in enumerate(features):
            place = starts[at]
            for offset in feature.offsets:
                inside = offset is not None
                feature.best.append(inside and _widest(place, starts, lengths) == at)
                place += inside
        return features

    def _shortened(self, question: str, limit: int) -> str:
        """Return the question cut to `limit` tokens."""
        encoding = self.tokenizer(
            question, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        spans = encoding["offset_mapping"]
        return question if len(spans) <= limit else question[: spans[limit - 1][1]]

    def _best(
        self,
        text: str,
        windows: Sequence[_Feature],
        logits: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    ) -> SpanAnswer:
        spans: list[tuple[float, str]] = []
        for window, (start, end) in zip(windows, logits, strict=True):
            spans += self._spans(text, window, start, end)
        if not spans:
            return SpanAnswer("", 0.0, 1.0)
        # "No answer" is a candidate with empty text.
        spans.append((min(float(start[0] + end[0]) for start, end in logits), ""))
        spans.sort(key=lambda span: -span[0])
        candidates: dict[str, float] = {}
        for score, answer in spans:
            if len(candidates) < self.best:
                candidates.setdefault(answer, score)
        candidates.setdefault("", next(score for score, answer in spans if not answer))
        scores = np.array(list(candidates.values()))
        exponentials = np.exp(scores - scores.max())
        shares = dict(zip(candidates, (exponentials / exponentials.sum()).tolist(), strict=True))
        answer = next(span for _, span in spans if span)
        return SpanAnswer(answer, shares[answer], shares[""])

    def _spans(
        self,
        text: str,
        window: _Feature,
        start: NDArray[np.float64],
        end: NDArray[np.float64],
    ) -> list[tuple[float, str]]:
        spans = []
        for begin in np.argsort(-start, kind="stable")[: self.best]:
            for last in np.argsort(-end, kind="stable")[: self.best]:
                first_chars, last_chars = window.offsets[begin], window.offsets[last]
                if first_chars is None or last_chars is None or not window.best[begin]:
                    continue
                if last < begin or last - begin + 1 > self.longest_answer:
                    continue
                answer = " ".join(text[first_chars[0] : last_chars[1]].split())
                if answer:
                    spans.append((float(start[begin] + end[last]), answer))
        return spans

    def _forward(self, features: Sequence[_Feature]) -> list[Matrix]:
        ids, mask = self.padded([feature.ids for feature in features])
        tensors: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        if features[0].types is not None:
            tensors["token_type_ids"] = self.padded(
                [feature.types or [] for feature in features], fill=0
            )[0]
        output = self.network(**tensors)
        starts, ends = (
            output.start_logits.float().cpu().numpy(),
            output.end_logits.float().cpu().numpy(),
        )
        return [
            np.stack([starts[at, : len(feature.ids)], ends[at, : len(feature.ids)]])
            for at, feature in enumerate(features)
        ]


def _widest(place: int, starts: Sequence[int], lengths: Sequence[int]) -> int:
    """Return the window with the most context around a token; the first of equals."""

    def around(at: int) -> float:
        before, right = place - starts[at], starts[at] + lengths[at] - 1 - place
        return min(before, right) + 0.01 * lengths[at] if min(before, right) >= 0 else -1.0

    return max(range(len(starts)), key=around)
