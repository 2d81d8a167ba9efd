"""The engine `ray` on a real cluster of two nodes: the same results, whoever dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.store import ScoreStore
from rubrica.errors import MetricFailedError, RubricaError
from rubrica.metrics import Metric
from rubrica.scoring import evaluate, score
from rubrica.scoring.engines.base import Work, engine_for
from rubrica.scoring.engines.ray_engine import RayEngine, connect
from support.ray_metrics import Deadly, Failing, OnDevice, Placed
from support.tiny_models import checkpoint, needs_torch
from support.waiting import wait_until

# Ray itself is imported by the tests: every worker of pytest imports this file, and one of them runs it.
pytestmark = [
    pytest.mark.skipif(not find_spec("ray"), reason="needs rubrica[ray], 240 MB"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]
# A dead node is noticed in two seconds, not in fifteen.
HEALTH_CHECKS = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 4,
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The dashboard and the monitor are processes that take seconds to start, and nothing here asks them.
        quick = {"include_dashboard": False, "no_monitor": True, "_system_config": HEALTH_CHECKS}
        nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **quick})
        nodes.second = nodes.add_node(num_cpus=1)
        ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture
def engine(cluster: Any) -> RayEngine:
    return RayEngine()


def rows(count: int) -> list[EvalInstance]:
    return [
        EvalInstance(
            f"d{n}",
            "system",
            "peer",
            Fields(summary=f"summary {n} of it", references=[f"reference {n}", f"other {n} here"]),
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("batch_size", [7, 1000])
def test_results_do_not_depend_on_the_engine(engine: RayEngine, batch_size: int) -> None:
    metrics = [Metric.from_config("rouge"), Metric.from_config("chrf")]
    here = evaluate(rows(60), metrics, workers=1)
    assert evaluate(rows(60), metrics, engine=engine, batch_size=batch_size) == here
    whole = [Metric.from_config("cider")]
    assert score(rows(60), whole, engine=engine, batch_size=batch_size) == score(rows(60), whole)


def test_workers_that_are_killed_change_nothing(engine: RayEngine, tmp_path: Path) -> None:
    deadly = Deadly(str(tmp_path), "12")
    there = evaluate(rows(30), [deadly], engine=engine, batch_size=5)
    assert [one.name for one in tmp_path.iterdir()] == ["summary-12-of-it"], "it did die"
    assert there == evaluate(rows(30), [deadly], workers=1)


def test_work_that_nobody_survives_is_named(
    engine: RayEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.scoring.engines.ray_engine.RETRIES", 1)
    with pytest.raises(RubricaError, match=r"died 2 times on 5 rows, .*'d5'.* to .*'d9'"):
        evaluate(rows(20), [Deadly(str(tmp_path), "7", always=True)], engine=engine, batch_size=5)


def test_the_command_names_the_lines_that_nobody_survived(
    cluster: Any, rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.scoring.engines.ray_engine.RETRIES", 0)
    monkeypatch.chdir(tmp_path)
    lines = [
        msgspec.json.encode(
            {
                "instance_id": one.instance_id,
                "summarizer_id": one.summarizer_id,
                "summarizer_type": one.summarizer_type,
                **one.fields,
            }
        )
        for one in rows(20)
    ]
    Path("in.jsonl").write_bytes(b"\n".join(lines))
    words = ["support.ray_metrics:Deadly", "score", "out.jsonl", "--input-files", "in.jsonl"]
    more = ["--folder", tmp_path, "--word", "13", "--always", "true", "--batch-size", 4]
    answer = rubrica(*words, *more, "--engine", "ray")
    assert answer.code == 1
    assert "died 1 times on 4 rows, in.jsonl:13 (instance 'd12'" in answer.err
    assert "to in.jsonl:16" in answer.err
    assert "finished rows are in out.jsonl.partial" in answer.err
    assert Path("out.jsonl.partial").read_bytes().count(b"\n") >= 4


def test_the_row_a_metric_fails_on_is_named(engine: RayEngine) -> None:
    with pytest.raises(MetricFailedError, match=r"'d0'.*ZeroDivisionError"):
        evaluate(rows(20), [Failing()], engine=engine, batch_size=5)


def test_what_was_finished_before_a_failure_is_in_the_store(
    engine: RayEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.scoring.engines.ray_engine.RETRIES", 0)
    store = ScoreStore(tmp_path / "s")
    marks = tmp_path / "m"
    marks.mkdir()
    deadly = Deadly(str(marks), "17")
    with pytest.raises(RubricaError, match="died 1 times"):
        evaluate(rows(20), [deadly], engine=engine, batch_size=5, store=store)
    again = ScoreStore(tmp_path / "s")
    there = evaluate(rows(20), [deadly], engine=engine, batch_size=5, store=again)
    assert there == evaluate(rows(20), [deadly], workers=1)
    assert again.found >= 5


def test_a_model_is_loaded_once_per_actor_and_a_dead_actor_is_replaced(
    cluster: Any, tmp_path: Path
) -> None:
    metric = OnDevice(str(tmp_path), "12")
    engine = RayEngine(workers=2)
    there = evaluate(rows(40), [metric], engine=engine, batch_size=4)
    loaded = list(tmp_path.glob("loaded-*"))
    assert (tmp_path / "summary-12-of-it").exists(), "one did die"
    assert 1 <= len(loaded) <= 3, "two actors and the one that replaced the dead one"
    assert there == evaluate(rows(40), [metric], workers=1)


def test_the_command_line_writes_the_same_bytes(
    cluster: Any, rubrica: Any, news: Path, tmp_path: Path
) -> None:
    def run(name: str, *more: str) -> None:
        outputs = tmp_path / f"{name}.json", tmp_path / f"{name}.jsonl"
        files = "--input-files", news / "summaries.jsonl"
        answer = rubrica("rouge", "evaluate", *outputs, *files, *more)
        assert answer.code == 0, answer.err

    run("local", "--workers", "1")
    run("ray", "--engine", "ray", "--address", cluster.address, "--batch-size", "30")
    for kind in ("json", "jsonl"):
        there = (tmp_path / f"ray.{kind}").read_bytes()
        assert there == (tmp_path / f"local.{kind}").read_bytes()


@pytest.fixture
def files(news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The sample in three files of the working directory."""
    monkeypatch.chdir(tmp_path)
    lines = (news / "summaries.jsonl").read_bytes().splitlines(keepends=True)
    made = [tmp_path / f"in-{n}.jsonl" for n in range(3)]
    for n, file in enumerate(made):
        file.write_bytes(b"".join(lines[36 * n : 36 * n + 36]))
    return made


