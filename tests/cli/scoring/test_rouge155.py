"""`rubrica rouge155` beyond the recorded runs: pyrouge's folders, hostile settings, the two layouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import main
from rubrica.data.jsonl import read_jsonl

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news" / "summaries.jsonl"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for number, text in (("001", "the ferries drifted\nnobody was hurt"), ("002", "fog hid it")):
        write(tmp_path / "system" / f"news.{number}.txt", text + "\n")
        write(tmp_path / "model" / f"news.A.{number}.txt", "a ferry drifted in the fog\n")
        write(tmp_path / "model" / f"news.B.{number}.txt", "no one was hurt < 5 minutes\n")
    write(tmp_path / "system" / "notes", "not a summary")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PATTERNS = [
    "--system-pattern",
    r"news\.(\d+)\.txt",
    "--model-pattern",
    r"news\.[A-Z]\.#ID#\.txt",
]


def test_folders_as_pyrouge_has_them(folders: Path, capsys: Any) -> None:
    command = ["rouge155", "-n", "2", "-d", "--pyrouge", "system", "model", *PATTERNS]
    assert main([*command, "--system-id", "S"]) == 0
    found = capsys.readouterr().out
    # pyrouge always stems, and its format ends a line at "<".
    for model in ("001", "002"):
        write(folders / "model" / f"news.B.{model}.txt", "no one was hurt\n")
    lines = [
        f"system/news.{n}.txt model/news.A.{n}.txt model/news.B.{n}.txt" for n in ("001", "002")
    ]
    write(folders / "list", "\n".join(lines))
    assert main(["rouge155", "-n", "2", "-d", "-m", "-z", "SPL", "list", "S"]) == 0
    assert found == capsys.readouterr().out


def test_pyrouge_without_options_uses_pyrouges_own(folders: Path, capsys: Any) -> None:
    assert main(["rouge155", "--pyrouge", "system", "model", *PATTERNS]) == 0
    names = [
        line.split()[1] for line in capsys.readouterr().out.splitlines() if "Average_R" in line
    ]
    assert names == [f"ROUGE-{n}" for n in ("1", "2", "3", "4", "L", "W-1.2", "S*", "SU*")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pyrouge", "system"], "usage"),
        (["--pyrouge", "system", "model", "--system-pattern", "x(.)"], "usage"),
        (["--pyrouge", "none", "model", *PATTERNS], "No such file"),
        (["--pyrouge", "system", "model", *PATTERNS[:3], "other.#ID#"], "no model file matches"),
        (["--pyrouge", "system", "model", PATTERNS[0], "x(.)", *PATTERNS[2:]], "no file in"),
        (["--pyrouge", "system", "model", *PATTERNS[:3], "m.#ID#("], "not a regular expression"),
        (["--pyrouge", "system", "model", PATTERNS[0], "(", *PATTERNS[2:]], "not a regular expr"),
    ],
)
def test_folders_that_do_not_fit(
    words: list[str], message: str, folders: Path, capsys: Any
) -> None:
    assert main(["rouge155", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_settings_file_cannot_expand_entities(tmp_path: Path, capsys: Any) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ROUGE-EVAL>&b;</ROUGE-EVAL>'
    write(tmp_path / "settings.xml", bomb)
    assert main(["rouge155", "-n", "1", "-a", str(tmp_path / "settings.xml")]) != 0
    assert "declares entities of its own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<?xml version="1.0" encoding="klingon"?><ROUGE-EVAL/>', "encoding"),
        ("<ROUGE-EVAL></ROUGE-EVAL>", "no EVAL element"),
    ],
)
def test_settings_that_hold_nothing_are_told(
    content: str, message: str, tmp_path: Path, capsys: Any
) -> None:
    write(tmp_path / "settings.xml", content)
    assert main(["rouge155", "-n", "1", "-a", str(tmp_path / "settings.xml")]) != 0
    told = capsys.readouterr().err
    assert "settings.xml" in told
    assert message in told


def test_stemming_both_ways_at_once_is_refused(capsys: Any) -> None:
    assert main(["rouge155", "-n", "1", "-m", "-M", "-a", "settings.xml"]) != 0
    assert "cannot be used together" in capsys.readouterr().err


def test_evaluate_prints_what_the_drop_in_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    command = ["rouge", "evaluate", "--input-files", str(NEWS), "--format", "rouge155"]
    assert main([*command, "--max-ngram", "2", "--compute-rouge-l"]) == 0
    evaluated = capsys.readouterr().out

    def text(one: dict[str, Any]) -> str:
        return one["text"] if isinstance(one["text"], str) else "\n".join(one["text"])

    by_system: dict[str, list[str]] = {}
    for number, (_, row) in enumerate(read_jsonl(NEWS)):
        if row["summarizer_type"] != "peer":
            continue
        names = [f"{number}.peer"] + [f"{number}.{k}" for k in range(len(row["references"]))]
        for name, one in zip(names, [row["summary"], *row["references"]], strict=True):
            write(tmp_path / name, text(one))
        by_system.setdefault(row["summarizer_id"], []).append(" ".join(names))
    monkeypatch.chdir(tmp_path)
    for system in sorted(by_system):
        write(tmp_path / "list", "\n".join(by_system[system]))
        assert main(["rouge155", "-n", "2", "-m", "-z", "SPL", "list", system]) == 0
    assert evaluated.strip() == capsys.readouterr().out.strip()


def test_the_layout_needs_rouge(capsys: Any) -> None:
    command = ["chrf", "evaluate", "--format", "rouge155", "--input-files", str(NEWS)]
    assert main(command) == 2
    assert "needs the metric 'rouge'" in capsys.readouterr().err
