"""`compare` tests scores that exist: tables of scores, and per-sample logs of evaluation harnesses."""

from __future__ import annotations

import gc
import importlib
import json
import warnings
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.scores.rows import holds_scores, read_metrics
from rubrica.errors import DataError, DataWarning


def rows_of(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    assert holds_scores(path)
    return {row.key: dict(row.metrics) for row in read_metrics(path)}


def compared(rubrica: Any, *words: str | Path) -> dict[str, Any]:
    answer = rubrica("compare", *words, "-f", "json", "-q")
    assert answer.code == 0, answer.err
    result: dict[str, Any] = json.loads(answer.out)
    return result


def table(path: Path, shift: float) -> Path:
    lines = ["doc_id,rougeL"]
    lines += [f"d{i},{shift + (i * 7 % 10) / 50:.2f}" for i in range(20)]
    path.write_text("\n".join(lines))
    return path


# ---------------------------------------------------------------- tables


def test_two_tables_of_scores_are_compared_as_they_are(tmp_path: Path, rubrica: Any) -> None:
    result = compared(rubrica, table(tmp_path / "old.csv", 0.2), table(tmp_path / "new.csv", 0.4))
    (test,) = result["tests"]
    assert (test["baseline"], test["system"], test["measure"]) == ("old", "new", "rougeL")
    assert test["difference"] == pytest.approx(0.2)
    assert test["p_value"] < 0.01


def test_files_that_score_the_same_system_twice_are_named_by_file(
    tmp_path: Path, rubrica: Any
) -> None:
    for name, value in (("before", 1.0), ("after", 2.0)):
        rows = [
            {"instance_id": str(i), "summarizer_id": "t5", "summarizer_type": "peer",
             "metrics": {"m": value + i % 3}}
            for i in range(12)
        ]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = compared(rubrica, tmp_path / "before.jsonl", tmp_path / "after.jsonl")
    (test,) = result["tests"]
    assert (test["baseline"], test["system"]) == ("t5 (before)", "t5 (after)")


def test_a_report_names_systems_by_file_as_compare_does(tmp_path: Path, rubrica: Any) -> None:
    files = []
    for name, shift in (("before", 0.0), ("after", 0.1)):
        (tmp_path / name).mkdir()
        files.append(table(tmp_path / name / "t5.csv", shift))
    plain = rubrica("compare", *files)
    page = rubrica("report", "systems", *files, "-f", "text")
    assert (page.code, plain.code) == (0, 0), page.err
    assert "t5 (before/t5)" in page.out
    assert page.out.splitlines()[:4] == plain.out.splitlines()[:4]


def test_summaries_without_spaces_are_not_taken_for_scores(tmp_path: Path) -> None:
    path = tmp_path / "zh.csv"
    path.write_text("id,summary,length\n1,今天下雨,4\n2,明天晴,3\n")
    assert not holds_scores(path)


# ---------------------------------------------------------------- inspect


def inspect_log(folder: Path, answers: Sequence[str], epochs: int = 1) -> Path:
    """Run a task of inspect with a model that gives these answers; every right answer is `rain`."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes

    outputs = [ModelOutput.from_content("mockllm/model", text) for text in list(answers) * epochs]
    for output in outputs:
        # Without it the model counts its tokens, with a table that is downloaded.
        output.usage = ModelUsage()
    samples = [
        Sample(input="?", target="rain", id=f"q{i}", metadata={"half": i % 2})
        for i in range(len(answers))
    ]

    def run() -> Any:
        (log,) = inspect_ai.eval(
            inspect_ai.Task(
                dataset=MemoryDataset(samples), scorer=includes(), epochs=epochs, name="weather"
            ),
            model=get_model("mockllm/model", custom_outputs=outputs),
            log_dir=str(folder),
            display="none",
            max_samples=1,
        )
        return log

    # In a thread of its own: the browser tests leave a running loop in this one.
    with ThreadPoolExecutor(1) as pool:
        log = pool.submit(run).result()
    # Streams that inspect leaves open warn of it here, where that is ignored, and not in a later test.
    gc.collect()
    assert log.status == "success", log.error
    importlib.import_module("inspect_ai.log").write_eval_log(log, str(folder / "log.json"))
    return Path(log.location)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_run_of_inspect_that_failed_says_so_with_its_error(tmp_path: Path, rubrica: Any) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import solver

    @solver  # type: ignore[untyped-decorator, unused-ignore]
    def failing() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            raise ValueError("the server gave no answer")

        return solve

    def run() -> Any:
        (log,) = inspect_ai.eval(
            inspect_ai.Task(
                dataset=MemoryDataset([Sample(input="?", target="rain", id="q1")]),
                solver=failing(),
                scorer=includes(),
                name="weather",
            ),
            model="mockllm/model",
            log_dir=str(tmp_path),
            display="none",
        )
        return log

    with ThreadPoolExecutor(1) as pool:
        log = pool.submit(run).result()
    gc.collect()
    assert log.status == "error"
    as_json = tmp_path / "log.json"
    importlib.import_module("inspect_ai.log").write_eval_log(log, str(as_json))
    for path in (log.location, as_json):
        for command in (["compare"], ["report", "systems"]):
            answer = rubrica(*command, path, path)
            assert answer.code == 1
            assert "the run failed before any sample had a score" in answer.err
            assert "the server gave no answer" in answer.err
            assert "inspect eval-retry" in answer.err


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"header.json": {"status": "error", "error": {"message": "no \n key"}}},
            "run failed .* score: no key; repeat it",
        ),
        ({"header.json": {"status": "cancelled"}}, "run was cancelled .* score; repeat it"),
        ({"_journal/start.json": {"eval": {}}}, "run was interrupted"),
        (
            {
                "header.json": {"status": "success"},
                "samples/1.json": {"id": 1, "error": {"message": "timeout"}},
            },
            "1 of its samples failed .* score: timeout",
        ),
    ],
)
def test_an_inspect_log_without_scores_says_how_the_run_ended(
    tmp_path: Path, members: dict[str, Any], message: str
) -> None:
    path = archive(tmp_path / "x.eval", members)
    assert holds_scores(path)
    with pytest.raises(DataError, match=message):
        list(read_metrics(path))


def test_a_partly_failed_run_of_inspect_is_compared_with_a_warning(
    tmp_path: Path, rubrica: Any
) -> None:
    members = {
        "header.json": {"status": "error", "eval": {"model": "a"}, "results": {"total_samples": 4},
                        "error": {"message": "no key"}},
        "samples/1.json": {"id": 1, "scores": {"match": {"value": "C"}}},
        "samples/2.json": {"id": 2, "scores": {"match": {"value": "I"}}},
        "samples/3.json": {"id": 3, "error": {"message": "timeout"}},
    }  # fmt: skip
    complete = {
        "header.json": {"status": "success", "eval": {"model": "b"}},
        **{
            f"samples/{i}.json": {"id": i, "scores": {"match": {"value": "C"}}}
            for i in (1, 2, 3, 4)
        },
    }
    first, second = archive(tmp_path / "a.eval", members), archive(tmp_path / "b.eval", complete)
    answer = rubrica("compare", first, second)
    assert answer.code == 0, answer.err
    assert answer.err.count("the run failed: no key; 2 of 4 samples have scores") == 1
    assert "b.eval" not in answer.err


def test_tests_on_fewer_inputs_than_a_system_has_are_noted(tmp_path: Path, rubrica: Any) -> None:
    for system, number in (("a", 3), ("b", 5), ("c", 5)):
        lines = ["doc_id,score", *(f"d{i},{(i * 7 + number) % 10}" for i in range(number))]
        (tmp_path / f"{system}.csv").write_text("\n".join(lines))
    files = [tmp_path / f"{system}.csv" for system in "abc"]
    note = "systems have different inputs: scores are over a system's own inputs (n), a test is over those"
    answer = rubrica("compare", *files)
    assert f"{note} that both systems have (3)" in answer.out
    answer = rubrica("compare", *files, "--all-pairs")
    assert f"{note} that both systems have (3 to 5)" in answer.out
    assert note not in rubrica("compare", *files[1:]).out


def test_a_json_log_of_inspect_with_only_a_header_says_how_the_run_ended(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    header = {"eval": {"model": "m"}, "plan": {}, "status": "error", "error": {"message": "no key"}}
    path.write_text(json.dumps(header))
    with pytest.raises(DataError, match=r"the run failed .*: no key"):
        list(read_metrics(path))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_inspect_logs_are_compared_and_epochs_stay_with_their_sample(
    tmp_path: Path, rubrica: Any
) -> None:
    good = inspect_log(tmp_path / "good", ["rain"] * 8, epochs=2)
    bad = inspect_log(tmp_path / "bad", ["sun", "rain"] * 4, epochs=2)
    rows = rows_of(bad)
    assert rows["q0", "mockllm/model"] == {"includes": [0.0, 0.0]}
    assert rows["q1", "mockllm/model"] == {"includes": [1.0, 1.0]}
    assert rows_of(tmp_path / "bad" / "log.json") == rows
    result = compared(rubrica, bad, good, "--cluster", "half")
    assert result["clusters"] == 2
    result = compared(rubrica, bad, good)
    (test,) = result["tests"]
    assert (test["measure"], test["difference"]) == ("includes", 0.5)
    assert {system["num_summaries"] for system in result["systems"].values()} == {8}


def archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as stream:
        for name, content in members.items():
            stream.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def log_of_task(path: Path, task: str, first: int = 0) -> Path:
    samples = {
        f"samples/{i}.json": {"id": i, "scores": {"match": {"value": i % 3}}}
        for i in range(first, first + 4)
    }
    header = {"eval": {"model": path.stem, "task": task}}
    if path.suffix == ".eval":
        return archive(path, {"header.json": header, **samples})
    path.write_text(json.dumps({**header, "status": "success", "samples": list(samples.values())}))
    return path


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_logs_of_different_tasks_are_not_paired_by_id(
    tmp_path: Path, rubrica: Any, ending: str
) -> None:
    logs = [
        log_of_task(tmp_path / f"{model}.{ending}", task)
        for model, task in (("a", "weather"), ("b", "sums"))
    ]
    correlate = [
        "correlate",
        "--measures",
        "match",
        "match",
        "--summarizer-type",
        "all",
        "--scores",
    ]
    for words in (["compare"], ["report", "systems"], correlate):
        answer = rubrica(*words, *logs)
        assert answer.code == 1
        assert "a log of task 'sums'" in answer.err
        assert "is of task 'weather'" in answer.err
        assert "pass logs of one task" in answer.err


def test_logs_of_different_tasks_may_be_joined_where_ids_differ(
    tmp_path: Path, rubrica: Any
) -> None:
    logs = []
    for task, first in (("weather", 0), ("sums", 10)):
        (tmp_path / task).mkdir()
        for model in "ab":
            logs.append(log_of_task(tmp_path / task / f"{model}.eval", task, first))
    assert compared(rubrica, *logs)["tests"][0]["inputs"] == 8


def log_without_task(path: Path, kind: str, topic: str) -> Path:
    questions = [f"{topic} {number}?" for number in range(6)]
    if kind == "lm-eval":
        samples = [
            {"doc_id": at, "doc": {"q": q}, "arguments": [], "filtered_resps": [], "metrics": ["acc"],
             "acc": at % 2}
            for at, q in enumerate(questions)
        ]  # fmt: skip
        path = path.with_suffix(".jsonl")
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
        return path
    path = path.with_suffix(".json")
    if kind == "promptfoo":
        results = [
            {"testIdx": at, "provider": path.stem, "vars": {"q": q}, "score": at % 3}
            for at, q in enumerate(questions)
        ]
        path.write_text(json.dumps({"results": {"results": results}}))
    else:
        data = [[q, at / 2] for at, q in enumerate(questions)]
        path.write_text(json.dumps({"columns": ["inputs", "match/score"], "data": data}))
    return path


@pytest.mark.parametrize("kind", ["lm-eval", "promptfoo", "mlflow"])
def test_logs_that_name_no_task_are_paired_only_if_they_ask_the_same(
    tmp_path: Path, rubrica: Any, kind: str
) -> None:
    weather = [log_without_task(tmp_path / name, kind, "rain in") for name in "ab"]
    sums = log_without_task(tmp_path / "c", kind, "sum of")
    assert compared(rubrica, *weather)["tests"][0]["inputs"] == 6
    answer = rubrica("compare", weather[0], sums)
    assert answer.code == 1
    assert "has another question in" in answer.err
    assert "pass logs of one task" in answer.err


def test_lm_eval_and_helm_logs_name_their_task(tmp_path: Path) -> None:
    from rubrica.data.logs.tasks import log_task

    samples = tmp_path / "samples_mmlu_anatomy_2026-01-02T03-04-05.678.jsonl"
    samples.write_text("")
    folder = tmp_path / "mmlu:subject=anatomy,model=lab_m"
    folder.mkdir()
    stats = folder / "per_instance_stats.json"
    stats.write_text('[{"instance_id": "id1", "stats": []}]')
    assert log_task(str(samples)) == "mmlu_anatomy"
    assert log_task(str(stats)) == "mmlu:subject=anatomy"
    assert log_task(str(tmp_path / "missing.eval")) is None


def test_grades_partial_values_and_samples_without_scores_are_read(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "scores": {"m": {"value": {"a": "P", "b": True}}}}
    path = archive(
        tmp_path / "x.eval",
        {
            "header.json": {"eval": {"model": "lab/model"}},
            "samples/1_epoch_1.json": sample,
            "samples/2_epoch_1.json": {"id": 2, "epoch": 1, "error": {"message": "timeout"}},
            "samples/3_epoch_1.json": '{"id": 3, "scores": {"m": {"value": NaN}}}',
        },
    )
    with pytest.warns(DataWarning, match="1 of its samples failed: timeout; 1 of 3 samples have"):
        rows = rows_of(path)
    assert rows == {
        ("1", "lab/model"): {"m.a": 0.5, "m.b": 1.0},
        ("2", "lab/model"): {},
        ("3", "lab/model"): {},
    }


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"samples/1.json": {"id": 1}}, "has no header.json"),
        ({"header.json": "{", "samples/1.json": {"id": 1}}, "not valid JSON"),
        ({"header.json": {}, "samples/1.json": {"scores": {}}}, "a sample without an id"),
        ({"header.json": {}, "samples/1.json": []}, "a sample must be an object"),
        ({"header.json": {}, "samples/1.json": {"id": 1}}, "no sample with a score"),
    ],
)
def test_a_damaged_inspect_log_has_a_clear_error(
    tmp_path: Path, members: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        list(read_metrics(archive(tmp_path / "x.eval", members)))


def test_an_inspect_log_must_be_a_whole_archive_with_bounded_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path / "x.eval", {"header.json": "[" + "0," * 5000 + "0]"})
    monkeypatch.setattr("rubrica.data.logs.zip_members.LARGEST_DOCUMENT", 1000)
    with pytest.raises(DataError, match="exceeds"):
        list(read_metrics(path))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="not a valid zip archive"):
        list(read_metrics(path))


@pytest.mark.parametrize(
    ("reducers", "warns"), [(["mode"], True), (["mean"], False), (None, False)]
)
def test_a_reducer_other_than_the_mean_gives_a_warning(
    tmp_path: Path, reducers: list[str] | None, warns: bool
) -> None:
    runs = [{"id": "a1", "epoch": n, "scores": {"m": {"value": n % 2}}} for n in (1, 2, 3)]
    header = {"eval": {"model": "x", "config": {"epochs": 3, "epochs_reducer": reducers}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**header, "status": "success", "samples": runs}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert rows_of(path) == {("a1", "x"): {"m": [1.0, 0.0, 1.0]}}
    messages = {str(warning.message) for warning in caught}
    expected = {
        f"{path}: the run reduces the epochs of a sample by mode; here their mean counts, so its own scores differ"
    }
    assert messages == (expected if warns else set())


def test_compare_says_what_is_wrong_with_a_log(tmp_path: Path, rubrica: Any) -> None:
    sample = {"id": "a1", "scores": {"m": {"value": 1}}}
    members = {"header.json": {"eval": {"model": "x"}}, "samples/a1_epoch_1.json": sample}
    path = archive(tmp_path / "x.eval", members)
    answer = rubrica("compare", path, path, "--cluster", "topic")
    assert answer.code == 1
    assert (
        "no field 'topic' to cluster by (found: instance_id); for a part of the instance id write id:REGEX"
        in answer.err
    )
    path.write_bytes(path.read_bytes()[:-30])
    answer = rubrica("compare", path, path)
    assert answer.code != 0
    assert "x.eval: not a valid zip archive" in answer.err
