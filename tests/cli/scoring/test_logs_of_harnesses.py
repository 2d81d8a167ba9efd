"""Logs of lm-evaluation-harness, HELM, promptfoo and MLflow are rows of scores."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.scores.rows import holds_scores, read_metrics
from rubrica.errors import DataError


def rows_of(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    assert holds_scores(path)
    return {row.key: dict(row.metrics) for row in read_metrics(path)}


def written(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


# ---------------------------------------------------------------- lm-evaluation-harness


def lm_eval_log(folder: Path, answers: list[str], model: str) -> Path:
    """Run a task of lm-evaluation-harness with these answers, and log it with the harness's own writer."""
    lm_eval = pytest.importorskip("lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    # mypy takes `import datasets` for the folder docs/datasets.
    datasets = importlib.import_module("datasets")
    documents = [{"text": f"question {i} of many", "answer": "rain"} for i in range(len(answers))]

    class Model(LM):  # type: ignore[misc]
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            return [answers[int(request.args[0].split()[1])] for request in requests]

        def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    config = {
        "task": "weather",
        "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(documents)},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{text}}",
        "doc_to_target": "{{answer}}",
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "filter_list": [
            {"name": "strict", "filter": [{"function": "take_first"}]},
            {"name": "lower", "filter": [{"function": "lowercase"}, {"function": "take_first"}]},
        ],
    }
    tracker = EvaluationTracker(output_path=str(folder))
    results = lm_eval.simple_evaluate(
        model=Model(),
        tasks=[ConfigurableTask(config=config)],
        # Without it the harness reads the configurations of all its tasks first.
        task_manager=TaskManager(include_defaults=False),
        bootstrap_iters=0,
        log_samples=True,
        verbosity="ERROR",
    )
    samples = results.pop("samples")
    tracker.general_config_tracker.log_experiment_args(
        model_source="own", model_args=f"pretrained={model}", system_instruction="", chat_template="",
        fewshot_as_multiturn=False,
    )  # fmt: skip
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name="weather", samples=samples["weather"])
    (path,) = folder.rglob("samples_weather_*.jsonl")
    return path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lm_eval_samples_have_a_measure_per_filter_and_the_model_of_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    pytest.importorskip("lm_eval.evaluator")
    # The harness would describe this machine in its results, with a dozen commands.
    monkeypatch.setattr("lm_eval.evaluator.add_env_info", lambda results: None)
    good = lm_eval_log(tmp_path / "good", ["rain"] * 6, "lab/good")
    bad = lm_eval_log(tmp_path / "bad", ["RAIN", "sun"] * 3, "lab/bad")
    assert rows_of(bad)["0", "lab/bad"] == {"exact_match,strict": 0.0, "exact_match,lower": 1.0}
    assert rows_of(bad)["1", "lab/bad"] == {"exact_match,strict": 0.0, "exact_match,lower": 0.0}
    answer = rubrica("compare", bad, good, "-f", "json", "-q")
    assert answer.code == 0, answer.err
    differences = {t["measure"]: t["difference"] for t in json.loads(answer.out)["tests"]}
    assert differences == {"exact_match,strict": 1.0, "exact_match,lower": 0.5}
    page = tmp_path / "page.html"
    assert rubrica("report", "systems", bad, good, "-o", page).code == 0
    assert "lab/good" in page.read_text()


def test_lm_eval_samples_of_older_versions_list_no_metrics(tmp_path: Path) -> None:
    sample = {"doc_id": 3, "doc": {"q": "?"}, "target": "the answer is rain", "arguments": [["?"]],
              "resps": [["x"]], "filtered_resps": ["x"], "acc": True, "f1": 0.5}  # fmt: skip
    path = tmp_path / "samples_old.jsonl"
    path.write_text(
        json.dumps(sample) + "\n" + json.dumps({**sample, "doc_id": 4, "f1": float("nan")})
    )
    assert rows_of(path) == {
        ("3", "samples_old"): {"acc": 1.0, "f1": 0.5},
        ("4", "samples_old"): {"acc": 1.0},
    }
    path.write_text(json.dumps({**sample, "f1": float("nan")}))
    assert rows_of(path) == {("3", "samples_old"): {"acc": 1.0}}
    path.write_text(json.dumps(sample) + '\n{"doc_id": 4}\n')
    with pytest.raises(DataError, match=r"samples_old\.jsonl:2: not a sample"):
        list(read_metrics(path))


