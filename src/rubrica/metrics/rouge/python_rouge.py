"""The metric `python-rouge`: SacreROUGE's ROUGE in Python, its names and digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rubrica.core.rouge_options import RougeOptions
from rubrica.data.instance import SummaryType
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.rouge.batch import RougeMetric
from rubrica.metrics.rouge.metric import Rouge
from rubrica.metrics.rouge.profiles import profile_named
from rubrica.metrics.rouge.scorer import RougeScorer
from rubrica.metrics.rouge.tokens import splitter


@Metric.register("python-rouge")
class PythonRouge(RougeMetric):
    """SacreROUGE's PythonRouge: ROUGE-N and ROUGE-L close to ROUGE-1.5.5, with the Porter stemmer of 1980.

    Use it to reproduce published numbers; for new work use `rouge`. A string is one
    sentence, whatever lines it has. Empty texts score 0.

    Args:
        ngram_orders: The n of each ROUGE-N; null: 1 and 2.
        max_sentences: Truncate every text, references too, to its first sentences.
        max_words: Cut every text to its first words.
        max_bytes: Cut every text to its first characters (not bytes, in spite of the name).
        use_porter_stemmer: Stem words of more than 3 letters.
        remove_stopwords: Drop the common words of the SMART list, before stemming.
        compute_rouge_l: ROUGE-L, sentence by sentence.
        rouge_data_dir: Unused; accepted for compatibility with SacreROUGE: the word lists are built
            in.
    """

    citation: ClassVar[str] = Rouge.citation
    shown = ("precision", "recall", "f1")

    def __init__(
        self,
        ngram_orders: list[int] | None = None,
        max_sentences: int | None = None,
        max_words: int | None = None,
        max_bytes: int | None = None,
        use_porter_stemmer: bool = True,
        remove_stopwords: bool = False,
        compute_rouge_l: bool = False,
        rouge_data_dir: str | None = None,
    ) -> None:
        super().__init__()
        if sum(limit is not None for limit in (max_sentences, max_words, max_bytes)) > 1:
            raise ParameterError("only one of max_sentences, max_words and max_bytes can be given")
        if min(max_sentences or 0, max_words or 0, max_bytes or 0) < 0:
            raise ParameterError("max_sentences, max_words and max_bytes must not be negative")
        self.max_sentences, self.max_words, self.max_bytes = max_sentences, max_words, max_bytes
        orders = (1, 2) if ngram_orders is None else tuple(ngram_orders)
        if any(n < 1 for n in orders) or not (orders or compute_rouge_l):
            raise ParameterError(f"ngram_orders must be numbers from 1: {list(orders)}")
        profile = profile_named("python-rouge")
        self.keys = tuple(f"python-rouge-{n}" for n in orders)
        self.keys += ("python-rouge-l",) if compute_rouge_l else ()
        self.engine = RougeScorer(
            profile=profile,
            options=RougeOptions(tokenizer="given", ngrams=orders, lcs_union=compute_rouge_l),
            combination=profile.combine["average"],
            splitter=splitter(
                profile.tokens,
                stem=use_porter_stemmer,
                exceptions=True,
                stopwords=remove_stopwords,
                max_words=0,
                max_bytes=0,
            ),
        )

    def prepare(self, texts: Sequence[SummaryType]) -> Sequence[object]:
        """Return texts as lists of sentences, truncated to the limit."""
        return [self._cut(text) for text in texts]

    def _cut(self, text: SummaryType) -> list[str]:
        units = [text] if isinstance(text, str) else list(text)
        if self.max_sentences is not None:
            return units[: self.max_sentences]
        if self.max_words is not None:
            return _cut(units, self.max_words, words=True)
        return units if self.max_bytes is None else _cut(units, self.max_bytes, words=False)


def _cut(units: Sequence[str], budget: int, *, words: bool) -> list[str]:
    pieces: list[str] = []
    for unit in units:
        first = unit.split()[:budget] if words else unit[:budget].strip()
        pieces.append(" ".join(first) if words else str(first))
        budget -= len(first)
        if budget <= 0:
            break
    return pieces
