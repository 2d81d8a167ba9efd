"""`study tasks make --from-flags`: the viewer's names of systems are those of the files that it opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ext/lead3", "abs/bart", "abs/t5", "ext/t5"):
        folder = tmp_path / "aligned" / name
        folder.mkdir(parents=True)
        (folder / "ref.txt").write_text("<t> Rain fell. </t>\n<t> Snow fell. </t>\n")
        (folder / "out.txt").write_text(f"<t> {name} rain. </t>\n<t> {name} snow. </t>\n")
    (tmp_path / "ids.txt").write_text("d1\nd2\n")
    (tmp_path / "scus.csv").write_text(
        "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n"
        "d1,0,Rain fell.,Y,w,d1,1\nd2,0,Snow fell.,Y,w,d2,1\n"
    )
    return tmp_path


def made(rubrica: Any, study: Path, *flags: tuple[str, str]) -> Any:
    rows = [{"instance_id": i, "summarizer_id": s, "flagged": True} for i, s in flags]
    (study / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--ids", "ids.txt", "--scus", "scus.csv", "--from-flags", "notes.jsonl"]
    return rubrica("study", "tasks", "make", "-dp", "aligned", *options, "-o", "tasks.csv")


def test_a_flagged_system_may_have_its_folders_name(rubrica: Any, study: Path) -> None:
    result = made(rubrica, study, ("d2", "lead3"), ("d1", "abs/bart_out"), ("d1", "abs/t5_out"))
    assert result.code == 0, result.err
    keys = [json.loads(line) for line in (study / "tasks.csv.key.jsonl").read_text().splitlines()]
    assert {(key["event"], key["summarizer_id"]) for key in keys} == {
        ("d2", "ext/lead3_out"),
        ("d1", "abs/bart_out"),
        ("d1", "abs/t5_out"),
    }


def test_a_name_that_two_systems_share_is_none_of_them(rubrica: Any, study: Path) -> None:
    result = made(rubrica, study, ("d1", "t5"))
    assert result.code == 2
    assert "it flags t5 of d1; there is ext/lead3_out of d1" in result.err
