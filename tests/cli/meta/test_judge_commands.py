"""`rubrica judge` as its pages show it: costs, resuming, and whether a judge agrees with people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.judge_server import Reply, Server, said

# Starts processes.
pytestmark = pytest.mark.slow


def shown(body: dict[str, Any]) -> str:
    """The summary that a prompt shows."""
    text = body["messages"][-1]["content"]
    return str(text.partition("<summary>\n")[2].partition("\n</summary>")[0])


@pytest.fixture
def fair(serve: Any, news: Path) -> Server:
    """A judge who rates as the first of the people did, and now and then a point lower."""
    rows = [json.loads(line) for line in (news / "summaries.jsonl").read_text("utf-8").splitlines()]
    judged = [json.loads(line) for line in (news / "human.jsonl").read_text("utf-8").splitlines()]
    known = {
        (one["instance_id"], one["summarizer_id"]): one["metrics"]["faithfulness"][0]
        for one in judged
    }
    points = {
        " ".join(row["summary"]["text"]): known[row["instance_id"], row["summarizer_id"]]
        for row in rows
    }

    def rate(body: dict[str, Any]) -> Reply:
        return said(str(max(1, points[shown(body)] - (body["seed"] % 3 == 0))))

    made: Server = serve(rate)
    return made


@pytest.fixture
def few(news: Path, tmp_path: Path) -> Path:
    """The documents and summaries of four inputs: enough where answers are only counted."""
    for name in ("documents.jsonl", "summaries.jsonl"):
        lines = (news / name).read_text("utf-8").splitlines(keepends=True)
        chosen = [line for line in lines if json.loads(line)["instance_id"] <= "d04"]
        (tmp_path / name).write_text("".join(chosen), "utf-8")
    return tmp_path


def words(server: Server, news: Path, tmp_path: Path, *more: object) -> list[object]:
    asked = ["--model", "m", "--endpoint", server.url, "--prompt", "consistency", "--samples", 3]
    asked += ["--cache-dir", tmp_path / "cache", "--back_off", 0.001, *more]
    reader = ["--dataset-reader", "split-document-based", "--input-files"]
    return [*asked, *reader, news / "documents.jsonl", news / "summaries.jsonl"]


def test_a_judges_agreement_with_people_is_measured_as_any_metrics(
    rubrica: Any, news: Path, tmp_path: Path, fair: Server
) -> None:
    done = rubrica("judge", "score", tmp_path / "judge.jsonl", *words(fair, news, tmp_path))
    assert done.code == 0, done.err
    rouge = ["rouge", "score", tmp_path / "rouge.jsonl", "--input-files", news / "summaries.jsonl"]
    assert rubrica(*rouge).code == 0
    asked: list[object] = ["meta-evaluate", "--human", "faithfulness"]
    asked += ["--measures", "judge-consistency.score", "rouge-2.f1"]
    asked += ["--scores", tmp_path / "judge.jsonl"]
    asked += [tmp_path / "rouge.jsonl", news / "human.jsonl", "--summarizer-type", "peer"]
    ranked = rubrica(*asked, "--rounds", 99)
    assert ranked.code == 0, ranked.err
    system = ranked.out.partition("system level")[2]
    rows = dict(re.findall(r"^[ab]  (\S+) +(-?[\d.]+)", system, re.MULTILINE)[:2])
    assert float(rows["judge-consistency.score"]) > 0.9
    assert float(rows["judge-consistency.score"]) > float(rows["rouge-2.f1"])


def test_a_run_tells_what_it_cost(rubrica: Any, few: Path, tmp_path: Path, fair: Server) -> None:
    priced = ["--price_in", 0.15, "--price_out", 0.6, "--rounds", 10]
    done = rubrica("judge", "evaluate", *words(fair, few, tmp_path, *priced))
    assert done.code == 0, done.err
    assert (
        "judge: 108 answers requested, 0 from the cache; 10,800 + 216 tokens, cost 0.0017"
        in done.err
    )
    assert "judge-consistency.sd" in done.out
    # Its seed and that of the bootstrap are two things, in the signature too.
    assert "|sampling_seed:12345|" in done.out
    assert done.out.rstrip().endswith("|bs:10|seed:12345")
    again = rubrica("judge", "evaluate", *words(fair, few, tmp_path, *priced))
    assert again.out == done.out
    assert "0 answers requested, 108 from the cache; 0 + 0 tokens, cost 0.0000" in again.err
    assert len(fair.requests) == 108
    seeded = ["--seed", 7, "--rounds", 10]
    rubrica("judge", "evaluate", *words(fair, few, tmp_path, *seeded))
    assert len(fair.requests) == 108
    rubrica("judge", "evaluate", *words(fair, few, tmp_path, "--sampling-seed", 7))
    assert len(fair.requests) == 216


def test_a_run_that_fails_tells_what_it_cost_and_goes_on_later(
    rubrica: Any, few: Path, tmp_path: Path, serve: Any
) -> None:
    left = [50]

    def some(_: dict[str, Any]) -> Reply:
        left[0] -= 1
        return said("3") if left[0] >= 0 else 404

    server = serve(some)
    failed = rubrica("judge", "score", tmp_path / "out.jsonl", *words(server, few, tmp_path))
    assert failed.code == 1
    assert "judge: 50 answers requested, 0 from the cache; 5,000 + 100 tokens" in failed.err
    assert (
        "404 trouble 404. The answers so far are cached; the next run does not request them again"
        in failed.err
    )
    assert not (tmp_path / "out.jsonl").exists()
    left[0] = 10_000
    again = [*words(server, few, tmp_path), "--overwrite"]
    done = rubrica("judge", "score", tmp_path / "out.jsonl", *again)
    assert done.code == 0, done.err
    assert "judge: 58 answers requested, 50 from the cache" in done.err
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 36


def test_waiting_is_told(rubrica: Any, few: Path, tmp_path: Path, serve: Any) -> None:
    busy = [503, 503]
    server = serve(lambda _: busy.pop() if busy else said("3"))
    done = rubrica("judge", "score", tmp_path / "out.jsonl", *words(server, few, tmp_path))
    assert done.code == 0
    told = [line for line in done.err.splitlines() if line.startswith("warning:")]
    assert len(told) == 1
    assert "503 trouble 503; retrying in 0.001 s" in told[0]


def test_comparisons_tell_what_they_cost(
    rubrica: Any, news: Path, tmp_path: Path, serve: Any
) -> None:
    rows = [json.loads(line) for line in (news / "summaries.jsonl").read_text("utf-8").splitlines()]
    file, one = tmp_path / "in.jsonl", tmp_path / "one.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lead = [row for row in rows if row["summarizer_id"] == "lead3"]
    one.write_text("".join(json.dumps(row) + "\n" for row in lead))
    config = {"type": "judge", "model": "m", "endpoint": serve(lambda _: said("2")).url}
    config |= {"prompt": "fluency", "samples": 1, "cache_dir": "off"}
    done = rubrica("compare", file, "-m", json.dumps(config), "--interval-rounds", 0)
    assert done.code == 0, done.err
    assert "judge: 108 answers requested, 0 from the cache" in done.err
    measure = "judge-fluency.score"
    words = ["gate", one, "--baseline", tmp_path / "old.jsonl", "--save", "--measures", measure]
    gated = rubrica(*words, "-m", json.dumps(config))
    assert gated.code == 0, gated.err
    assert "judge: 12 answers requested, 0 from the cache" in gated.err
