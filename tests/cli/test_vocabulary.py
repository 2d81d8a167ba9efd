"""One vocabulary: an option word means the same in every command, and old words work, with one warning."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

# alt-test's epsilon is the name that its paper gives to the benefit of the judge.
TWO_MEANINGS = {"--epsilon"}
OLD_WORDS = {"--num-samples", "--metrics-jsonl-files", "--output-file", "--random-seed", "--metric"}


@pytest.fixture(scope="module")
def tool() -> Any:
    """Return the tool that writes the table of options in docs/cli.md."""
    path = Path(__file__).parents[2] / "tools" / "write_options.py"
    spec = spec_from_file_location("write_options", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Return scores of four systems on three inputs, by two measures and by people."""
    rows = [
        {
            "instance_id": f"d{input}",
            "summarizer_id": f"s{system}",
            "summarizer_type": "peer",
            "metrics": {
                "a": system + input / 7,
                "b": (3 * system + input) % 5,
                "human": system + input % 2,
            },
        }
        for system in range(4)
        for input in range(3)
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_no_option_word_has_two_meanings(tool: Any) -> None:
    meanings: dict[str, set[str]] = {}
    for uses in tool.options().values():
        for _, action in uses:
            for word in action.option_strings:
                meanings.setdefault(word, set()).add(tool.meaning(action))
    assert {word for word, texts in meanings.items() if len(texts) > 1} == TWO_MEANINGS


def test_every_option_says_what_it_means(tool: Any) -> None:
    silent = [
        word for word, uses in tool.options().items() if not all(tool.meaning(a) for _, a in uses)
    ]
    assert silent == []


def test_old_words_are_in_no_help(tool: Any) -> None:
    shown = {
        word
        for uses in tool.options().values()
        for _, action in uses
        for word in action.option_strings
    }
    assert not shown & OLD_WORDS


def test_metrics_are_metrics_and_measures_are_measures(tool: Any) -> None:
    uses = tool.options()
    assert {action.metavar for _, action in uses["--metrics"]} == {"METRIC"}
    assert all("-m" in action.option_strings for _, action in uses["--metrics"])
    assert {action.metavar for _, action in uses["--measures"]} <= {"M", ("A", "B")}
    assert all("-o" in action.option_strings for _, action in uses["--output"])


def test_formats_have_one_name_each(tool: Any) -> None:
    formats = {choice for _, action in tool.options()["--format"] for choice in action.choices}
    assert formats == {"text", "json", "csv", "latex", "markdown", "html", "rouge155"}


@pytest.mark.parametrize("words", [("-f", "table"), ("--format", "table"), ("--format=table",)])
def test_the_old_name_of_the_format_text_works(
    rubrica: Run, scores: Path, words: tuple[str, ...]
) -> None:
    command = ["correlate", "--measures", "a", "human", "--scores", scores]
    answer = rubrica(*command, *words)
    assert answer.out == rubrica(*command, "-f", "text").out != ""
    assert "old spelling: --format table is now --format text" in answer.err


NEW = {
    "correlate": ["--measures", "a", "human"],
    "stat-sig-test": ["--measures", "a", "b", "--human", "human", "--alpha", "0.1"],
    "pairwise": ["--measures", "a", "--human", "human"],
    "power": ["--measures", "a", "b", "--human", "human", "--sizes", "3"],
}
OLD = {
    "correlate": ["--metrics", "a", "human"],
    # In any order; SacreROUGE's spelling.
    "stat-sig-test": [
        "--metric-B",
        "b",
        "--metric-A",
        "a",
        "--dependent-metric",
        "human",
        "--confidence",
        "90",
    ],
    "pairwise": ["--metrics", "a", "--human", "human"],
    "power": ["--metrics", "a", "b", "--human", "human", "--sizes", "3"],
}


@pytest.mark.parametrize("command", NEW)
def test_old_words_give_the_same_result_and_one_warning(
    rubrica: Run, scores: Path, tmp_path: Path, command: str
) -> None:
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    peers = ["--summarizer-type", "peer"]
    words = ["--scores", scores, "--rounds", 20, *peers, "-o", new]
    answer = rubrica(command, *NEW[command], *words)
    assert (answer.code, "old spelling" in answer.err) == (0, False)
    words = ["--metrics-jsonl-files", scores, "--num-samples", 20, *peers, "--output-file", old]
    answer = rubrica(command, *OLD[command], *words)
    assert answer.code == 0
    assert answer.err.count("warning: old spelling: --") == 1 + (command == "stat-sig-test")
    assert "--num-samples is now --rounds" in answer.err
    assert json.loads(old.read_text()) == json.loads(new.read_text())


def test_quiet_commands_do_not_warn_of_old_words(rubrica: Run, scores: Path) -> None:
    words = ["--metrics", "a", "human", "--summarizer-type", "peer", "--silent"]
    answer = rubrica("correlate", *words, "--metrics-jsonl-files", scores)
    assert (answer.code, answer.err) == (0, "")


def test_a_configuration_of_the_previous_version_is_read(
    rubrica: Run, scores: Path, tmp_path: Path
) -> None:
    config = tmp_path / "old.toml"
    config.write_text(
        f'metrics_jsonl_files = ["{scores.as_posix()}"]\nsummarizer_type = "peer"\n'
        'human = ["human"]\nmetrics = ["a", "b"]\nnum_samples = 20\n'
    )
    written = tmp_path / "new.toml"
    answer = rubrica("meta-evaluate", "--config", config, "--output-config", written)
    assert (answer.code, answer.err.count("old spelling")) == (0, 1)
    assert "rounds = 20" in written.read_text()
    again = rubrica("meta-evaluate", "--config", written)
    assert (again.out, "old spelling" in again.err) == (answer.out, False)


def test_estimate_clusters_as_other_commands_do(rubrica: Run, scores: Path) -> None:
    words = [
        "estimate",
        "--human",
        "human",
        "--judge",
        "a",
        "--scores",
        scores,
        "--summarizer-type",
        "peer",
    ]
    new = rubrica(*words, "--cluster", "id:^d[01]|d2")
    old = rubrica(*words, "--cluster", "^d[01]|d2")
    assert (new.code, new.out) == (0, old.out)
    assert "old spelling" in old.err
    assert "old spelling" not in new.err
