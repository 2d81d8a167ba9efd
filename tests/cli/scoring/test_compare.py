"""`rubrica compare`: one table of systems by metrics, in every format, and its mistakes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from rubrica import compare


@pytest.fixture
def words(news: Path) -> list[object]:
    plain = news / "plain"
    systems = [plain / f"{name}.txt" for name in ("lead3", "abstractor", "rambler")]
    return ["compare", "-r", plain / "references.A.txt", "-r", plain / "references.B.txt", *systems]


def test_the_table_has_intervals_p_values_and_the_null_hypothesis(
    rubrica: Any, words: list[object]
) -> None:
    answer = rubrica(*words, "-m", "rouge", "chrf")
    assert answer.code == 0
    header, _, first, second, tests, *_ = answer.out.splitlines()
    assert header.split() == ["system", "n", "rouge-1.f1", "rouge-2.f1", "rouge-l.f1", "chrf"]
    assert first.startswith("lead3 (baseline)  12  35.39 ±4.49")
    assert second.startswith("abstractor")
    assert tests.split() == ["p", "=", "0.0082*", "p", "=", "0.0403*", "p", "=", "0.0426*", "p", "=", "0.2521"]  # fmt: skip
    assert (
        "a system's and the baseline lead3's outputs are exchangeable on every input" in answer.out
    )
    assert "no star: not significant, which is not evidence of equality" in answer.out
    assert "|refs:2|bs:1000|seed:12345|ar:10000|pseed:12345|corr:holm" in answer.out


def test_scores_and_intervals_are_those_of_evaluate(
    rubrica: Any, words: list[object], news: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    assert rubrica(*words, "-m", "rouge,max_ngram=1", "bleu", "-o", out).code == 0
    made = json.loads(out.read_text())
    plain = news / "plain"
    for metric, more in (("rouge", ["--max_ngram", 1]), ("bleu", [])):
        macro = tmp_path / f"{metric}.json"
        rubrica(
            metric, "evaluate", macro, "--input-files", plain / "lead3.txt", "--references",
            plain / "references.A.txt", plain / "references.B.txt", *more,
        )  # fmt: skip
        told = json.loads(macro.read_text())["systems"]["lead3"]
        for part in ("metrics", "intervals"):
            for key, value in told[part].items():
                assert made["systems"]["lead3"][part][key] == value


def test_both_tests_and_all_pairs(rubrica: Any, words: list[object]) -> None:
    answer = rubrica(*words, "-m", "chrf", "-par", "-pbs", "--paired-ar-n", 500, "--all-pairs")
    lines = [line.split() for line in answer.out.splitlines() if line.startswith("chrf ")]
    assert len(lines) == 6
    assert {line[4] for line in lines} == {"ar", "bs"}
    assert "p corrected (holm) for the 3 comparisons of each measure" in answer.out
    assert "ar:500|pbs:1000|pseed:12345|corr:holm" in answer.out


def test_formats(rubrica: Any, words: list[object]) -> None:
    made = json.loads(rubrica(*words, "-f", "json").out)
    assert made["baseline"] == "lead3"
    assert len(made["tests"]) == 6
    rows = list(csv.DictReader(io.StringIO(rubrica(*words, "-f", "csv").out)))
    tested = [row for row in rows if row["method"] == "ar"]
    assert [float(row["p_value"]) for row in tested] == [
        test["p_value"]
        for system in ("abstractor", "rambler")
        for test in made["tests"]
        if test["system"] == system
    ]
    latex = rubrica(*words, "-f", "latex").out
    assert r"abstractor & $\mathbf{45.01} \pm 3.51^{+}$" in latex
    assert r"& $25.56 \pm 1.46^{-}$" in latex
    assert r"rouge-1.f1 $\uparrow$" in latex
    assert (
        r"\caption{Scores of 3 systems on 12 inputs. $\pm$ is half the width of the 95\,\% bootstrap"
        in latex
    )
    assert r"significantly better and worse than the baseline lead3 ($p \leq 0.05$;" in latex
    markdown = rubrica(*words, "-f", "markdown").out
    assert "\n- \\* p <= 0.05" in markdown
    assert "| abstractor | 12 | 45.01 ±3.51 |" in markdown
    official = rubrica(*words, "-f", "rouge155").out
    assert "lead3 ROUGE-1 Average_F: 0.35" in official
    assert (
        rubrica(*words, "-b", "-w", 1).out
        == "35.4\t11.5\t23.6\n45.0\t17.0\t30.7\n25.6\t3.8\t16.7\n"
    )


@pytest.mark.parametrize(
    ("ending", "layout"),
    [(".tex", "latex"), (".md", "markdown"), (".csv", "csv"), (".json", "json")],
)
def test_an_output_file_has_the_format_of_its_ending(
    rubrica: Any, words: list[object], tmp_path: Path, ending: str, layout: str
) -> None:
    path = tmp_path / f"table{ending}"
    printed = rubrica(*words, "--rounds", 20, "-f", layout, "-o", path).out
    assert path.read_text(encoding="utf-8") == printed
    assert rubrica(*words, "--rounds", 20, "-q").out
    assert rubrica(*words, "--rounds", 20, "-q", "-o", path).out == ""


def test_names_of_systems_are_shown_as_they_are(rubrica: Any, news: Path, tmp_path: Path) -> None:
    plain = news / "plain"
    odd, tag = tmp_path / "a_b *new* |x_.txt", tmp_path / "<b>&50%.txt"
    for file in (odd, tag):
        file.write_bytes((plain / "lead3.txt").read_bytes())
    words = ["compare", "-r", plain / "references.A.txt", odd, tag, "--interval-rounds", 0]
    markdown = rubrica(*words, "-f", "markdown").out
    assert "| a_b \\*new\\* \\|x\\_ (baseline) | 12 |" in markdown
    assert "| \\<b>&50% | 12 |" in markdown
    assert "the baseline a_b \\*new\\* \\|x\\_'s outputs" in markdown
    latex = rubrica(*words, "-f", "latex").out
    assert r"a\_b *new* \textbar{}x\_ & $" in latex
    assert r"\textless{}b\textgreater{}\&50\% & $" in latex
    rows = list(csv.DictReader(io.StringIO(rubrica(*words, "-f", "csv").out)))
    assert {row["system"] for row in rows} == {odd.stem, tag.stem}


def test_latex_tells_two_tests_apart_and_shows_all_pairs(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    files = (plain / f"{name}.txt" for name in ("lead3", "abstractor", "rambler"))
    words = ["compare", "-r", plain / "references.A.txt", *files, "-f", "latex"]
    both = rubrica(*words, "-par", "-pbs").out
    # ROUGE-2 of abstractor: p is .0585 by randomization and .0836 by bootstrap.
    assert r"$\mathbf{55.64} \pm 3.53^{+\oplus}$ & $\mathbf{26.91} \pm 4.56$" in both
    assert r"$27.21 \pm 1.92^{-\ominus}$" in both
    assert r"${}^{\oplus}$ and ${}^{\ominus}$ mark scores significantly better and worse" in both
    pairs = rubrica(*words, "--all-pairs").out
    assert r"rouge-1.f1 & rambler & lead3 & $-14.62$ & ar & 0.0053 & 0.0106* \\" in pairs
    assert pairs.count(r"\begin{tabular}") == 2
    assert r"\caption{Pairs of systems: their differences" in pairs
    assert "^{" not in pairs


def test_any_reader_serves_and_a_baseline_has_a_name(rubrica: Any, news: Path) -> None:
    answer = rubrica("compare", news / "summaries.jsonl", "--baseline", "centroid", "-m", "chrf")
    assert answer.out.splitlines()[2].startswith("centroid (baseline)")
    assert "reference" not in answer.out.splitlines()[0]


def test_an_arrow_marks_measures_of_which_lower_is_better(
    rubrica: Any, words: list[object]
) -> None:
    for form in ("text", "markdown"):
        answer = rubrica(*words, "-m", "chrf", "ter", "--no-tests", "-f", form)
        header = answer.out.split("\n")[0]
        assert "ter ↓" in header
        assert "chrf ↓" not in header
        assert "↓ lower is better" in answer.out


def test_two_settings_of_one_metric(rubrica: Any, words: list[object]) -> None:
    answer = rubrica(*words, "-m", "chrf", "chrf,word_order=2", "--measures", "chrf", "chrf#2.chrf")
    assert answer.out.split("\n")[0].split() == ["system", "n", "chrf", "chrf#2.chrf"]
    assert answer.out.count("p = ") == 4
    profiles = rubrica(*words, "-m", "rouge", "rouge,profile=rouge-score,max_ngram=2")
    assert profiles.out.split("\n")[0].split()[2:] == [
        "rouge-1.f1", "rouge-2.f1", "rouge-l.f1", "rouge#2.rouge-1.f1", "rouge#2.rouge-2.f1"
    ]  # fmt: skip


def test_a_metric_with_parameters_keeps_the_usual_measures_unless_they_choose_some(
    rubrica: Any, words: list[object]
) -> None:
    def header(*metrics: str) -> list[str]:
        made = rubrica(*words, "-m", *metrics, "--no-tests", "--interval-rounds", 0)
        return made.out.split("\n")[0].split()[2:]

    usual = ["rouge-1.f1", "rouge-2.f1", "rouge-l.f1"]
    assert header("rouge,profile=rouge-score") == usual
    assert header("rouge,use_porter_stemmer=no,alpha=1") == usual
    assert header("rouge,max_ngram=1") == ["rouge-1.f1"]
    assert header("rouge,max_ngram=0,wlcs_weight=1.2") == ["rouge-w-1.2.f1"]


def test_references_among_the_systems_are_told(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    a, b, system = plain / "references.A.txt", plain / "references.B.txt", plain / "lead3.txt"
    few = ["--no-tests", "--interval-rounds", 0]
    answer = rubrica("compare", "-r", a, b, system, *few)
    assert answer.out.splitlines()[2].startswith("references.B")
    assert "references.B.txt looks like references but is read as a system" in answer.err
    assert "for several references write -r once for each" in answer.err
    assert "also its own reference" in rubrica("compare", "-r", a, a, system, *few).err
    right = rubrica("compare", "-r", a, "-r", b, system, *few)
    assert "warning" not in right.err
    assert "|refs:2" in right.out
    gate = rubrica("gate", "-r", a, b, system, "--baseline", "x", "--measures", "rouge-2.f1")
    assert gate.code == 2
    assert "-r takes one file, for a second one write -r again" in gate.err


def test_options_may_stand_between_the_systems(rubrica: Any, news: Path) -> None:
    plain = news / "plain"
    one, other, references = (plain / f"{n}.txt" for n in ("lead3", "rambler", "references.A"))
    few = ["--interval-rounds", 0, "-m", "chrf"]
    expected = rubrica("compare", "-r", references, one, other, *few).out
    assert rubrica("compare", one, "-r", references, other, *few).out == expected
    assert rubrica("compare", one, other, "-r", references, *few).out == expected


def test_one_system_is_a_table_without_tests(rubrica: Any, words: list[object]) -> None:
    answer = rubrica(*words[:6], "--no-tests")
    assert answer.code == 0
    assert "p =" not in answer.out
    assert "null hypothesis" not in answer.out


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["-m", "chrff"], 1, "did you mean 'chrf'"),
        (["-m", "chrf,order=2"], 1, "metric 'chrf' has no parameter 'order'"),
        (["-m", "chrf,word_order"], 2, "expected NAME,parameter=value"),
        (["-m", "{"], 2, "not valid JSON"),
        (["-m", '{"max_ngram": 1}'], 1, "a metric needs a 'type', its name"),
        (["-m", '{"like": "sacrerouge"}'], 1, "a metric needs a 'type', its name"),
        (["--measures", "rouge-9.f1"], 1, "no measure 'rouge-9.f1'"),
        (["--baseline", "lead4"], 1, "did you mean 'lead3'"),
        (["--alpha", "2"], 1, "alpha must lie between"),
        (["-w", "99"], 2, "-w must lie between"),
        (["--no-tests", "-pbs"], 2, "--no-tests contradicts --test"),
        (["-m", "chrf", "-f", "rouge155"], 1, "shows the metric 'rouge'"),
        (["--dataset-reader", "csv"], 2, "for texts per line"),
        (["--confidence", "100"], 2, "--confidence must lie between"),
    ],
)
def test_mistakes_are_told(
    rubrica: Any, words: list[object], more: list[str], code: int, told: str
) -> None:
    answer = rubrica(*words, *more)
    assert (answer.code, told in answer.err) == (code, True), answer.err


def test_missing_references_and_unequal_lines(
    rubrica: Any, words: list[object], tmp_path: Path
) -> None:
    assert "needs references: name their file with -r" in rubrica("compare", words[5]).err
    short = tmp_path / "short.txt"
    short.write_text("one\ntwo\n")
    assert "has 2, " in rubrica(*words, short).err
    rows = tmp_path / "rows.jsonl"
    kept = [
        {"instance_id": i, "summarizer_id": s, "summarizer_type": "peer", "summary": {"text": "a b"},
         "references": [{"text": "a c"}]}
        for i, s in (("1", "x"), ("2", "x"), ("1", "y"))
    ]  # fmt: skip
    rows.write_text("".join(json.dumps(row) + "\n" for row in kept))
    assert "x has 2 inputs and y 1" in rubrica("compare", rows).err


def test_a_bare_name_means_the_same_measures_in_python(rubrica: Any, tmp_path: Path) -> None:
    texts = {"a": ["rain fell", "snow"], "b": ["rain", "snow fell"]}
    references = ["rain fell here", "snow fell"]
    for name, lines in {**texts, "r": references}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    words = [tmp_path / "a.txt", tmp_path / "b.txt", "-r", tmp_path / "r.txt", "-f", "json"]
    told = json.loads(rubrica("compare", *words).out)
    assert compare(texts, references).measures == ["rouge-1.f1", "rouge-2.f1", "rouge-l.f1"]
    assert [one["measure"] for one in told["tests"]] == compare(texts, references).measures
    four = compare(texts, references, [{"type": "rouge"}]).measures
    assert four == [f"rouge-{n}.f1" for n in (1, 2, 3, 4)]
