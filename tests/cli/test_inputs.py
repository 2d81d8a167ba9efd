"""Input as people have it: plain lines, tables, mapped fields, from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def scores(rubrica: Any, tmp_path: Path) -> Any:
    """Run `chrf evaluate` and give the systems' scores."""

    def run(*words: object) -> dict[str, float]:
        macro = tmp_path / "macro.json"
        answer = rubrica("chrf", "evaluate", macro, *words)
        assert answer.code == 0, answer.err
        told = json.loads(macro.read_text())
        return {name: system["metrics"]["chrf"] for name, system in told["systems"].items()}

    return run


def test_line_aligned_text_gives_the_same_scores_as_json(scores: Any, news: Path) -> None:
    plain = news / "plain"
    expected = scores("--input-files", news / "summaries.jsonl")
    references = [plain / f"references.{letter}.txt" for letter in "ABC"]
    found = scores(
        "--input-files", plain / "lead3.txt", plain / "rambler.txt", "--references", *references
    )
    assert found == {name: pytest.approx(expected[name]) for name in ("lead3", "rambler")}


def test_tagged_sentences_are_recognised(scores: Any, rubrica: Any, news: Path) -> None:
    tagged = news / "plain" / "tagged"
    found = scores(
        "--input-files", tagged / "abstractor.txt", "--references", tagged / "references.A.txt"
    )
    plain = scores(
        "--input-files", news / "plain" / "abstractor.txt",
        "--references", news / "plain" / "references.A.txt",
    )  # fmt: skip
    assert found == plain


def test_unequal_line_counts_are_told_with_both_counts(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.txt"
    short.write_text("one\ntwo\n")
    answer = rubrica(
        "chrf", "evaluate", tmp_path / "m.json",
        "--input-files", news / "plain" / "lead3.txt", "--references", short,
    )  # fmt: skip
    assert answer.code == 1
    assert "12" in answer.err
    assert "2" in answer.err
    assert not (tmp_path / "m.json").exists()


def test_tables_are_mapped_by_fields(scores: Any, news: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (news / "summaries.jsonl").read_text().splitlines()]
    peers = [row for row in rows if row["summarizer_type"] == "peer"]
    table = tmp_path / "peers.csv"
    with open(table, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["doc", "sys", "pred", "r1", "r2", "r3"])
        for row in peers:
            refs = [" ".join(one["text"]) for one in row["references"]]
            text = " ".join(row["summary"]["text"])
            writer.writerow([row["instance_id"], row["summarizer_id"], text, *refs])
    fields = ["summary=pred", "references=r1,r2,r3", "instance_id=doc", "summarizer_id=sys"]
    expected = scores("--input-files", news / "summaries.jsonl")
    assert scores("--input-files", table, "--fields", *fields) == expected
    mapping: dict[str, Any] = {"type": "csv", "fields": dict(word.split("=") for word in fields)}
    mapping["fields"]["references"] = ["r1", "r2", "r3"]
    assert scores("--dataset-reader", json.dumps(mapping), "--input-files", table) == expected


def test_a_reader_that_lacks_what_the_metric_needs_is_told_before_reading(rubrica: Any) -> None:
    answer = rubrica("chrf", "evaluate", "--dataset-reader", "summary-only", "--input-files", "x")
    assert answer.code == 1
    assert "metric 'chrf' needs 'references'" in answer.err


def test_pyramids_are_scored_from_their_two_files(rubrica: Any, news: Path, tmp_path: Path) -> None:
    out = tmp_path / "pyramid.jsonl"
    answer = rubrica(
        "pyramid-score", "score", out,
        "--input-files", news / "pyramids.jsonl", news / "pyramid-annotations.jsonl",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 4 * (6 + 3)
    reference = next(row for row in rows if row["summarizer_type"] == "reference")
    assert set(reference["metrics"]) == {"modified_pyramid_score_jk"}
