"""Answers are kept: asked for once, found again by other runs and processes, paid for once."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataWarning
from rubrica.metrics.judge.endpoint import EndpointError
from support.judge_server import DOCUMENT, judge, said


def test_answers_are_kept_for_the_next_run(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda body: said(str(1 + body["seed"] % 5)))
    first = judge(server, samples=3, cache_dir=str(tmp_path), price_in=2.0, price_out=8.0)
    expected = first.score_all(["One.", "Two."], [DOCUMENT, DOCUMENT])
    assert len(server.requests) == 6
    assert first.describe() == (
        "judge: 6 answers requested, 0 from the cache; 600 + 12 tokens, cost 0.0013"
    )
    second = judge(server, samples=3, cache_dir=str(tmp_path))
    assert second.score_all(["One.", "Two."], [DOCUMENT, DOCUMENT]) == expected
    assert len(server.requests) == 6
    assert "0 answers requested, 6 from the cache" in second.describe()


@pytest.mark.parametrize(
    "other",
    [
        {"sampling_seed": 99},
        {"temperature": 0.5},
        {"top_p": 0.9},
        {"max_tokens": 8},
        {"model": "another"},
        {"prompt": "relevance"},
        {"scoring": "logprobs"},
        {"request": {"reasoning_effort": "low"}},
    ],
    ids=str,
)
def test_another_choice_is_another_question(
    serve: Any, tmp_path: Path, other: dict[str, Any]
) -> None:
    top = {"content": [{"top_logprobs": [{"token": "3", "logprob": -0.1}]}]}
    server = serve(lambda _: said("3", logprobs=top))
    same = {"samples": 1, "cache_dir": str(tmp_path)}
    judge(server, **same).score("One.", DOCUMENT)
    judge(server, **same, retries=1, concurrency=2).score("One.", DOCUMENT)
    assert len(server.requests) == 1
    judge(server, **{**same, **other}).score("One.", DOCUMENT)
    assert len(server.requests) == 2


def test_another_endpoint_is_another_judge(serve: Any, tmp_path: Path) -> None:
    for score in (2, 4):
        server = serve(lambda _, score=score: said(str(score)))
        made = judge(server, samples=1, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
        assert made["judge-coherence"]["score"] == score


@pytest.mark.parametrize(
    "damage", ["{", "", "[]", '{"text": 5}', '{"text": "4", "first_token": [1]}', '{"texts": "4"}']
)
def test_a_damaged_kept_answer_is_asked_for_again(serve: Any, tmp_path: Path, damage: str) -> None:
    server = serve(lambda _: said("3"))
    judge(server, samples=1, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
    (file,) = tmp_path.rglob("*.json")
    file.write_text(damage, "utf-8")
    made = judge(server, samples=1, cache_dir=str(tmp_path)).score("One.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert len(server.requests) == 2
    assert json.loads(file.read_text())["text"] == "3"


def test_a_disk_that_cannot_be_written_costs_the_cache_and_not_the_scores(
    serve: Any, tmp_path: Path
) -> None:
    (tmp_path / "judge-answers").write_text("a file where a folder should be")
    server = serve(lambda _: said("3"))
    metric = judge(server, samples=4, cache_dir=str(tmp_path))
    with pytest.warns(DataWarning, match="cannot cache answers") as told:
        made = metric.score("One.", DOCUMENT)
    assert made["judge-coherence"]["score"] == 3
    assert len(told) == 1


def test_half_a_letter_can_be_kept(serve: Any, tmp_path: Path) -> None:
    # JSON can write the half of a pair of surrogates; UTF-8 cannot.
    server = serve(lambda _: said("3\n\ud83d"))
    judge(server, samples=1, cache_dir=str(tmp_path)).score("One \ud83d.", DOCUMENT)
    judge(server, samples=1, cache_dir=str(tmp_path)).score("One \ud83d.", DOCUMENT)
    assert len(server.requests) == 1


def test_an_equal_question_under_way_is_not_asked_again(serve: Any) -> None:
    let = threading.Event()

    def slowly(_: Any) -> Any:
        let.wait(20)
        return said("3")

    server = serve(slowly, together=True)
    metric = judge(server, samples=1, concurrency=4)
    timer = threading.Timer(0.5, let.set)
    timer.start()
    made = metric.score_all(["One."] * 4, [DOCUMENT] * 4)
    assert [row["judge-coherence"]["score"] for row in made] == [3, 3, 3, 3]
    assert len(server.requests) == 1
    assert "1 answer requested, 3 from the cache" in metric.describe()


def test_a_run_that_breaks_off_goes_on_where_it_was(serve: Any, tmp_path: Path) -> None:
    answered = [said("3")] * 5
    server = serve(lambda _: answered.pop() if answered else 404)
    options = {"samples": 2, "cache_dir": str(tmp_path), "concurrency": 1}
    texts = [f"Summary {n}." for n in range(4)]
    with pytest.raises(EndpointError, match=r"404.*answers so far are cached; the next run"):
        judge(server, **options).score_all(texts, [DOCUMENT] * 4)
    answered += [said("3")] * 3
    again = judge(server, **options)
    again.score_all(texts, [DOCUMENT] * 4)
    assert again.describe().startswith("judge: 3 answers requested, 5 from the cache")


def test_without_a_cache_nothing_is_promised(serve: Any) -> None:
    answered = [said("3")]
    server = serve(lambda _: answered.pop() if answered else 404)
    with pytest.raises(EndpointError) as error:
        judge(server, samples=2, concurrency=1).score("A summary.", DOCUMENT)
    assert "kept" not in str(error.value)


ANOTHER = """
import sys
from rubrica.metrics import Metric
config = {"type": "judge", "model": "tester", "endpoint": sys.argv[1], "cache_dir": sys.argv[2], "samples": 3}
metric = Metric.from_config(config)
rows = metric.score_all([f"Text {n}." for n in range(20)], [["A document."]] * 20)
print([row["judge-coherence"]["score"] for row in rows])
"""


@pytest.mark.slow
def test_several_processes_share_the_answers(serve: Any, tmp_path: Path) -> None:
    server = serve(lambda body: said(str(1 + len(body["messages"][-1]["content"]) % 5)))
    command = [sys.executable, "-c", ANOTHER, server.url, str(tmp_path)]
    runs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    done = [run.communicate() for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], done
    assert len({out for out, _ in done}) == 1
    before = len(server.requests)
    assert 60 <= before <= 180
    assert len(list(tmp_path.rglob("*.json"))) == 60
    assert not list(tmp_path.rglob(".*")), "nothing is left half written"
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert again.stdout == done[0][0]
    assert len(server.requests) == before


def test_files_written_by_many_threads_keep_the_permissions_of_the_user(
    serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The mask can only be read by setting it: another thread must not look in between.
    original, before = os.umask, os.umask(0o027)

    def slowly(mask: int) -> int:
        found = original(mask)
        time.sleep(0.01)
        return found

    monkeypatch.setattr(os, "umask", slowly)
    try:
        server = serve(lambda _: said("3"), together=True)
        metric = judge(server, samples=16, concurrency=8, cache_dir=str(tmp_path))
        metric.score("A summary.", DOCUMENT)
        assert original(0o027) == 0o027
    finally:
        original(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*.json")} == {0o640}


def test_a_judge_goes_to_another_process(serve: Any) -> None:
    metric = judge(serve(lambda _: said("3")), samples=1)
    metric.score("A summary.", DOCUMENT)
    there = pickle.loads(pickle.dumps(metric))
    assert there.score("A summary.", DOCUMENT) == metric.score("A summary.", DOCUMENT)