def test_files_are_read_and_written_by_the_workers(
    cluster: Any, rubrica: Any, files: list[Path], tmp_path: Path
) -> None:
    for metric in ("chrf", "cider"):
        there = rubrica(metric, "score", f"{metric}/", "--input-files", *files, "--engine", "ray")
        assert there.code == 0, there.err
        rubrica(metric, "score", "one.jsonl", "--input-files", *files, "--workers", "1")
        parts = [one.read_bytes() for one in sorted((tmp_path / metric).glob("part-*.jsonl"))]
        assert len(parts) == 3
        assert b"".join(parts) == (tmp_path / "one.jsonl").read_bytes()


@needs_torch
def test_models_give_the_same_numbers_on_any_engine(cluster: Any) -> None:
    # Both need the whole input first, and get it in a pass of their own.
    shared: dict[str, Any] = {
        "model_type": str(checkpoint("encoder")),
        "device": "cpu",
        "cache_dir": "off",
    }
    configs = [
        {"type": "bertscore", "num_layers": 2, "idf": True, **shared},
        {"type": "moverscore", **shared},
    ]
    here = evaluate(rows(30), [Metric.from_config(one) for one in configs])
    metrics = [Metric.from_config(one) for one in configs]
    there = evaluate(rows(30), metrics, engine=RayEngine(workers=1), batch_size=4)
    assert there == here