# ---------------------------------------------------------------- HELM


def stat(name: str, total: float, count: int = 1) -> dict[str, Any]:
    return {"name": {"name": name, "split": "test"}, "count": count, "sum": total}


def test_helm_statistics_are_joined_by_instance_trial_and_perturbation(tmp_path: Path) -> None:
    folder = tmp_path / "mmlu:subject=anatomy,model=lab_small"
    document = [
        {"instance_id": "id1", "train_trial_index": 0, "stats": [stat("exact_match", 1)]},
        {"instance_id": "id1", "train_trial_index": 0, "stats": [stat("rouge_2", 1.5, 3)]},
        {"instance_id": "id1", "train_trial_index": 1, "stats": [stat("exact_match", 0)]},
        {"instance_id": "id1", "train_trial_index": 0, "perturbation": {"name": "typos"},
         "stats": [stat("exact_match", 0), stat("empty", 0, 0)]},
    ]  # fmt: skip
    path = written(folder / "per_instance_stats.json", document)
    assert rows_of(path) == {
        # As HELM does: the mean of a statistic is that of the instances as they are.
        ("id1", "lab_small"): {
            "exact_match": [1.0, 0.0],
            "rouge_2": 0.5,
            "exact_match@typos": 0.0,
        },
    }
    written(folder / "run_spec.json", {"adapter_spec": {"model": "lab/small"}})
    assert {system for _, system in rows_of(path)} == {"lab/small"}
    written(path, [*document, {"instance_id": "id2", "stats": None}])
    with pytest.raises(DataError, match="list of stats"):
        list(read_metrics(path))


def test_helm_bookkeeping_is_not_a_score(tmp_path: Path, rubrica: Any) -> None:
    names = [
        "num_prompt_tokens",
        "finish_reason_stop",
        "inference_runtime",
        "rouge_l",
        "batch_size",
    ]
    entry = {"instance_id": "id1", "stats": [stat(name, 2) for name in names]}
    folder = tmp_path / "xsum:model=small"
    path = written(folder / "per_instance_stats.json", [entry])
    assert rows_of(path) == {("id1", "small"): {"rouge_l": 2.0}}
    answer = rubrica("compare", folder)
    assert (answer.code, answer.out) == (2, "")
    assert "is a folder; name its files (per_instance_stats.json)" in answer.err


# ---------------------------------------------------------------- promptfoo


def result(test: int, provider: str, score: float, prompt: int = 0, **more: Any) -> dict[str, Any]:
    return {"testIdx": test, "promptIdx": prompt, "provider": {"id": provider, "label": ""},
            "score": score, "success": score > 0.5, "failureReason": 0, "vars": {"x": "a b c"},
            "namedScores": {"tone": score / 2}, **more}  # fmt: skip


def test_promptfoo_results_are_read_by_provider_and_prompt(tmp_path: Path) -> None:
    results = [
        result(0, "a", 1),
        result(0, "b", 0),
        result(1, "a", 0.4),
        result(1, "b", 1, failureReason=2),
    ]
    document = {"evalId": "eval-1", "results": {"version": 3, "results": results}, "config": {}}
    path = written(tmp_path / "results.json", document)
    assert rows_of(path) == {
        ("0", "a"): {"score": 1.0, "pass": 1.0, "tone": 0.5},
        ("0", "b"): {"score": 0.0, "pass": 0.0, "tone": 0.0},
        ("1", "a"): {"score": 0.4, "pass": 0.0, "tone": 0.2},
        ("1", "b"): {},
    }
    document["results"] = {"results": [result(0, "a", 1), result(0, "a", 0, 1)]}
    systems = {system for _, system in rows_of(written(path, document))}
    assert systems == {"a (prompt 1)", "a (prompt 2)"}


