"""The same inputs give the same numbers everywhere: `evaluate`, `compare`, `report systems`, and their pages."""

from __future__ import annotations

import csv
import json
import re
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import rubrica as library
from rubrica.cli.app import main
from support.pages import NEWS
from support.shared import made_once, shared_folder

METRICS: list[Any] = [
    {"type": "rouge", "max_ngram": 2},
    {"type": "rouge", "profile": "rouge-metric", "as": "other", "max_ngram": 1},
    "sent-bleu",
    "bleu",
    "ter",
]
CORPUS = {"bleu", "ter"}


def page_data(path: Path) -> Any:
    """The data that a page holds."""
    [text] = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL
    )
    return json.loads(text)


def flat(nested: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Nested measures by dotted name; an interval counts as a value."""
    values: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, dict) and set(value) != {"lower", "upper"}:
            values |= flat(value, f"{above}{key}.")
        else:
            values[above + key] = value
    return values


def shown_scores(page: Any) -> dict[tuple[str, str], tuple[Any, ...]]:
    return {
        (system, measure["name"]): tuple(
            page["intervals"][s][m][k] for k in ("value", "lower", "upper")
        )
        for s, system in enumerate(page["systems"])
        for m, measure in enumerate(page["measures"])
    }


def computed_scores(systems: Any) -> dict[tuple[str, str], tuple[Any, ...]]:
    scores = {}
    for system, own in systems.items():
        bounds = flat(own["intervals"])
        for name, value in flat(own["metrics"]).items():
            scores[system, name] = value, bounds[name]["lower"], bounds[name]["upper"]
    return scores


@made_once
def evaluated() -> tuple[Path, Path]:
    """Scores of all systems by `evaluate`: macro.json and rows."""
    folder = shared_folder() / "one-answer"
    folder.mkdir()
    files = [str(NEWS / "summaries.jsonl")]
    config = {"dataset_reader": "reference-based", "input_files": files, "metrics": METRICS}
    (folder / "c.json").write_text(json.dumps(config))
    macro, rows = folder / "macro.json", folder / "rows.jsonl"
    words = ["evaluate", macro, rows, "--config", folder / "c.json", "--silent"]
    assert main([str(word) for word in words]) == 0
    return macro, rows


@pytest.fixture
def rows() -> Path:
    _, rows = evaluated()
    return rows


def compared(rubrica: Any, news: Path, tmp_path: Path, *more: object) -> Any:
    out = tmp_path / "compared.json"
    metrics = [one if isinstance(one, str) else json.dumps(one) for one in METRICS]
    words = ["compare", news / "summaries.jsonl", "-m", *metrics, "-o", out, *more]
    assert rubrica(*words).code == 0
    return json.loads(out.read_text())


def test_report_systems_shows_the_scores_of_evaluate_digit_for_digit(
    rubrica: Any, rows: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert rubrica("report", "systems", rows, "-o", page).code == 0
    expected = computed_scores(json.loads(evaluated()[0].read_text())["systems"])
    shown = shown_scores(page_data(page))
    for (system, name), numbers in expected.items():
        if name in CORPUS:
            # Rows hold sentence scores: their mean has a name of its own.
            assert (system, name) not in shown
            assert (system, f"{name} (sentence mean)") in shown
        else:
            assert shown[system, name] == numbers


@pytest.mark.slow
def test_report_systems_shows_the_tests_of_compare_digit_for_digit(
    rubrica: Any, rows: Path, news: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert rubrica("report", "systems", rows, "-o", page).code == 0
    data = page_data(page)
    pairs = list(combinations(range(len(data["systems"])), 2))
    names = [measure["name"] for measure in data["measures"]]
    chosen = [name for name in names if "sentence mean" not in name]
    more = ["--measures", *chosen]
    every = compared(rubrica, news, tmp_path, *more, "--all-pairs")["tests"]
    for baseline in range(len(data["systems"])):
        name = data["systems"][baseline]
        facing = compared(rubrica, news, tmp_path, *more, "--baseline", name)["tests"]
        for test in facing:
            other = data["systems"].index(test["system"])
            at = pairs.index((min(baseline, other), max(baseline, other)))
            shown = data["pairs"][names.index(test["measure"])][at]
            sign = 1 if shown["one"] == other else -1
            assert (sign * shown["difference"], shown["p"]) == (test["difference"], test["p_value"])
            mine = "p_against_one" if shown["one"] == baseline else "p_against_other"
            assert shown[mine] == test["adjusted"]
    for test in every:
        pair = data["systems"].index(test["baseline"]), data["systems"].index(test["system"])
        shown = data["pairs"][names.index(test["measure"])][pairs.index(pair)]
        assert (shown["p"], shown["p_adjusted"]) == (test["p_value"], test["adjusted"])


def test_every_output_of_compare_has_the_same_numbers(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    answer = compared(rubrica, news, tmp_path)
    scores = computed_scores(answer["systems"])
    tests = {(test["system"], test["measure"]): test for test in answer["tests"]}
    metrics = [one if isinstance(one, str) else json.dumps(one) for one in METRICS]
    words = ["compare", news / "summaries.jsonl", "-m", *metrics, "-f"]
    assert json.loads(rubrica(*words, "json").out)["tests"] == answer["tests"]
    rows = list(csv.DictReader(rubrica(*words, "csv").out.splitlines()))
    assert {(row["system"], row["measure"]) for row in rows} >= tests.keys()
    for row in rows:
        key = row["system"], row["measure"]
        assert tuple(float(row[name]) for name in ("value", "lower", "upper")) == scores[key]
        if key in tests:
            numbers = {name: float(row[name]) for name in ("difference", "p_value", "adjusted")}
            assert numbers == {name: tests[key][name] for name in numbers}
            assert row["significant"] == str(tests[key]["significant"])
    latex = rubrica(*words, "latex").out
    for (system, measure), (value, *_) in scores.items():
        if measure in CORPUS:
            line = next(line for line in latex.splitlines() if line.startswith(system))
            assert f"{value:.2f}" in line
    in_python = library.compare(str(news / "summaries.jsonl"), metrics=METRICS)
    assert {
        (test.system, test.measure): (test.difference, test.p_value) for test in in_python.tests
    } == {key: (test["difference"], test["p_value"]) for key, test in tests.items()}


def test_the_gate_has_the_numbers_of_compare(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    references = ["-r", plain / "references.A.txt"]
    old, new = plain / "abstractor.txt", plain / "lead3.txt"
    for measure in ("bleu", "ter", "chrf", "rouge-2.f1"):
        gate = rubrica(
            "gate", new, *references, "--baseline", old, "--measures", measure, "-f", "json"
        )
        (verdict,) = json.loads(gate.out)["measures"]
        words = ["-m", measure.split("-")[0], "--measures", measure, "-f", "json"]
        comparison = json.loads(rubrica("compare", old, new, *references, *words).out)
        (test,) = comparison["tests"]
        assert verdict["difference"] == test["difference"]
        if measure in CORPUS:
            shown = [system["metrics"][measure] for system in comparison["systems"].values()]
            assert [verdict["baseline"], verdict["new"]] == shown
        # One-sided, of the same draws: random swaps as bad for the new system.
        assert verdict["p_value"] <= test["p_value"]


def test_report_all_shows_the_scores_of_evaluate(rubrica: Any, rows: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    assert rubrica("report", "all", rows.parent, "-o", folder).code == 0
    expected = computed_scores(json.loads(evaluated()[0].read_text())["systems"])
    (page,) = [path for path in folder.glob("*.html") if "system" in path.name]
    shown = shown_scores(page_data(page))
    for (system, name), numbers in expected.items():
        if name not in CORPUS:
            assert shown[system, name] == numbers


def test_compare_writes_the_page_of_its_own_numbers(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    answer = compared(rubrica, news, tmp_path, "--html", page)
    data = page_data(page)
    assert shown_scores(data) == computed_scores(answer["systems"])
    names = [measure["name"] for measure in data["measures"]]
    assert set(names) >= CORPUS
    pairs = list(combinations(range(len(data["systems"])), 2))
    for test in answer["tests"]:
        at = pairs.index((0, data["systems"].index(test["system"])))
        shown = data["pairs"][names.index(test["measure"])][at]
        assert (-shown["difference"], shown["p"], shown["p_against_one"]) == (
            test["difference"],
            test["p_value"],
            test["adjusted"],
        )


def test_the_baseline_does_not_change_the_digest_of_the_data(rubrica: Any, news: Path) -> None:
    texts = news / "summaries.jsonl"
    outputs = [
        rubrica("evaluate", texts, "-m", "chrf").out,
        rubrica("compare", texts, "-m", "chrf").out,
        rubrica("compare", texts, "-m", "chrf", "--baseline", "rambler").out,
    ]
    assert len({re.findall(r"\|data:(\w+)", out)[0] for out in outputs}) == 1


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_a_sentence_mean_never_has_the_name_of_a_corpus_score(
    rubrica: Any, rows: Path, form: str
) -> None:
    answer = rubrica("report", "systems", rows, "--format", form)
    assert answer.code == 0
    table = "\n".join(line for line in answer.out.splitlines() if "sacrebleu:" not in line)
    for name in CORPUS:
        for match in re.finditer(rf"(?<![\w-]){name}(?![\w-])", table):
            assert table[match.end() :].startswith(" (sentence mean)")
    assert "level:sentence" in answer.out


def test_the_correction_covers_the_comparisons_made(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    tests = compared(rubrica, news, tmp_path, "--measures", "rouge-2.f1")["tests"]
    p_values = sorted(test["p_value"] for test in tests)
    assert min(test["adjusted"] for test in tests) == pytest.approx(len(tests) * p_values[0])
    alone = compared(rubrica, news, tmp_path, "--measures", "rouge-2.f1", "--correction", "none")
    assert all(test["adjusted"] == test["p_value"] for test in alone["tests"])


def test_evaluate_and_compare_have_the_same_intervals_of_clusters(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in (news / "summaries.jsonl").read_text().splitlines()]
    topics = tmp_path / "topics.jsonl"
    lines = (json.dumps({**row, "topic": f"t{int(row['instance_id'][1:]) % 5}"}) for row in rows)
    topics.write_text("\n".join(lines))
    out, by_id, macro = (tmp_path / name for name in ("c.json", "i.json", "m.json"))
    few = ["-m", "sent-bleu", "--cluster"]
    assert rubrica("compare", topics, *few, "topic", "-o", out).code == 0
    compared = json.loads(out.read_text())
    assert compared["clusters"] == 5
    for workers in (1, 2):
        words = ["--input-files", topics, "--cluster", "topic", "--workers", workers]
        assert rubrica("sent-bleu", "evaluate", macro, *words, "--batch-size", 7).code == 0
        evaluated = json.loads(macro.read_text())
        assert computed_scores(evaluated["systems"]) == computed_scores(compared["systems"])
        assert "|clusters:5" in evaluated["signatures"][0]
    # Ids d01 to d12: the clusters d0 and d1.
    assert rubrica("compare", topics, *few, "id:^(d.)", "-o", by_id).code == 0
    assert json.loads(by_id.read_text())["clusters"] == 2
    answer = rubrica("compare", topics, *few, "source")
    assert answer.code == 1
    assert "no field 'source' to cluster by" in answer.err
    assert "not a regular expression" in rubrica("compare", topics, *few, "id:(").err


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ("article", ["--fields", "instance_id=article"]),
        ("id", []),
        # Rows are numbered per system.
        ("", []),
    ],
)
def test_clusters_of_scores_belong_to_the_inputs_of_the_scores(
    rubrica: Any, tmp_path: Path, columns: str, more: list[str]
) -> None:
    # Rows of two systems by turns: four topics of three inputs each.
    rows = [(at, system) for at in range(12) for system in "AB"]
    lines = [f"{columns or 'note'},model,topic,quality"]
    for at, system in rows:
        own = f"a{at}" if columns else "-"
        lines.append(f"{own},{system},t{at // 3},{(at * 7 + ord(system)) % 11}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    answer = rubrica("compare", file, "--cluster", "topic", "-f", "json", *more)
    assert answer.code == 0, answer.err
    result = json.loads(answer.out)
    assert result["clusters"] == 4
    by_id = tmp_path / "by-id.csv"
    lines[1:] = [
        f"t{at // 3}-{at},{line.split(',', 1)[1]}"
        for (at, _), line in zip(rows, lines[1:], strict=True)
    ]
    by_id.write_text("\n".join(["id,model,topic,quality", *lines[1:]]))
    expected = rubrica("compare", by_id, "--cluster", "id:^t.", "-f", "json")
    assert result["tests"] == json.loads(expected.out)["tests"]
    page = rubrica("report", "systems", file, "--cluster", "topic", "--format", "text", *more)
    assert page.out == rubrica("compare", file, "--cluster", "topic", *more).out


def test_clusters_of_summaries_belong_to_the_ids_that_are_mapped(
    rubrica: Any, tmp_path: Path
) -> None:
    lines = ["article,model,topic,summary,reference"]
    lines += [
        f"a{at},{system},t{at // 3},rain fell {at % 4} {system},rain fell here {at % 3}"
        for at in range(12)
        for system in "AB"
    ]
    file = tmp_path / "summaries.csv"
    file.write_text("\n".join(lines))
    words = ["-m", "sent-bleu", "--fields", "instance_id=article", "--cluster", "topic"]
    answer = rubrica("compare", file, *words, "-f", "json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["clusters"] == 4
    evaluated = rubrica("evaluate", file, *words).out
    assert "|clusters:4" in evaluated
    assert "bootstrap interval over 4 clusters of inputs" in evaluated
    assert "|clusters:4" in rubrica("report", "systems", file, *words, "--format", "text").out


def test_ids_that_suggest_clusters_give_a_warning(rubrica: Any, tmp_path: Path) -> None:
    rows = [
        {"instance_id": f"topic{at // 3}-{at % 3}", "summarizer_id": system,
         "summarizer_type": "peer", "summary": {"text": "a b"}, "references": [{"text": "a c"}]}
        for system in ("x", "y")
        for at in range(18)
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    commands: list[list[object]] = [
        ["compare", file, "-m", "sent-bleu"],
        ["evaluate", file, "-m", "sent-bleu"],
        ["rouge", "evaluate", "--input-files", file],
    ]
    for words in commands:
        answer = rubrica(*words)
        assert "instance ids such as 'topic0-0' suggest clusters" in answer.err
        assert "--cluster 'id:^(.+)[-_./:#]'" in answer.err
    assert "suggest clusters" not in rubrica(*commands[-1], "--rounds", 0).err
    answer = rubrica(
        "compare", file, "-m", "sent-bleu", "--cluster", "id:^(.+)[-_./:#]", "-f", "json"
    )
    assert "suggest clusters" not in answer.err
    assert json.loads(answer.out)["clusters"] == 6


@pytest.mark.parametrize("topics", [6, 18])
def test_a_field_that_inputs_share_gives_a_warning(
    rubrica: Any, tmp_path: Path, topics: int
) -> None:
    rows = [
        {"instance_id": f"d{at}", "summarizer_id": system, "summarizer_type": "peer",
         "summary": {"text": "a b"}, "references": [{"text": "a c"}], "topic": at % topics}
        for system in ("x", "y")
        for at in range(18)
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    commands = (["compare", file, "-m", "sent-bleu"], ["rouge", "evaluate", "--input-files", file])
    for words in commands:
        err = rubrica(*words).err
        assert ("rows with the same 'topic' suggest clusters" in err) == (topics == 6)
        assert ("Use --cluster topic" in err) == (topics == 6)
        assert "suggest clusters" not in rubrica(*words, "--cluster", "topic").err
    assert "suggest clusters" not in rubrica(*commands[1], "--rounds", 0).err


def test_correlations_over_possible_clusters_give_a_warning(rubrica: Any, tmp_path: Path) -> None:
    rows = [
        {"instance_id": f"topic{at // 3}-{at % 3}", "summarizer_id": system, "summarizer_type": "peer",
         "metrics": {"m": at + number, "human": at * number, "n": number}}
        for number, system in enumerate("xyz")
        for at in range(18)
    ]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    for words in (
        ["correlate", "--scores", file, "--measures", "m", "human"],
        ["meta-evaluate", "--scores", file, "--human", "human", "--rounds", 9],
    ):
        assert "instance ids such as 'topic0-0' suggest clusters" in rubrica(*words).err
        assert "suggest clusters" not in rubrica(*words, "--cluster", "id:^topic.").err


def test_empty_cells_of_a_table_are_reported(rubrica: Any, tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    file.write_text("id,summary,reference\n1,a cat,a cat\n2,,a dog\n3,a dog, \n")
    for command in ("evaluate", "compare"):
        answer = rubrica(command, file, "-m", "chrf")
        assert answer.code == 0
        assert (
            "some.csv: 2 texts are empty and scored as such; the first: summary, line 3"
            in answer.err
        )


def test_a_metric_of_the_working_directory_is_found_wherever_metrics_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", ".")])
    (tmp_path / "metric_of_this_folder.py").write_text(
        "from rubrica.metrics.base.bases import ReferenceBasedMetric\n"
        "class Words(ReferenceBasedMetric):\n"
        "    def score_one(self, summary, references):\n"
        "        return {'words': len(summary.split())}\n"
    )
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": "1", "summary": "a cat sat", "reference": "a cat"}\n')
    address = "metric_of_this_folder:Words"
    for words in (
        ["evaluate", file, "-m", address],
        ["score", file, "-m", address, "-o", "-"],
        [address, "evaluate", "--input-files", file],
    ):
        answer = rubrica(*words)
        assert answer.code == 0, answer.err
        assert "3" in answer.out
