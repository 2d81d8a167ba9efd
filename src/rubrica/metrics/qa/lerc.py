"""LERC: a learned comparison of an answer with the right one, on a scale from 1 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rubrica.errors import DataError
from rubrica.neural.classifier import FirstVectorRegression, TokenInput

HEAD = "lerc_head.safetensors"
LONGEST = 512


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """A predicted answer to a question about a text, and the right one."""

    context: str
    question: str
    reference: str
    candidate: str


class AnswerComparison(FirstVectorRegression):
    """A BERT with one linear layer (Chen et al. 2020): `[CLS] context [SEP] question [SEP] right [SEP] given [SEP]`."""

    head_file = HEAD
    remedy = "rubrica qa-eval convert-checkpoint lerc.tar.gz OUT --base bert-base-uncased"

    def ratings(self, comparisons: Sequence[AnswerPair]) -> list[float]:
        """Return the predicted rating of each comparison; truncates long contexts at the end."""
        texts = list(
            dict.fromkeys(
                text
                for a in comparisons
                for text in (a.context, a.question, a.reference, a.candidate)
            )
        )
        ids = dict(zip(texts, self.bare_ids(texts), strict=True))
        limit = min(self.limit, LONGEST)
        inputs, cut = [], 0
        for a in comparisons:
            parts = [ids[text] for text in (a.context, a.question, a.reference, a.candidate)]
            cut += sum(map(len, parts)) + len(parts) + 1 > limit
            inputs.append(self._input(parts, limit))
        self.warn_of_cut(cut, len(inputs), limit)
        rows = self.logits_of(inputs, what="answers")
        if rows and len(rows[0]) != 1:
            raise DataError(
                f"{HEAD} has {len(rows[0])} outputs, not one", file=str(self.checkpoint.folder)
            )
        return [float(row[0]) for row in rows]

    def _input(self, parts: Sequence[Sequence[int]], limit: int) -> TokenInput:
        cls, sep = self.special_ids("cls", "sep")
        room = limit - len(parts) - 1
        fitted: list[Sequence[int]] = []
        # Truncate the context first, then what comes before the answers.
        for part in reversed(parts):
            fitted.insert(0, part[: max(room, 0)])
            room -= len(part)
        context, question, reference, candidate = fitted
        ids = [cls, *context, sep, *question, sep, *reference, sep, *candidate, sep]
        first = len(context) + len(question) + 3
        return {"input_ids": ids, "token_type_ids": [0] * first + [1] * (len(ids) - first)}
