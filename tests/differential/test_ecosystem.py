"""The adapters inside of the packages they are for, which run here as their users run them.

Hugging Face's evaluate fetches its metrics from the Hub. Here it loads one from a folder, written below: as
the one on the Hub it hands texts to rouge-score and takes the middle of the bootstrap.
"""

from __future__ import annotations

import gc
import importlib
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rubrica.compat import mlflow as compat_mlflow
from rubrica.compat.callables import inspect_scorer, process_results, scorer
from rubrica.compat.evaluate import load
from rubrica.compat.torchmetrics import ROUGEScore
from rubrica.errors import ComparabilityWarning
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.non_ascii import mostly_dropped
from rubrica.text.sentences import punkt_tokenizer
from support import rouge_check

# The packages warn of themselves and of each other; that is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, list[str]]]:
    """Texts with words, in letters that the packages read."""
    found = []
    for summary, references in rouge_check.cases().values():
        if references and not any(map(mostly_dropped, (summary, *references))):
            found.append((summary, references))
    return found[:60]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComparabilityWarning)
        yield


# ---------------------------------------------------------------- evaluate

MODULE = """
import datasets
import evaluate
from rouge_score import rouge_scorer, scoring

KEYS = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
TEXT = datasets.Value("string")


class Rouge(evaluate.Metric):
    def _info(self):
        shapes = [
            datasets.Features({"predictions": TEXT, "references": datasets.Sequence(TEXT)}),
            datasets.Features({"predictions": TEXT, "references": TEXT}),
        ]
        return evaluate.MetricInfo(description="", citation="", features=shapes)

    def _compute(self, predictions, references, rouge_types=None, use_aggregator=True, use_stemmer=False):
        scorer = rouge_scorer.RougeScorer(rouge_types or KEYS, use_stemmer=use_stemmer)
        aggregator = scoring.BootstrapAggregator()
        rows = []
        for prediction, wanted in zip(predictions, references):
            one = scorer.score_multi if isinstance(wanted, list) else scorer.score
            rows.append(one(wanted, prediction))
            aggregator.add_scores(rows[-1])
        if not use_aggregator:
            return {key: [row[key].fmeasure for row in rows] for key in rows[0]}
        return {key: found.mid.fmeasure for key, found in aggregator.aggregate().items()}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    evaluate = pytest.importorskip("evaluate")
    folder = tmp_path_factory.mktemp("evaluate")
    (folder / "rouge").mkdir()
    (folder / "rouge" / "rouge.py").write_text(MODULE)

    def loaded(seed: int) -> Any:
        return evaluate.load(str(folder / "rouge"), seed=seed, cache_dir=str(folder / "cache"))

    return loaded


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("more", [{}, {"use_stemmer": True}, {"use_aggregator": False}])
def test_evaluate_itself_gives_the_same_keys_and_numbers(
    module: Any, texts: Any, several: bool, more: dict[str, Any]
) -> None:
    given: dict[str, Any] = {
        "predictions": [summary for summary, _ in texts],
        "references": [refs if several else refs[0] for _, refs in texts],
    }
    expected = module(42).compute(**given, **more)
    found = load("rouge", seed=42).compute(**given, **more)
    assert list(found) == list(expected)
    assert found == expected


def test_evaluate_takes_pairs_one_by_one_and_in_batches_as_ours_does(module: Any) -> None:
    for one in (module(1), load("rouge", seed=1)):
        one.add(prediction="hello there", reference="hello there")
        one.add_batch(predictions=["general kenobi"], references=["general grievous"])
        found = one.compute(use_aggregator=False, rouge_types=["rouge1"])
        assert found == {"rouge1": [1.0, 0.5]}


# ---------------------------------------------------------------- torchmetrics


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("accumulate", ["best", "avg"])
def test_torchmetrics_itself_gives_the_same_keys_and_numbers(
    monkeypatch: pytest.MonkeyPatch, texts: Any, accumulate: Any, stem: bool
) -> None:
    package = pytest.importorskip("torchmetrics.functional.text.rouge")
    from torchmetrics.text import ROUGEScore as Theirs

    # It would download NLTK's model of sentences; ours, the same, comes from a package.
    monkeypatch.setattr(package, "_ensure_nltk_punkt_is_downloaded", lambda: None)
    monkeypatch.setattr("nltk.sent_tokenize", punkt_tokenizer())
    theirs = Theirs(use_stemmer=stem, accumulate=accumulate)
    ours = ROUGEScore(use_stemmer=stem, accumulate=accumulate)
    for start in range(0, len(texts), 20):
        batch = texts[start : start + 20]
        arguments = [summary for summary, _ in batch], [refs for _, refs in batch]
        expected, found = theirs(*arguments), ours(*arguments)
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert float(found[key]) == pytest.approx(float(value), abs=1e-6), key
    for key, value in theirs.compute().items():
        assert float(ours.compute()[key]) == pytest.approx(float(value), abs=1e-6)
    ours.reset()
    ours.update("rain fell", "rain fell")
    assert float(ours.compute()["rouge1_fmeasure"]) == 1.0


# ---------------------------------------------------------------- lm-evaluation-harness

DOCUMENTS = [
    {"text": "It rained all day.", "summary": "rain fell all day"},
    {"text": "The ferry was late.", "summary": "the ferry left late"},
    {"text": "Nobody came.", "summary": "nothing"},
]
SAYS = ["rain fell", "the ferry left late", "snow"]


def test_lm_evaluation_harness_runs_a_task_with_our_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.tasks import TaskManager

    # The harness would describe this machine in its results, with a dozen commands.
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    # mypy takes `import datasets` for the folder docs/datasets.
    datasets = importlib.import_module("datasets")

    class Says(LM):  # type: ignore[misc]
        """A model that says what it is told to."""

        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            by_text = {one["text"]: says for one, says in zip(DOCUMENTS, SAYS, strict=True)}
            return [by_text[request.args[0]] for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    common: dict[str, Any] = {
        "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(DOCUMENTS)},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{text}}",
        "doc_to_target": "{{summary}}",
    }
    listed = {"aggregation": "mean", "higher_is_better": True}
    tasks: dict[str, dict[str, Any]] = {
        "by-metric": {
            "metric_list": [
                {"metric": scorer("rouge-l.f1"), **listed},
                {"metric": scorer("chrf"), **listed},
            ]
        },
        "by-results": {
            "process_results": process_results(["rouge-l.f1", "chrf"], "summary"),
            "metric_list": [{"metric": "rouge-l.f1", **listed}, {"metric": "chrf", **listed}],
        },
        "by-name": {"metric_list": [{"metric": "rubrica/rouge-l.f1"}, {"metric": "rubrica/chrf"}]},
    }
    importlib.import_module("rubrica.compat.lm_eval")
    made = [ConfigurableTask(config={"task": name, **common, **one}) for name, one in tasks.items()]
    found = lm_eval.simple_evaluate(
        model=Says(),
        tasks=made,
        # Without it the harness reads the configurations of all its tasks first.
        task_manager=TaskManager(include_defaults=False),
        bootstrap_iters=0,
        log_samples=False,
        verbosity="ERROR",
    )
    rows = Rouge(2, compute_rouge_l=True).score_all(SAYS, [[one["summary"]] for one in DOCUMENTS])
    expected = sum(row["rouge-l"]["f1"] for row in rows) / 3
    chrf = scorer("chrf")
    chrfs = [chrf(says, one["summary"]) for says, one in zip(SAYS, DOCUMENTS, strict=True)]
    for name in tasks:
        before = "rubrica/" if name == "by-name" else ""
        results = found["results"][name]
        assert results[f"{before}rouge-l.f1,none"] == pytest.approx(expected)
        assert results[f"{before}chrf,none"] == pytest.approx(sum(chrfs) / 3)


# ---------------------------------------------------------------- inspect


def test_inspect_evaluates_a_task_with_our_scorer(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", says) for says in SAYS]
    for one in outputs:
        # Else the model counts its tokens, with a table that is downloaded.
        one.usage = ModelUsage()
    samples = [Sample(input=one["text"], target=[one["summary"], "so it was"]) for one in DOCUMENTS]

    def run() -> Any:
        task = inspect_ai.Task(
            dataset=MemoryDataset(samples), scorer=inspect_scorer("rouge-1.f1"), name="summaries"
        )
        model = get_model("mockllm/model", custom_outputs=outputs)
        (log,) = inspect_ai.eval(
            task, model=model, log_dir=str(tmp_path), display="none", max_samples=1
        )
        return log

    # In a thread of its own: the browser tests leave a running loop in this one.
    with ThreadPoolExecutor(1) as pool:
        log = pool.submit(run).result()
    # Streams that inspect leaves open warn of it here, where that is ignored, and not in a later test.
    gc.collect()
    assert log.status == "success", log.error
    (score,) = log.results.scores
    assert score.name == "rubrica/rouge-1.f1"
    rouge = scorer("rouge-1.f1")
    expected = [rouge(says, sample.target) for says, sample in zip(SAYS, samples, strict=True)]
    assert score.metrics["mean"].value == pytest.approx(np.mean(expected))
    assert score.metrics["stderr"].value == pytest.approx(np.std(expected, ddof=1) / 3**0.5)
    assert [one.scores[score.name].value for one in log.samples] == expected


# ---------------------------------------------------------------- MLflow


def test_mlflow_evaluates_a_frame_with_our_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    # A folder is enough here; a database would need more packages.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    frame = pd.DataFrame({"says": SAYS, "wanted": [one["summary"] for one in DOCUMENTS]})
    measures = ["rouge-l.f1", "ter"]
    found = mlflow.models.evaluate(
        data=frame,
        predictions="says",
        targets="wanted",
        extra_metrics=[compat_mlflow.metric(one) for one in measures],
    )
    for measure in measures:
        expected = [scorer(measure)(*row) for row in frame.itertuples(index=False)]
        name = measure.replace(".", "_").replace("-", "_")
        assert found.metrics[f"{name}/mean"] == pytest.approx(np.mean(expected))
        table = found.tables["eval_results_table"]
        assert table[f"{name}/score"].tolist() == pytest.approx(expected)


def test_mlflow_knows_the_direction_of_a_measure() -> None:
    mlflow = pytest.importorskip("mlflow")
    made = compat_mlflow.metric("rouge-2.f1")
    assert isinstance(made, mlflow.metrics.EvaluationMetric)
    assert (made.name, made.greater_is_better) == ("rouge_2_f1", True)
    assert not compat_mlflow.metric("ter").greater_is_better
    value = made.eval_fn(pd.Series(["rain fell", "x y"]), pd.Series(["rain fell", "rain fell"]))
    assert isinstance(value, mlflow.metrics.MetricValue)
    assert value.scores == [100.0, 0.0]
    assert value.aggregate_results == {"mean": 50.0, "variance": 2500.0, "p90": 90.0}
