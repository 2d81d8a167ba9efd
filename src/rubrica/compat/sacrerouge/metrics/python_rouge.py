"""SacreROUGE's ROUGE in Python, with the steps that its users call by themselves."""

from __future__ import annotations

from typing import Any

from rubrica.compat.sacrerouge.common import DATA_ROOT
from rubrica.compat.sacrerouge.metrics.metric import Metric, ReferenceBasedMetric, RubricaMetric
from rubrica.data import SummaryType
from rubrica.metrics.rouge import python_rouge as ours


@Metric.register("python-rouge")
class PythonRouge(RubricaMetric, ReferenceBasedMetric):
    """ROUGE-N and ROUGE-L near ROUGE-1.5.5; the word lists are built in."""

    rubrica: ours.PythonRouge

    def __init__(
        self,
        ngram_orders: list[int] | None = None,
        max_sentences: int | None = None,
        max_words: int | None = None,
        max_bytes: int | None = None,
        use_porter_stemmer: bool = True,
        remove_stopwords: bool = False,
        compute_rouge_l: bool = False,
        rouge_data_dir: str = f"{DATA_ROOT}/metrics/ROUGE-1.5.5/data",
    ) -> None:
        super().__init__()
        self.use(
            "python-rouge",
            ngram_orders=ngram_orders,
            max_sentences=max_sentences,
            max_words=max_words,
            max_bytes=max_bytes,
            use_porter_stemmer=use_porter_stemmer,
            remove_stopwords=remove_stopwords,
            compute_rouge_l=compute_rouge_l,
        )

    def normalize_and_tokenize_sentence(self, sentence: str) -> list[str]:
        """Return the words of a sentence as they are compared."""
        return self._words([sentence])[0]

    def preprocess_summary(self, summary: SummaryType) -> list[list[str]]:
        """Return the words of each sentence of a summary, cut to the limit."""
        return self._words(self.rubrica.prepare([summary])[0])

    def _words(self, sentences: Any) -> list[list[str]]:
        split = self.rubrica.engine.splitter
        assert split is not None
        return [list(words) for words in split(sentences)]


def shorten_summary(
    summary: SummaryType,
    max_sentences: int | None = None,
    max_words: int | None = None,
    max_bytes: int | None = None,
) -> Any:
    """Return the first sentences, words or characters of a summary."""
    metric = ours.PythonRouge(max_sentences=max_sentences, max_words=max_words, max_bytes=max_bytes)
    return metric.prepare([summary])[0]
