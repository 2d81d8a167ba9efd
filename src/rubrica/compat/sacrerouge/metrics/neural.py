"""Metrics of SacreROUGE that run a model: the original's model, never the small default of Rubrica."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubrica.compat.sacrerouge.common import DATA_ROOT
from rubrica.compat.sacrerouge.metrics.metric import (
    DocumentBasedMetric,
    Metric,
    ReferenceBasedMetric,
    ReferenceFreeMetric,
    RubricaMetric,
)
from rubrica.metrics.qa import qaeval

# Whether models can run here; whether their weights are there is known when they are loaded.
BERTSCORE_INSTALLED = BLANC_INSTALLED = MOVERSCORE_INSTALLED = QAEVAL_INSTALLED = (
    importlib.util.find_spec("torch") is not None
)
# How many texts a model takes at once moves no score.
_BATCHES = ("inference_batch_size", "finetune_batch_size")


def device_of(cuda_device: int) -> str | None:
    """Return the device of a number: -1 is the CPU, 0 a GPU where there is one."""
    if cuda_device == 0:
        return None
    return "cpu" if cuda_device < 0 else f"cuda:{cuda_device}"


@Metric.register("bertscore")
class BertScore(RubricaMetric, ReferenceBasedMetric):
    """BERTScore on the original's model of the language; further parameters are Rubrica's."""

    def __init__(
        self,
        model_type: str | None = None,
        num_layers: int | None = None,
        nthreads: int = 4,
        batch_size: int = 64,
        lang: str = "en",
        verbose: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.use("bertscore", model_type=model_type, num_layers=num_layers, lang=lang, **kwargs)


@Metric.register("moverscore")
class MoverScore(RubricaMetric, ReferenceBasedMetric):
    """MoverScore (v2) on distilbert-base-uncased."""

    def __init__(self, moverscore_root: str = f"{DATA_ROOT}/metrics/MoverScore") -> None:
        super().__init__()
        self.use("moverscore", model_type="distilbert-base-uncased")


@Metric.register("bleurt")
class Bleurt(RubricaMetric, ReferenceBasedMetric):
    """BLEURT on a converted checkpoint."""

    def __init__(
        self,
        environment_name: str | None = None,
        checkpoint: str = "bleurt-base-128",
        bleurt_root: str = f"{DATA_ROOT}/metrics/bleurt",
        batch_size: int = 100,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        self.use("bleurt", checkpoint=checkpoint)


@Metric.register("qa-eval")
class QAEval(RubricaMetric, ReferenceBasedMetric):
    """QAEval; checkpoints other than the default are folders that Rubrica converted."""

    rubrica: qaeval.QAEval

    def __init__(
        self,
        answer_selection_strategy: str = "np-chunks",
        generation_model_path: str | None = None,
        answering_model_dir: str | None = None,
        cuda_device: int = 0,
        generation_batch_size: int = 8,
        answering_batch_size: int = 8,
        use_lerc: bool = False,
        lerc_model_path: str | None = None,
        lerc_pretrained_model_path: str | None = None,
        lerc_batch_size: int = 8,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        self.use(
            "qa-eval",
            answer_selection_strategy=answer_selection_strategy,
            answer_selector="en_core_web_sm",
            generation_model=generation_model_path,
            answering_model=answering_model_dir,
            use_lerc=use_lerc,
            lerc_model=lerc_model_path,
            device=device_of(cuda_device),
        )

    def score_multi_all(
        self,
        summaries_list: Sequence[Any],
        *args: Any,
        return_qa_pairs: bool = False,
        **kwargs: Any,
    ) -> list[Any]:
        """Score lists of summaries; with `return_qa_pairs` each score comes with its questions and answers."""
        scored = super().score_multi_all(summaries_list, *args, **kwargs)
        if not return_qa_pairs:
            return scored
        return [
            [
                (row, [self._qa_pairs(summary, reference) for reference in references])
                for row, summary in zip(rows, summaries, strict=True)
            ]
            for rows, summaries, references in zip(scored, summaries_list, args[0], strict=True)
        ]

    def _qa_pairs(self, summary: Any, reference: Any) -> list[dict[str, Any]]:
        """The questions about a reference with their answers, in the shape of the package qaeval."""
        return [
            {
                "question": {"question": question.question, "answer": question.answer},
                "prediction": {
                    "prediction": question.prediction.text,
                    "start": question.start,
                    "end": question.start + len(question.prediction.text),
                    "probability": question.prediction.probability,
                    "null_probability": question.prediction.null_probability,
                    **self._shown(question.scores),
                },
            }
            for question in self.rubrica.answered_questions(summary, reference)
        ]

    def _shown(self, scores: Mapping[str, float]) -> dict[str, float]:
        return {
            key: value for key, value in scores.items() if key != "lerc" or self.rubrica.use_lerc
        }


@Metric.register("blanc")
class Blanc(RubricaMetric, DocumentBasedMetric):
    """BLANC-help or BLANC-tune on bert-base-uncased; further parameters are Rubrica's."""

    def __init__(
        self,
        blanc_type: str = "blanc_help",
        device: str = "cuda",
        random_seed: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if "model_name" in kwargs:
            kwargs["model"] = kwargs.pop("model_name")
        options = {key: value for key, value in kwargs.items() if key not in _BATCHES}
        self.use(
            "blanc",
            blanc_type=blanc_type,
            # The default means a GPU where there is one.
            device=None if device == "cuda" else device,
            random_seed=random_seed,
            **{"sentence_splitter": "punkt", **options},
        )


@Metric.register("supert")
class SUPERT(RubricaMetric, DocumentBasedMetric):
    """SUPERT on the original's bert-large-nli-stsb-mean-tokens."""

    def __init__(
        self,
        environment_name: str | None = None,
        supert_root: str = f"{DATA_ROOT}/metrics/SUPERT",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        model = "sentence-transformers/bert-large-nli-stsb-mean-tokens"
        self.use("supert", model_type=model, sentence_splitter="punkt")


@Metric.register("sum-qe")
class SumQE(RubricaMetric, ReferenceFreeMetric):
    """SumQE on a converted checkpoint; SacreROUGE's three model files are known by their names."""

    def __init__(
        self,
        model_file: str = f"{DATA_ROOT}/metrics/SumQE/models/multitask_5-duc2006_duc2007.npy",
        sum_qe_root: str = f"{DATA_ROOT}/metrics/SumQE",
        python_binary: str = "python",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        path = Path(model_file)
        released = path.suffix == ".npy" and path.stem.startswith("multitask_5-duc")
        name = path.stem.replace("multitask_5-", "sumqe-").replace("_", "-")
        self.use("sum-qe", model=name if released else model_file, sentence_splitter="punkt")


@Metric.register("s3")
class S3(RubricaMetric, ReferenceBasedMetric):
    """S3 with the word vectors deps.words; no Python 2 is needed."""

    def __init__(
        self,
        environment_name: str | None = None,
        s3_root: str = f"{DATA_ROOT}/metrics/S3",
        embeddings_file: str = f"{DATA_ROOT}/metrics/S3/deps.words.bz2",
        model_dir: str = f"{DATA_ROOT}/metrics/S3/models/en",
        verbose: bool = False,
    ) -> None:
        super().__init__()
        self.use("s3", embeddings_file=embeddings_file)