def test_system_scores_of_parts_made_by_a_cluster(
    cluster: Any, rubrica: Any, files: list[Path]
) -> None:
    words = ["--input-files", *files, "--rounds", 9, "--silent"]
    rubrica("bleu", "evaluate", "one.json", "--workers", 1, *words)
    more = ["--engine", "ray", "--parts-format", "parquet"]
    there = rubrica("bleu", "evaluate", "all.json", "out/", *words, *more)
    assert there.code == 0, there.err
    assert Path("all.json").read_bytes() == Path("one.json").read_bytes()
    assert len(list(Path("out").glob("part-*.parquet"))) == 3


def test_only_a_few_batches_are_under_way(cluster: Any) -> None:
    drawn: list[int] = []

    def items() -> Iterator[int]:
        for n in range(50):
            drawn.append(n)
            yield n

    for number, result in enumerate(
        engine_for("ray", workers=2).map(Work(_square, "processes"), items())
    ):
        assert result == number**2
        assert len(drawn) - number <= 5


def _square(number: int) -> int:
    return number**2


def test_a_node_that_dies_in_mid_run_changes_nothing(
    cluster: Any, engine: RayEngine, tmp_path: Path
) -> None:
    dead = threading.Event()

    def kill() -> None:
        wait_until((tmp_path / cluster.second.node_id).exists)
        cluster.remove_node(cluster.second, allow_graceful=False)
        dead.set()

    def instances() -> Iterator[EvalInstance]:
        for number, row in enumerate(rows(400)):
            if number == 200:
                dead.wait()
            yield row

    killer = threading.Thread(target=kill)
    killer.start()
    slow = Placed(str(tmp_path), pause=0.01)
    there = evaluate(instances(), [slow], engine=engine, batch_size=20)
    killer.join()
    # Other tests want two nodes, whatever their order.
    cluster.second = cluster.add_node(num_cpus=1)
    quick = evaluate(rows(400), [Placed(str(tmp_path))], workers=1)
    assert [row.metrics for row in there[1]] == [row.metrics for row in quick[1]]


@pytest.mark.parametrize("kind", [ConnectionError, Exception])
def test_a_cluster_that_cannot_be_had_is_told_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def init(**_: Any) -> None:
        raise kind("The current node timed out during startup.\nMore words.")

    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.init", init)
    with pytest.raises(RubricaError, match=r"this machine: The current node timed .* ray start"):
        connect(None, 2)


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_killed_driver_frees_its_actors_and_its_folder(
    cluster: Any, rubrica: Any, files: list[Path], tmp_path: Path
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    metric = ["support.ray_metrics:OnDevice", "score", "out/", "--input-files", *files]
    words = [*map(str, [*metric, "--folder", marks, "--pause", "0.05"])]
    words += ["--engine", "ray", "--address", cluster.address, "--workers", "1"]
    code = "import sys; from rubrica.cli.app import main; sys.exit(main(sys.argv[1:]))"
    tests = str(Path(__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": tests}
    driver = subprocess.Popen([sys.executable, "-c", code, *words], env=environment)
    try:
        # The worker records a part after it has written it.
        wait_until((tmp_path / "out" / ".part-00000.jsonl.done").exists, driver)
        # It must not finish while the other run starts.
        driver.send_signal(signal.SIGSTOP)
        overlapping = rubrica(*words)
        assert overlapping.code == 1
        assert "another run is writing" in overlapping.err
    finally:
        driver.kill()
        driver.wait()
    actors = [int(mark.name.removeprefix("loaded-")) for mark in marks.glob("loaded-*")]
    assert actors
    import ray

    wait_until(
        lambda: not any(map(_is_alive, actors)) and ray.available_resources().get("CPU") == 2
    )
    again = rubrica(*words, "--resume")
    assert again.code == 0, again.err
    assert "reused from an earlier run" in again.err
    local = [*metric[3:], "--folder", marks, "--pause", "0.05"]
    assert rubrica(*metric[:2], "one.jsonl", *local).code == 0
    parts = [part.read_bytes() for part in sorted((tmp_path / "out").glob("part-*.jsonl"))]
    assert b"".join(parts) == (tmp_path / "one.jsonl").read_bytes()
