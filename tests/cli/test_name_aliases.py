"""Commands take the names that people type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rubrica as library
from rubrica.comparison import TestPlan
from rubrica.metrics.base.metric import METRICS

UNTESTED = TestPlan(methods={})


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    contents = {
        "a": "the cat sat\nhello you\nfine day\n",
        "b": "a cat sat\nhello\nday\n",
        "refs": "the cat sat down\nhello you there\na fine day\n",
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.txt").write_text(content)
    return [tmp_path / f"{name}.txt" for name in contents]


def test_compare_takes_measures_and_metrics_by_alias(rubrica: Any, texts: list[Path]) -> None:
    a, b, references = texts
    plain = rubrica("compare", a, b, "-r", references, "--measures", "rouge-l.f1", "rouge-1.f1")
    words: list[Any] = [
        "compare",
        a,
        b,
        "-r",
        references,
        "-m",
        "ROUGE",
        "--measures",
        "rougeL",
        "rouge1",
    ]
    assert plain.code == 0
    assert rubrica(*words).out == plain.out
    words = ["compare", a, b, "-r", references, "--no-tests", "-f", "csv", "-m"]
    lsum = rubrica(*words, "rougeLsum,profile=rouge-score", "sacrebleu")
    assert {"rouge-lsum.f1", "bleu"} <= {line.split(",")[2] for line in lsum.out.splitlines()}
    # ROUGE-1.5.5's ROUGE-L is computed over sentences.
    perl = rubrica(*words, "rouge", "--measures", "rougeLsum")
    assert {line.split(",")[2] for line in perl.out.splitlines()} == {"measure", "rouge-l.f1"}


def test_gate_correlate_and_reports_take_measures_by_alias(
    rubrica: Any, texts: list[Path], tmp_path: Path
) -> None:
    a, b, references = texts
    store, rows = tmp_path / "store.jsonl", tmp_path / "rows.jsonl"
    gate: list[Any] = [
        "-r",
        references,
        "--baseline",
        store,
        "--measures",
        "rougeL",
        "ROUGE-2",
        "-q",
    ]
    assert rubrica("gate", a, *gate, "--save").code == 0
    passed = rubrica("gate", a, *gate, "-f", "json")
    assert [one["measure"] for one in json.loads(passed.out)["measures"]] == [
        "rouge-l.f1",
        "rouge-2.f1",
    ]
    evaluated = rubrica(
        "evaluate", "-m", "rouge", a, b, "-r", references, "--rows-output", rows, "-q"
    )
    assert evaluated.code == 0
    report: list[Any] = ["report", "systems", rows, "-f", "text", "--measures"]
    assert rubrica(*report, "rougeL").out == rubrica(*report, "rouge-l.f1").out != ""
    page = tmp_path / "page.html"
    html = rubrica("report", "systems", rows, "--measures", "rougeL", "-o", page)
    assert (html.code, page.exists()) == (0, True), html.err
    files: list[Any] = ["--scores", rows, "--summarizer-type", "peer", "--measures"]
    plain = rubrica("correlate", *files, "rouge-l.f1", "rouge-1.f1")
    aliased = rubrica("correlate", *files, "rougeL", "rouge1")
    assert aliased.code == plain.code == 0, aliased.err
    # The table; the signature below it names the measures as they were typed.
    assert aliased.out.splitlines()[:5] == plain.out.splitlines()[:5]


def test_two_measures_of_one_metric_are_the_metric_once(rubrica: Any, texts: list[Path]) -> None:
    a, b, references = texts
    words: list[Any] = ["compare", a, b, "-r", references, "--no-tests", "-f", "csv", "-m"]
    assert rubrica(*words, "rougeL", "ROUGE-1", "rouge").out == rubrica(*words, "rouge").out != ""
    comparison = library.compare(
        {"a": ["a cat"]}, ["a cat sat"], ["rougeL", "rouge1"], plan=UNTESTED
    )
    assert comparison.measures == ["rouge-1.f1", "rouge-2.f1", "rouge-l.f1"]


def test_a_measure_of_another_library_is_its_metric() -> None:
    assert METRICS.resolve("bertscore_f1") == "bertscore"
    assert METRICS.resolve("BERTScore-F") == "bertscore"
    assert METRICS.resolve("unknown_f1") == "unknown_f1"


ROUGE_L = ["rouge-l", "rougeL", "ROUGE-L", "rouge-l.f1", "rougeL_fmeasure"]


@pytest.mark.parametrize("name", ROUGE_L)
def test_rouge_l_is_a_metric_wherever_one_is_taken(
    rubrica: Any, texts: list[Path], name: str
) -> None:
    a, b, references = texts
    quick: list[Any] = ["-r", references, "-q"]
    for words in (
        ["evaluate", a, "-m", "NAME", "--rounds", 0, *quick],
        ["compare", a, b, "-m", "NAME", "--no-tests", "--interval-rounds", 0, *quick],
        ["gate", a, "-m", "NAME", "--measures", "rouge-l.f1", "--baseline", b, *quick],
    ):
        plain, aliased = (
            rubrica(*(metric if word == "NAME" else word for word in words))
            for metric in ("rouge", name)
        )
        assert (aliased.code, aliased.out) == (0, plain.out), aliased.err
    plain = rubrica("rouge", "--p", a, "--r", references)
    assert rubrica(name, "--p", a, "--r", references).out == plain.out != ""
    usual = ["--max_ngram", 2, "--compute_rouge_l", "--input-files", a, *quick]
    plain = rubrica("rouge", "evaluate", "--rounds", 0, *usual)
    aliased = rubrica(name, "evaluate", "--input-files", a, "--rounds", 0, *quick)
    assert (aliased.code, aliased.out) == (0, plain.out)


@pytest.mark.parametrize("name", ROUGE_L)
def test_rouge_l_is_a_metric_in_python(name: str) -> None:
    import rubrica

    scores = rubrica.load(name).score("the cat", ["the cat sat"])
    assert set(scores) == {"rouge-1", "rouge-2", "rouge-l"}
    config = {"type": name, "profile": "rouge-score"}
    assert "profile:rouge-score" in str(rubrica.metrics.Metric.from_config(config).signature())


def test_other_measures_of_rouge_bring_their_parameters(rubrica: Any, texts: list[Path]) -> None:
    import rubrica as library

    assert "rouge-4" in library.load("rouge4").score("a b c d", ["a b c d"])
    assert "rouge-su4" in library.load("rouge-su4").score("a b", ["a b"])
    answer = rubrica("rouge-3", "--p", texts[0], "--r", texts[2])
    assert [line.split(":")[0] for line in answer.out.splitlines()] == [
        "rouge1",
        "rouge2",
        "rouge3",
        "rougeL",
    ]


@pytest.mark.parametrize("name", ["rouge-l", "rougeL", "ROUGE-L", "rouge-l_f1"])
def test_rouge_l_is_a_measure_wherever_one_is_taken(
    rubrica: Any, texts: list[Path], tmp_path: Path, name: str
) -> None:
    a, b, references = texts
    rows, old = tmp_path / "rows.jsonl", tmp_path / "old.jsonl"
    for path, files in ((rows, [a, b]), (old, [a])):
        words: list[Any] = [
            "evaluate",
            "-m",
            "rouge",
            *files,
            "-r",
            references,
            "--rounds",
            0,
            "-q",
        ]
        assert rubrica(*words, "--rows-output", path).code == 0
    scores: list[Any] = ["--scores", rows, "--summarizer-type", "peer", "-q"]
    human = ["--human", "rouge1", "--rounds", 20]
    for words in (
        ["compare", rows, "--no-tests", "--interval-rounds", 0, "--measures", "NAME", "-q"],
        ["gate", old, "--baseline", old, "--measures", "NAME", "-q"],
        ["report", "systems", rows, "-f", "text", "--measures", "NAME", "-q"],
        [
            "meta-evaluate",
            *scores,
            *human,
            "--lower-is-better",
            "NAME",
            "--measures",
            "rouge2",
            "NAME",
        ],
        ["pairwise", *scores, *human, "--measures", "NAME"],
        ["explain", a, "-r", references, "--measures", "NAME"],
        ["study", "matrix", rows, "--measures", "NAME", "rouge1", "-q"],
    ):
        plain, aliased = (
            rubrica(*(measure if word == "NAME" else word for word in words))
            for measure in ("rouge-l.f1", name)
        )
        assert (aliased.code, plain.code) == (0, 0), aliased.err
        if words[0] != "study":
            # Which prints measures as they were typed.
            assert aliased.out == plain.out


def test_a_metric_command_takes_another_spelling(rubrica: Any, texts: list[Path]) -> None:
    words: list[Any] = ["--p", texts[0], "--r", texts[2]]
    assert rubrica("sacrebleu", *words).out == rubrica("bleu", *words).out != ""
