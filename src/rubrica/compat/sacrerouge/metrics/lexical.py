"""Metrics of SacreROUGE that compare words or characters; none needs the programs that it runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from rubrica.compat.sacrerouge.common import DATA_ROOT
from rubrica.compat.sacrerouge.metrics.metric import (
    DocumentBasedMetric,
    Metric,
    ReferenceBasedMetric,
    RubricaMetric,
)
from rubrica.errors import MissingResourceError


@Metric.register("rouge")
class Rouge(RubricaMetric, ReferenceBasedMetric):
    """ROUGE-1.5.5; no Perl is needed, and `rouge_root` is not used."""

    aggregates_itself = True

    def __init__(
        self,
        max_ngram: int = 4,
        use_porter_stemmer: bool = True,
        remove_stopwords: bool = False,
        max_bytes: int | None = None,
        max_words: int | None = None,
        compute_rouge_l: bool = False,
        skip_bigram_gap_length: int | None = None,
        wlcs_weight: float | None = None,
        rouge_root: str = f"{DATA_ROOT}/metrics/ROUGE-1.5.5",
        scoring_function: str = "average",
    ) -> None:
        super().__init__()
        self.use(
            "rouge",
            max_ngram=max_ngram,
            use_porter_stemmer=use_porter_stemmer,
            remove_stopwords=remove_stopwords,
            max_bytes=max_bytes,
            max_words=max_words,
            compute_rouge_l=compute_rouge_l,
            skip_bigram_gap_length=skip_bigram_gap_length,
            wlcs_weight=wlcs_weight,
            scoring_function=scoring_function,
            # Other scripts have no words in the Perl program.
            fallback="none",
        )


@Metric.register("sent-bleu")
class SentBleu(RubricaMetric, ReferenceBasedMetric):
    """BLEU of single summaries; the parameters are those of sacreBLEU."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.use("sent-bleu", **kwargs)


@Metric.register("chrf")
class ChrF(RubricaMetric, ReferenceBasedMetric):
    """chrF of single summaries; the parameters are those of sacreBLEU."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.use("chrf", **kwargs)


@Metric.register("meteor")
class Meteor(RubricaMetric, ReferenceBasedMetric):
    """METEOR 1.5 with its paraphrase table, which must be below `meteor_root` or in pycocoevalcap."""

    aggregates_itself = True

    def __init__(self, meteor_root: str = f"{DATA_ROOT}/metrics/METEOR") -> None:
        super().__init__()
        self.use("meteor", paraphrases=_paraphrase_table(meteor_root))


@Metric.register("autosummeng")
class AutoSummENG(RubricaMetric, ReferenceBasedMetric):
    """AutoSummENG, MeMoG and NPowER; no Java is needed."""

    def __init__(
        self,
        min_n: int = 3,
        max_n: int = 3,
        d_window: int = 3,
        min_score: float = 0.0,
        max_score: float = 1.0,
        autosummeng_root: str = f"{DATA_ROOT}/metrics/AutoSummENG",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        self.use(
            "autosummeng",
            min_n=min_n,
            max_n=max_n,
            d_window=d_window,
            min_score=min_score,
            max_score=max_score,
        )


@Metric.register("simetrix")
class SIMetrix(RubricaMetric, DocumentBasedMetric):
    """SIMetrix; no Java is needed."""

    aggregates_itself = True

    def __init__(
        self,
        use_stemmer: bool = True,
        remove_stopwords: bool = True,
        simetrix_root: str = f"{DATA_ROOT}/metrics/simetrix",
    ) -> None:
        super().__init__()
        self.use("simetrix", use_stemmer=use_stemmer, remove_stopwords=remove_stopwords)


def _paraphrase_table(meteor_root: str) -> str:
    """METEOR's own table: of its release below `meteor_root`, or of the package pycocoevalcap."""
    folders = [Path(meteor_root)]
    package = importlib.util.find_spec("pycocoevalcap")
    if package is not None and package.submodule_search_locations:
        folders += [Path(folder, "meteor") for folder in package.submodule_search_locations]
    for folder in folders:
        for table in sorted(folder.rglob("paraphrase-en.gz")):
            return str(table)
    raise MissingResourceError(
        f"METEOR's paraphrase table is missing: unpack meteor-1.5.tar.gz in {meteor_root}, or "
        "pip install pycocoevalcap (Rubrica's own metric 'meteor' also runs without it, with "
        "other numbers)"
    )
