"""alt-test, estimate and judge-audit: what they read, print and write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]


def ratings(error: float, seed: int) -> dict[str, int]:
    truth = np.random.default_rng(0).integers(1, 6, 60)
    rng = np.random.default_rng(seed)
    moved = truth + rng.choice([-1, 1], 60) * (rng.random(60) < error)
    return {f"d{at}": int(value) for at, value in enumerate(np.clip(moved, 1, 5))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("annotations")
    people = {name: ratings(0.3, seed) for seed, name in enumerate("abc", 1)}
    judges = {"good": ratings(0.2, 9), "bad": ratings(0.95, 10)}
    (path / "people.json").write_text(json.dumps(people))
    (path / "judges.json").write_text(json.dumps(judges))
    long = ["instance_id,rater,score"]
    wide = ["instance_id,a,b,c,good,bad"]
    both = people | judges
    long += [f"{item},{who},{label}" for who, own in both.items() for item, label in own.items()]
    wide += [",".join([item, *(str(own[item]) for own in both.values())]) for item in people["a"]]
    (path / "long.csv").write_text("\n".join(long) + "\n")
    (path / "wide.csv").write_text("\n".join(wide) + "\n")
    return path


def test_alt_test_reads_every_layout_alike(rubrica: Run, folder: Path) -> None:
    common = ["--scoring", "neg_rmse", "--format", "json", "--rounds", 20]
    layouts: list[list[Any]] = [
        [folder / "people.json", "--judge-files", folder / "judges.json"],
        [folder / "long.csv", "--annotator", "rater", "--judges", "good", "bad"],
        [
            folder / "wide.csv",
            "--judges",
            "good",
            "bad",
            "--annotators",
            *"abc",
            "good",
            "bad",
        ],
    ]
    results = []
    for words in layouts:
        answer = rubrica("alt-test", *words, *common)
        assert answer.code == 0, answer.err
        tests = json.loads(answer.out)["tests"]
        results.append([(t["judge"], t["winning_rate"], t["advantage_probability"]) for t in tests])
    assert results[0] == results[1] == results[2]
    assert [(judge, rate) for judge, rate, _ in results[0]] == [("good", 1.0), ("bad", 0.0)]


def test_alt_test_opens_with_its_verdict_and_writes_a_page(
    rubrica: Run, folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    answer = rubrica(
        *("alt-test", folder / "people.json", "--judge-files", folder / "judges.json"),
        *("--scoring", "neg_rmse", "--power-sizes", 40, "--rounds", 50, "--html", page),
    )
    assert answer.code == 0, answer.err
    assert answer.out.startswith("At epsilon 0.2, 1 of 2 judges pass (good).")
    assert "power by simulation" in answer.out
    html = page.read_text()
    assert "1 of 2 judges pass (good)" in html
    assert '"title":"Power"' in html


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["people.json"], "no judge: name one with --judges"),
        (["people.json", "--judges", "z"], "no judge 'z'"),
        (["people.json", "--judges", "a", "b", "c"], "every annotator is a judge"),
        (["broken.json", "--judges", "a"], "broken.json: not valid JSON"),
        (["list.json", "--judges", "a"], "expected one object, annotator -> item -> label"),
        (["nested.json", "--judges", "a"], "not a label: [1]"),
        (["people.json", "--judges", "a", "--epsilon", "7"], "epsilon must lie between 0 and 1"),
    ],
)
def test_alt_test_says_what_is_wrong(
    rubrica: Run, folder: Path, words: list[str], message: str
) -> None:
    (folder / "broken.json").write_text('{"a": ')
    (folder / "list.json").write_text("[1, 2]")
    (folder / "nested.json").write_text('{"a": {"x": [1]}, "b": {"x": 1}}')
    files = [folder / one if one.endswith(".json") else one for one in words]
    answer = rubrica("alt-test", *files)
    assert answer.code in (1, 2)
    assert message in answer.err


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scored") / "scores.jsonl"
    rng = np.random.default_rng(0)
    rows = []
    for system in range(3):
        for at in range(80):
            truth = system + rng.normal()
            key = {"instance_id": f"t{at // 4}-{at}", "summarizer_id": f"s{system}"}
            values = {"judge": truth + 0.3 * rng.normal()} | ({"human": truth} if at < 40 else {})
            rows.append(json.dumps(key | {"summarizer_type": "peer", "metrics": values}) + "\n")
    path.write_text("".join(rows))
    return path


def test_estimate_prints_its_verdict_and_writes_json_and_page(
    rubrica: Run, scored: Path, tmp_path: Path
) -> None:
    words = ["estimate", "--human", "human", "--judge", "judge", "--scores", scored]
    words += ["--summarizer-type", "peer", "--half-width", 0.3]
    page, saved = tmp_path / "page.html", tmp_path / "out.json"
    answer = rubrica(*words, "--html", page, "--output", saved)
    assert answer.code == 0, answer.err
    assert answer.out.startswith("s2 has the highest estimated human")
    result = json.loads(saved.read_text())
    assert [one["system"] for one in result["systems"]] == ["s2", "s1", "s0"]
    assert result["labels"] == 120
    assert result["plan"][0]["with_judge"] < result["plan"][0]["people_only"]
    assert len(result["differences"]) == 3
    assert result["verdict"] in page.read_text()
    clustered = json.loads(rubrica(*words, "--cluster", "id:^t[0-9]+", "--format", "json").out)
    assert clustered["systems"][0]["estimate"]["degrees"] == 9
    assert clustered["signature"].startswith("estimate|method:ppi++|")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cluster", "("], "not a regular expression: '('"),
        (["--strata", "^zzz"], "its id does not match '^zzz'"),
        (["--half-width", "0"], "--half-width must be positive"),
        (["--confidence", "100"], "confidence"),
    ],
)
def test_estimate_says_what_is_wrong(
    rubrica: Run, scored: Path, words: list[str], message: str
) -> None:
    command = ["estimate", "--human", "human", "--judge", "judge", "--scores", scored]
    answer = rubrica(*command, "--summarizer-type", "peer", *words)
    assert answer.code in (1, 2)
    assert message in answer.err


def test_judge_audit_reports_ratings_pairs_and_juries(
    rubrica: Run, scored: Path, tmp_path: Path
) -> None:
    pairs, page, saved = tmp_path / "v.jsonl", tmp_path / "page.html", tmp_path / "out.json"
    rows = ['{"original": 1, "swapped": 2, "label": 1, "text_1": "<b>x"}\n'] * 12
    pairs.write_text("".join(rows))
    words = [
        "judge-audit",
        "--human",
        "human",
        "--judges",
        "judge",
        "--scores",
        scored,
    ]
    answer = rubrica(*words, "--pairs", pairs, "--rounds", 30, "--html", page, "--output", saved)
    assert answer.code == 0, answer.err
    assert "It prefers the first place (100.0 % of decisions" in answer.out
    result = json.loads(saved.read_text())
    assert result["ratings"][0]["summaries"] == 120
    assert result["pairs"][str(pairs)]["prefers_first"] == 12
    assert result["jury"] is None
    html = page.read_text()
    assert "\\u003cb>x" in html
    assert "<b>x" not in html


def test_judge_audit_measures_style_and_paraphrases_of_the_first_judge(
    rubrica: Run, tmp_path: Path
) -> None:
    random, file = np.random.default_rng(2), tmp_path / "rows.jsonl"
    with file.open("w") as stream:
        for number in range(60):
            human, words, other = random.normal(3, 1, 3).tolist()
            ids = {"instance_id": number // 3, "summarizer_id": f"s{number % 3}"}
            values = {"human": human, "words": words, "a": human + words, "b": human + other}
            row = {**ids, "summarizer_type": "peer", "metrics": {**values, "a2": human + words + 1}}
            stream.write(json.dumps(row) + "\n")
    words = ["judge-audit", "--human", "human", "--judges", "a", "b", "--scores", file]
    words += ["--style", "words", "--paraphrases", "a2", "--rounds", 50, "--format", "json"]
    answer = rubrica(*words)
    assert answer.code == 0, answer.err
    result = json.loads(answer.out)
    first, second = (
        {finding["name"]: finding for finding in audit["findings"]} for audit in result["ratings"]
    )
    assert first["style bias: words"]["concern"]
    assert not second["style bias: words"]["concern"]
    assert first["prompt sensitivity"]["value"] == pytest.approx(0, abs=1e-9)
    assert first["shift between prompts"]["value"] == pytest.approx(1)
    assert "prompt sensitivity" not in second
    # A line for each judge, and one for the jury.
    assert len(result["verdict"].splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to audit"),
        (["--judges", "a"], "--judges needs --human"),
        (["--pairs", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_judge_audit_says_what_is_wrong(rubrica: Run, words: list[str], message: str) -> None:
    answer = rubrica("judge-audit", *words)
    assert answer.code in (1, 2)
    assert message in answer.err
