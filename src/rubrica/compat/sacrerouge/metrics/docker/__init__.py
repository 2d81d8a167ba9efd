"""SacreROUGE's metrics in Docker images; here they run without Docker, and `image` is not used."""

from __future__ import annotations

from typing import Any

from rubrica.compat.sacrerouge.data import MetricsDict
from rubrica.compat.sacrerouge.metrics.metric import Metric, ReferenceBasedMetric, RubricaMetric
from rubrica.compat.sacrerouge.metrics.neural import QAEval, device_of
from rubrica.metrics.rouge.tokens import punkt_sentences

__all__ = [
    "DockerBARTScore",
    "DockerBertScore",
    "DockerBluert",
    "DockerLite3Pyramid",
    "DockerMoverScore",
    "DockerQAEval",
    "DockerRouge",
    "ReferenceBasedDockerMetric",
]


class ReferenceBasedDockerMetric(ReferenceBasedMetric):
    """Scores with a metric of the package `repro`: anything with `predict_batch`."""

    def __init__(self, metric: Any) -> None:
        super().__init__()
        self.metric = metric

    def score_multi_all(self, summaries_list: Any, *args: Any, **_: Any) -> list[Any]:
        """Score lists of summaries, each list with references of its own."""
        inputs = [
            {"candidate": summary, "references": references}
            for summaries, references in zip(summaries_list, args[0], strict=True)
            for summary in summaries
        ]
        _, rows = self.metric.predict_batch(inputs)
        scored = iter(rows)
        return [[MetricsDict(next(scored)) for _ in summaries] for summaries in summaries_list]


@Metric.register("docker-rouge")
class DockerRouge(RubricaMetric, ReferenceBasedMetric):
    """ROUGE-1.5.5 with ROUGE-L and, unless switched off, ROUGE-SU4."""

    def __init__(
        self,
        image: str = "danieldeutsch/lin2004:1.0",
        ngram_order: int = 4,
        porter_stemmer: bool = True,
        remove_stopwords: bool = False,
        sentence_split: bool = True,
        calculate_su4: bool = True,
    ) -> None:
        super().__init__()
        self.use(
            "rouge",
            profile="rouge-1.5.5",
            max_ngram=ngram_order,
            use_porter_stemmer=porter_stemmer,
            remove_stopwords=remove_stopwords,
            compute_rouge_l=True,
            skip_bigram_gap_length=4 if calculate_su4 else None,
        )
        self.sentence_split = sentence_split

    def score_multi_all(self, summaries_list: Any, *args: Any, **_: Any) -> list[Any]:
        """Score lists of summaries; strings are cut into sentences, lists are taken as they are."""
        summaries_list, references_list = (
            [[self._sentences(text) for text in group] for group in groups]
            for groups in (summaries_list, args[0])
        )
        return super().score_multi_all(summaries_list, references_list)

    def _sentences(self, text: Any) -> Any:
        return punkt_sentences(text) if self.sentence_split and isinstance(text, str) else text


@Metric.register("docker-bertscore")
class DockerBertScore(RubricaMetric, ReferenceBasedMetric):
    """BERTScore on the original's model of the language."""

    def __init__(
        self,
        image: str = "danieldeutsch/zhang2020:1.0",
        model: str | None = None,
        device: int = 0,
        batch_size: int = 64,
        language: str = "en",
    ) -> None:
        super().__init__()
        self.use("bertscore", model_type=model, lang=language, device=device_of(device))


@Metric.register("docker-moverscore")
class DockerMoverScore(RubricaMetric, ReferenceBasedMetric):
    """MoverScore (v1) on a BERT fine-tuned on MNLI, which must be converted first."""

    def __init__(self, image: str = "danieldeutsch/zhao2019:1.0", device: int = 0) -> None:
        super().__init__()
        self.use(
            "moverscore",
            model_type="bert-base-uncased-mnli",
            version="v1",
            device=device_of(device),
        )

    def row(self, values: Any) -> MetricsDict:
        """Return the score under the image's key."""
        return MetricsDict({"moverscore": values["MoverScore"]})


@Metric.register("docker-bleurt")
class DockerBluert(RubricaMetric, ReferenceBasedMetric):
    """BLEURT on a converted checkpoint."""

    def __init__(
        self,
        image: str = "danieldeutsch/sellam2020:1.0",
        model: str = "bleurt-base-128",
        device: int = 0,
        batch_size: int = 16,
    ) -> None:
        super().__init__()
        self.use("bleurt", checkpoint=model, device=device_of(device))

    def row(self, values: Any) -> MetricsDict:
        """Return the scores under the image's keys."""
        own = values["bleurt"]
        return MetricsDict({"bleurt": {"mean": own["average"], "max": own["max"]}})


@Metric.register("docker-bartscore")
class DockerBARTScore(RubricaMetric, ReferenceBasedMetric):
    """BARTScore from summary to reference, the mean over references."""

    def __init__(
        self, image: str = "danieldeutsch/yuan2021:1.0", model: str = "default", device: int = 0
    ) -> None:
        super().__init__()
        name = "facebook/bart-large" if model == "default" else model
        self.use("bartscore", model=name, mode="recall", device=device_of(device))


@Metric.register("docker-lite3pyramid")
class DockerLite3Pyramid(RubricaMetric, ReferenceBasedMetric):
    """Lite3Pyramid."""

    def __init__(
        self,
        image: str = "danieldeutsch/zhang2021:1.0",
        model: str | None = None,
        device: int = 0,
    ) -> None:
        super().__init__()
        self.use("lite3pyramid", model=model, device=device_of(device))


@Metric.register("docker-qa-eval")
class DockerQAEval(QAEval):
    """QAEval with LERC."""

    def __init__(
        self,
        image: str = "danieldeutsch/qaeval:1.0",
        device: int = 0,
        generation_batch_size: int = 8,
        answering_batch_size: int = 8,
        lerc_batch_size: int = 8,
    ) -> None:
        super().__init__(cuda_device=device, use_lerc=True)