def test_promptfoo_prompts_are_numbered_by_prompt_and_not_by_column(tmp_path: Path) -> None:
    # A column is a pair of provider and prompt, and promptIdx is its number.
    columns = [("a", "short"), ("a", "long"), ("b", "short"), ("b", "long")]
    results = [
        {**result(0, provider, 1, column), "prompt": {"label": label}}
        for column, (provider, label) in enumerate(columns)
    ]
    path = written(tmp_path / "results.json", {"results": {"results": results}})
    systems = {system for _, system in rows_of(path)}
    assert systems == {"a (prompt 1)", "a (prompt 2)", "b (prompt 1)", "b (prompt 2)"}
    one_prompt = {"results": {"results": results[::2]}}
    assert {system for _, system in rows_of(written(path, one_prompt))} == {"a", "b"}


def promptfoo_run(path: Path, scores: list[list[float]]) -> Path:
    """The results of tests that ran several times: `--repeat` numbers each run of a test anew."""
    results: list[dict[str, Any]] = []
    for number, runs in enumerate(scores):
        case = {"vars": {"x": f"text {number}"}, "metadata": {"topic": number // 2}}
        for score in runs:
            more: dict[str, Any] = {"vars": case["vars"], "testCase": case}
            results.append(result(len(results), path.stem, score, **more))
    return written(path, {"results": {"version": 3, "results": results}})


def test_promptfoo_runs_of_a_test_are_one_input(tmp_path: Path, rubrica: Any) -> None:
    once = promptfoo_run(tmp_path / "once.json", [[1], [0], [1], [1]])
    thrice = promptfoo_run(tmp_path / "thrice.json", [[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]])
    assert [(key, row["score"]) for key, row in rows_of(thrice).items()] == [
        (("0", "thrice"), [1, 0, 1]),
        (("1", "thrice"), [0, 0, 1]),
        (("2", "thrice"), [1, 1, 1]),
        (("3", "thrice"), [0, 0, 0]),
    ]
    words = ("compare", once, thrice, "--measures", "score", "-f", "json")
    answer = rubrica(*words)
    assert answer.code == 0, answer.err
    systems = json.loads(answer.out)["systems"].values()
    assert [system["num_summaries"] for system in systems] == [4, 4]
    by_topic = rubrica(*words, "--cluster", "topic")
    assert by_topic.code == 0, by_topic.err
    assert json.loads(by_topic.out)["clusters"] == 2


def test_a_promptfoo_result_that_is_no_object_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "results.json", {"results": {"results": [result(0, "a", 1), 3]}})
    with pytest.raises(DataError, match="a result must be an object"):
        list(read_metrics(path))


# ---------------------------------------------------------------- MLflow


def test_an_mlflow_table_is_read_by_its_columns_of_scores(tmp_path: Path) -> None:
    table = {
        "columns": ["inputs", "targets", "outputs", "toxicity/v1/score", "flag/v1/score", "note"],
        "data": [["what is it", 1, "it is rain", 0.25, True, 7], ["and now", 0, "sun", None, False, 8]],
    }  # fmt: skip
    path = written(tmp_path / "eval_results_table.json", table)
    assert rows_of(path) == {
        ("1", "eval_results_table"): {"toxicity/v1/score": 0.25, "flag/v1/score": 1.0},
        ("2", "eval_results_table"): {"flag/v1/score": 0.0},
    }
    written(path, {**table, "data": [["too short"]]})
    with pytest.raises(DataError, match="a row must be a list of 6 values"):
        list(read_metrics(path))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_table_that_mlflow_itself_writes_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    # A folder is enough here; a database would need more packages.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run():
        columns = {"inputs": ["a", "b"], "outputs": ["x", "y"], "rouge/score": [0.5, 1.0]}
        mlflow.log_table(columns, artifact_file="eval_results_table.json")
    (path,) = tmp_path.rglob("eval_results_table.json")
    values = [row["rouge/score"] for row in rows_of(path).values()]
    assert values == [0.5, 1.0]
