"""The adapter inside lighteval, whose pipeline runs a task with our measures.

lighteval 0.13 needs an older NLTK and an older xxhash than other packages, so `make test-lighteval` runs these tests in
an environment of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rubrica.compat.callables import scorer

pytest.importorskip("lighteval", reason="lighteval is not installed: make test-lighteval")

# lighteval warns of packages that it uses; that is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore")

SUMMARIES = {"rain": "rain fell all day", "cat": "the cat sat"}
ANSWERS = {"rain": ["rain fell"], "cat": ["a cat sat"]}
MEASURES = ("rouge-l.f1", "chrf")


def evaluated(metrics: list[Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Scores of a task of two samples, by lighteval's pipeline."""
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
    from lighteval.models.model_output import ModelResponse
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.registry import Registry
    from lighteval.tasks.requests import Doc

    class Says(DummyModel):  # type: ignore[misc,unused-ignore]
        def greedy_until(self, docs: Any) -> Any:
            return [ModelResponse(text=ANSWERS[doc.query]) for doc in docs]

    def prompt(line: dict[str, str], task: str) -> Any:
        return Doc(query=line["text"], choices=[line["summary"]], gold_index=0, task_name=task)

    def only_custom(custom_tasks: Any = None, **_: Any) -> Any:
        return Registry._extract_configs(custom_tasks)

    # lighteval's own tasks download files when they are imported.
    monkeypatch.setattr(Registry, "load_all_task_configs", staticmethod(only_custom))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(folder / "home"))
    data = folder / "data"
    data.mkdir()
    lines = [json.dumps({"text": text, "summary": one}) for text, one in SUMMARIES.items()]
    (data / "test.jsonl").write_text("\n".join(lines) + "\n")
    tasks: Any = ModuleType("tasks")
    tasks.TASKS_TABLE = [
        LightevalTaskConfig(
            name="ours",
            prompt_function=prompt,
            hf_repo=str(data),
            hf_subset="default",
            hf_avail_splits=["test"],
            evaluation_splits=["test"],
            metrics=metrics,
            generation_size=9,
        )
    ]
    pipeline = Pipeline(
        tasks="ours|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE, custom_tasks_directory=tasks
        ),
        evaluation_tracker=EvaluationTracker(output_dir=str(folder / "out")),
        model=Says(DummyModelConfig()),
    )
    pipeline.evaluate()
    found: dict[str, Any] = pipeline.get_results()["results"]["all"]
    return found


@pytest.mark.parametrize("by_name", [False, True], ids=["metric", "name"])
def test_lighteval_runs_a_task_with_our_measures(
    by_name: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lighteval.metrics.metrics import Metrics

    from rubrica.compat.lighteval import metric

    metrics = [Metrics[f"rubrica/{name}"] if by_name else metric(name) for name in MEASURES]
    found = evaluated(metrics, tmp_path, monkeypatch)
    for name in MEASURES:
        scores = [scorer(name)(ANSWERS[text][0], one) for text, one in SUMMARIES.items()]
        assert found[f"rubrica/{name}"] == pytest.approx(sum(scores) / 2)


def test_several_answers_count_by_their_mean_and_gold_texts_are_references() -> None:
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    from rubrica.compat.lighteval import metric

    doc = Doc(query="", choices=["rain fell", "it rained", "snow"], gold_index=[0, 1])
    responses = [ModelResponse(text=["rain fell", "snow"]), ModelResponse(text=["it rained"])]
    found = metric("rouge-1.f1").compute_sample(responses=responses, docs=[doc, doc])
    rain, snow, rained = (
        scorer("rouge-1.f1")(text, ["rain fell", "it rained"])
        for text in ("rain fell", "snow", "it rained")
    )
    assert found == {"rubrica/rouge-1.f1": [(rain + snow) / 2, rained]}


def test_measures_register_once_and_say_which_direction_is_better() -> None:
    from lighteval.metrics.metrics import Metrics

    from rubrica.compat.lighteval import register

    assert register(["bleu", "ter"]) == register(["bleu", "ter"]) == ["rubrica/bleu", "rubrica/ter"]
    assert Metrics["rubrica/bleu"].value.higher_is_better
    assert not Metrics["rubrica/ter"].value.higher_is_better
