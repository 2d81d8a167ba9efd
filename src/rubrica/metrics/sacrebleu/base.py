"""What BLEU, chrF and TER share: sacrebleu does the counting, its signature goes into ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rubrica.data.instance import ReferenceType, SummaryType, flatten
from rubrica.data.metrics import MetricsDict
from rubrica.errors import MissingResourceError, ParameterError
from rubrica.metrics.base.corpus import CorpusMetric

# With smaller values sacrebleu divides by zero or returns meaningless numbers.
# Longer ones hardly ever match, and take memory by their length.
_LONGEST_NGRAM = 1000
_MINIMA = {"max_ngram_order": 1, "char_order": 1, "word_order": 0, "beta": 1}


class SacrebleuMetric(CorpusMetric, abstract=True):
    """A metric of sacrebleu; lists of sentences are joined by spaces.

    Empty texts score as sacrebleu scores them: an empty summary has 0 BLEU and chrF, and the TER of
    inserting the shortest reference (100 with one reference).
    """

    packages: ClassVar[Mapping[str, str]] = {"sacrebleu": "sacrebleu"}
    sacrebleu_class: ClassVar[str]

    def __init__(self, **options: Any) -> None:
        super().__init__()
        for name, least in _MINIMA.items():
            if options.get(name, least) < least:
                raise ParameterError(f"{self.label}: {name} must be at least {least}")
            if options.get(name, least) > _LONGEST_NGRAM and name.endswith("order"):
                raise ParameterError(f"{self.label}: {name} must be at most {_LONGEST_NGRAM}")
        scorer = _sacrebleu_metrics(self.label, self.sacrebleu_class)
        try:
            self._scorer = scorer(**options)
        except Exception as error:
            # Unknown tokenizer or missing package: sacrebleu may raise any exception.
            raise ParameterError(f"{self.label}: sacrebleu refuses {options}: {error}") from error

    def statistics(self, summary: SummaryType, references: Sequence[ReferenceType]) -> list[float]:
        """Return sacrebleu's sufficient statistics of one segment."""
        return self.statistics_multi_all([[summary]], [references])[0][0]

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[SummaryType]],
        references_list: Sequence[Sequence[ReferenceType]],
    ) -> list[list[list[float]]]:
        """Return the statistics of lists of summaries; each list's references are prepared once."""
        statistics = []
        for summaries, references in self._rows((summaries_list, references_list)):
            # sacrebleu itself does this for a whole corpus, with all its references in memory.
            known = self._scorer._cache_references(
                [[flatten(reference)] for reference in references]
            )[0]
            prepared = (self._scorer._preprocess_segment(flatten(summary)) for summary in summaries)
            rows = (self._segment_statistics(segment, known) for segment in prepared)
            statistics.append([[float(value) for value in row] for row in rows])
        return statistics

    def _segment_statistics(self, prepared: str, known: Mapping[str, Any]) -> Sequence[float]:
        """Return the statistics of a preprocessed summary against cached references."""
        counted: Sequence[float] = self._scorer._compute_segment_statistics(prepared, known)
        return counted

    def score_statistics(self, totals: Sequence[float]) -> MetricsDict:
        """Return sacrebleu's score of summed statistics."""
        scored = self._scorer._compute_score_from_stats(list(totals))
        return MetricsDict({self.label: scored.score})

    def signature_parameters(self) -> dict[str, str]:
        """Return sacrebleu's signature, without the number of references, which belongs to the data."""
        # sacrebleu has no signature before it has seen a reference.
        self.statistics("", [""])
        inner = self._scorer.get_signature()
        parts = {key: str(value) for key, value in inner.info.items() if value is not None}
        version = parts.pop("version")
        parts.pop("nrefs", None)
        words = {"True": "yes", "False": "no"}
        signature = {**{k: words.get(v, v) for k, v in parts.items()}, "sacrebleu": version}
        # Its signature leaves some choices out (max_ngram_order, beta): ours does not.
        return {**signature, **super().signature_parameters()}


def _sacrebleu_metrics(label: str, name: str) -> Any:
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise MissingResourceError(
            f"metric {label!r} needs sacrebleu: pip install 'rubrica[sacrebleu]'"
        ) from error
    return getattr(metrics, name)
