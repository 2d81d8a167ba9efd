"""Mistakes are answered in one paragraph with the remedy, and the right exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import main

NEWS = Path(__file__).resolve().parents[2] / "examples" / "news" / "summaries.jsonl"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["blue", "evaluate"], 2, "did you mean bleu or bleurt?"),
        (["evalute"], 2, "did you mean evaluate or"),
        (["--verison"], 2, "no option --verison"),
        (["bleu", "evalute"], 2, "did you mean evaluate?"),
        (["bleu", "evaluate", "--input-file", "x"], 2, "did you mean --input-files"),
        (["bleu", "evaluate"], 2, "required: --input-files"),
        (["bleu", "evaluate", "--input-files", "nope.jsonl"], 1, "nope.jsonl: cannot be opened"),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--max_ngram_order", "two"],
            2,
            "takes a whole number, not 'two'",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--smooth_method", "expo"],
            2,
            "takes one of exp, floor, add-k, none",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--lowercase", "maybe"],
            2,
            "takes true or false",
        ),
        (
            ["bleu", "evaluate", "--dataset-reader", "reference-bsed", "--input-files", NEWS],
            1,
            "did you mean 'reference-based'",
        ),
        (["bleu", "score", "--input-files", NEWS], 2, "score needs a file for its rows"),
        (
            ["bleu", "score", "a.jsonl", "--output-jsonl", "b.jsonl", "--input-files", NEWS],
            2,
            "say different things",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--confidence", "100"],
            2,
            "--confidence must lie between 0 and 100",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--confidence", "0.95"],
            2,
            "--confidence is in percent: 95 for 0.95",
        ),
        (
            ["bleu", "evaluate", "--input-files", "a.txt", "b.csv", "--references", "r.txt"],
            2,
            "a.txt and b.csv look like files of different kinds",
        ),
        (["bleu", "evaluate", "--input-files", NEWS, "b.tsv"], 2, "files of different kinds"),
        (
            ["bleu", "evaluate", "--input-files", os.devnull],
            1,
            "nothing to evaluate: the input has no rows",
        ),
        (
            [
                *("correlate", "--scores", NEWS, "--measures", "a", "b"),
                *("--summarizer-type", "peer"),
            ],
            1,
            "rows of scores are needed, as rubrica METRIC score writes them",
        ),
        (
            [
                *("correlate", "--scores", os.devnull, "--measures", "a", "b"),
                *("--summarizer-type", "peer"),
            ],
            1,
            f"no rows of scores in {os.devnull}",
        ),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--resume"],
            2,
            "resume needs a file for the rows",
        ),
        (["evaluate", NEWS, "-m", "chrf++"], 1, "it is chrf with the parameter word_order=2"),
        (["evaluate", NEWS, "-m", "ROUGE-W"], 1, "name the weight: rouge-w-1.2"),
        (["setup-metric", "blue"], 1, "did you mean 'bleu' or 'bleurt'?"),
        (["setup-metric", "nope"], 1, ", ...). See: rubrica list metrics. Is it your own metric?"),
        (["setup-dataset", "nope"], 1, "no data set 'nope' (there are: aggrefact,"),
        (
            ["evaluate", NEWS, "-m", "ter", "--engine", "spark"],
            1,
            "no engine 'spark' (there are: local, ray). Is it your own engine?",
        ),
        (
            ["judge", "evaluate", "--input-files", NEWS, "--prompt", "x"],
            1,
            ", ...). For your own prompt, name its .toml file",
        ),
        (
            ["agreement", NEWS],
            1,
            "summaries.jsonl:1: expected a label, found an object; name what was labelled with --labels",
        ),
        (["list", "metric"], 2, "invalid choice: 'metric'"),
        (["list"], 2, "required: metrics|readers|datasets|providers|prompts"),
        (["evaluate", "x.txt"], 2, "rubrica evaluate FILE -m rouge chrf"),
        (["pyramid-score", "--p", "x.txt"], 2, "pyramid-score does not score plain texts"),
        (
            ["bleu", "evaluate", "--input-files", NEWS, "--log-file", NEWS / "log"],
            1,
            "log: cannot be written",
        ),
        (
            ["x", "evaluate", "--include-packages", "no_such_package"],
            3,
            "--include-packages no_such_package: cannot be imported",
        ),
        (["no.such.module:Class", "evaluate"], 3, "cannot be imported"),
    ],
)
def test_a_mistake_is_answered_with_the_remedy(
    rubrica: Any, words: list[str], code: int, told: str
) -> None:
    answer = rubrica(*words)
    assert told in answer.err
    assert answer.code == code
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_a_bad_line_names_file_line_and_field(rubrica: Any, tmp_path: Path) -> None:
    rows = tmp_path / "peers.jsonl"
    rows.write_text('{"instance_id":"1","summarizer_id":"s","summarizer_type":"peer","text":"x"}\n')
    answer = rubrica("bleu", "evaluate", "--input-files", rows)
    assert answer.code == 1
    assert f"{rows}:1: no column for 'summary' (found: instance_id, summarizer_id" in answer.err
    assert "--fields summary=COLUMN" in answer.err


def test_a_table_of_one_line_is_told_that_it_is_the_header(rubrica: Any, tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("a summary\ta reference\n")
    answer = rubrica("bleu", "evaluate", "--input-files", tmp_path / "x.tsv")
    assert answer.code == 1
    assert "the input has no rows; the first line of a table is its header" in answer.err


def test_rows_without_references_are_answered_with_how_to_join_them(
    rubrica: Any, tmp_path: Path
) -> None:
    rows = tmp_path / "peers.jsonl"
    rows.write_text(
        '{"instance_id":"1","summarizer_id":"s","summarizer_type":"peer","summary":"x"}\n'
    )
    answer = rubrica("evaluate", rows, "-m", "rouge")
    assert answer.code == 1
    assert "peers.jsonl:1: no field 'references'" in answer.err
    remedy = "--dataset-reader split-reference-based --input-files REFERENCES SUMMARIES"
    assert f"For references in a file of their own: {remedy}" in answer.err


def test_debug_shows_the_traceback(rubrica: Any) -> None:
    from rubrica.errors import RubricaError

    with pytest.raises(RubricaError):
        rubrica("bleu", "evaluate", "--debug", "--input-files", "nope.jsonl")


def test_a_file_of_no_known_ending_is_a_text_per_line_if_references_are_named(
    rubrica: Any, tmp_path: Path
) -> None:
    for name in ("system.out", "reference.out"):
        (tmp_path / name).write_text("a b c\n")
    words = ["rouge", "evaluate", "--input-files", tmp_path / "system.out"]
    assert rubrica(*words, "--references", tmp_path / "reference.out").code == 0


def test_files_for_a_metric_are_answered_with_the_line_that_takes_them(rubrica: Any) -> None:
    answer = rubrica("rouge", "predictions.txt", "references.txt")
    assert (answer.code, answer.out) == (2, "")
    assert "rubrica rouge --p PREDICTIONS --r REFERENCES [REFERENCES ...]" in answer.err


def test_too_little_memory_is_told(rubrica: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.cli.scoring.run import Run

    def full(*_: Any) -> int:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(Run, "evaluate", full)
    answer = rubrica("rouge", "evaluate", "--input-files", NEWS)
    assert answer.code == 1
    assert answer.err.startswith("rubrica: out of memory")


def test_an_option_of_several_words_given_again_adds_to_them(rubrica: Any, tmp_path: Path) -> None:
    rows = NEWS.read_text().splitlines(keepends=True)
    for name, part in (("a.jsonl", rows[:30]), ("b.jsonl", rows[30:])):
        (tmp_path / name).write_text("".join(part))
    words = ["chrf", "evaluate", "--rounds", "0", "--silent", "-"]
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    together = rubrica(*words, "--input-files", one, two).out
    assert rubrica(*words, "--input-files", one, "--input-files", two).out == together
    assert rubrica(*words, "--input-files", two).out != together


def test_repeated_lists_of_a_parameter_add_up(rubrica: Any) -> None:
    words = ["js", "evaluate", "--input-files", NEWS, "--rounds", "0"]
    together = rubrica(*words, "--ngram_orders", "1", "2")
    assert together.code == 0
    assert rubrica(*words, "--ngram_orders", "1", "--ngram_orders", "2").out == together.out


def test_a_package_that_lacks_a_dependency_is_not_called_missing(
    rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_metrics_a.py").write_text("import no_such_library\n")
    Path("own_metrics_b.py").write_text("1 / 0\n")
    for package, remedy in (
        ("own_metrics_a", "it needs 'no_such_library'; install that"),
        ("own_metrics_b", "the package itself fails"),
        ("own_metrics_c", "run from the folder that holds it"),
    ):
        answer = rubrica("list", "metrics", "--include-packages", package)
        assert answer.code == 3
        assert remedy in answer.err


@pytest.mark.parametrize(("option", "name"), [("-o", "result.json"), ("--html", "page.html")])
def test_compare_checks_its_outputs_before_it_scores(
    rubrica: Any, tmp_path: Path, option: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.cli.scoring.compare.compare_instances", None)
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    answer = rubrica("compare", file, "-r", file, option, file / name)
    assert answer.code == 1
    assert f"{name}: cannot be written" in answer.err


def test_compare_makes_the_folder_of_its_output(rubrica: Any, tmp_path: Path) -> None:
    file, page = tmp_path / "a.txt", tmp_path / "new" / "result.json"
    file.write_text("one\ntwo\n")
    assert rubrica("compare", file, "-r", file, "-o", page, "-q").code == 0
    assert page.exists()


def test_a_report_of_texts_asks_for_references(rubrica: Any, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("one\ntwo\n")
    answer = rubrica("report", "systems", file)
    assert answer.code == 2
    assert "metric 'rouge' needs references: name their file with -r" in answer.err


@pytest.mark.parametrize(
    "words", [["novelty", "evaluate"], ["evaluate", "-m", "novelty", str(NEWS)]]
)
def test_an_own_metric_that_was_not_imported_gets_a_hint(rubrica: Any, words: list[str]) -> None:
    assert "--include-packages MODULE" in rubrica(*words).err


@pytest.mark.parametrize("group", ["store", "study", "report"])
def test_a_group_without_a_command_is_a_usage_error_with_its_help(rubrica: Any, group: str) -> None:
    answer = rubrica(group)
    assert answer.code == 2
    assert f"usage: rubrica {group}" in answer.err
    assert rubrica(group, "--help").code == 0


def test_a_metric_without_its_files_says_where_they_go(rubrica: Any) -> None:
    answer = rubrica("chrf", "evaluate", NEWS)
    assert answer.code == 2
    assert "--input-files; name the files to score after it" in answer.err
    assert "rubrica evaluate FILE -m chrf" in answer.err


def test_an_unknown_option_suggests_only_names_that_resemble_it(rubrica: Any) -> None:
    assert (
        "did you mean --coefficients?" in rubrica("meta-evaluate", "--coefficient", "pearson").err
    )
    assert "did you mean" not in rubrica("meta-evaluate", "--level", "system").err


def test_a_warning_is_one_line_without_source_code(rubrica: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    words = ["evaluate", empty, "-r", empty, "-m", "rouge"]
    first, second = rubrica(*words).err.splitlines()
    assert first.startswith("warning: ")
    assert "also its own reference" in first
    assert second.startswith("rubrica: ")
    assert "warning:" not in rubrica(*words, "--quiet").err


def test_help_of_the_first_word_of_two_lists_its_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["study", "scus", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"scus {word}" in shown for word in ("make", "collect", "filter"))
    assert "preprocess" not in shown
    assert main(["study", "scus"]) == 2
    assert "study scus needs a command" in capsys.readouterr().err


SCORES = "id,model,quality\n1,A,0.1\n2,A,{}\n3,A,0.3\n1,B,0.2\n2,B,0.3\n3,B,0.4\n"
TEXTS = "id,summary,reference\n1,a cat sat,a cat\n2,dogs bark,dogs do bark\n"


@pytest.mark.parametrize(
    ("words", "files", "problem"),
    [
        (
            ["compare", "scores.csv"],
            {"scores.csv": SCORES.format("bad")},
            "scores.csv:3: column 'quality' holds numbers, but here 'bad'; correct it, or leave the cell empty",
        ),
        (
            ["compare", "scores.csv"],
            {"scores.csv": SCORES.format("inf")},
            "scores.csv:3: column 'quality' holds numbers, but here 'inf'",
        ),
        (
            ["compare", "scores.csv", "-m", "quality"],
            {"scores.csv": SCORES.format("0.2")},
            "scores.csv holds scores, and no summaries for -m to score; leave out -m",
        ),
        (
            ["compare", "scores.csv", "texts.csv"],
            {"scores.csv": SCORES.format("0.2"), "texts.csv": TEXTS},
            "scores.csv holds scores, texts.csv does not; compare files of scores, or files of summaries",
        ),
        (
            ["report", "systems", "scores.csv", "-m", "rouge"],
            {"scores.csv": SCORES.format("0.2")},
            "choose among the scores with --measures",
        ),
        (
            ["report", "meta", "scores.csv"],
            {"scores.csv": SCORES.format("0.2")},
            "scores.csv holds scores; pass the result that `rubrica meta-evaluate --scores",
        ),
        (
            ["compare", "twice.csv"],
            {"twice.csv": "id,model,q\n1,A,0.1\n1,A,0.2\n"},
            "twice.csv:3: two different values of 'q' for input '1' and system 'A'; remove one, or",
        ),
        (
            ["compare", "macro.json"],
            {"macro.json": '{"metrics": {"chrf": 4.2}, "num_summaries": 3, "systems": {}}'},
            "macro.json: these are scores of systems, as evaluate -o writes them; rows of summaries are needed",
        ),
        (
            ["compare", "gap.csv", "-m", "chrf"],
            {
                "gap.csv": "id,model,summary,reference\na,A,It rained.,Rain.\nb,A,It rained.,Rain.\na,B,Rain.,Rain.\n"
            },
            "(B lacks b); add an empty summary where a system wrote none, or compare the rows of evaluate",
        ),
        (
            ["correlate", "--measures", "q", "z", "y", "--scores", "q.csv"],
            {"q.csv": "id,model,q\n1,A,0.1\n"},
            "unrecognized arguments: y; --measures takes two; for several metrics or human scores: rubrica meta-evaluate",
        ),
        (
            ["explain", "a.txt", "-r", "b.txt", "--measures", "rougeLsum"],
            {"a.txt": "It rained.\n", "b.txt": "It rained.\n"},
            "rouge-lsum is rouge-l over sentences: explain rouge-l, with level=sentences after the preset",
        ),
        *(
            ([*words, "-o", name], {"q.csv": "id,model,q\n1,A,0.1\n2,A,0.2\n"}, problem)
            for words, name, problem in (
                (["compare", "q.csv"], "page.html", "not as .html; --html writes a page"),
                (
                    ["evaluate", "q.csv", "-m", "chrf"],
                    "q.tsv",
                    "q.tsv: system scores can be written as .json,",
                ),
                (
                    ["score", "q.csv", "-m", "chrf"],
                    "s.csv",
                    "rows can be written as .jsonl or .parquet, not as .csv",
                ),
                (
                    ["correlate", "--measures", "q", "z", "--scores", "q.csv"],
                    "r.csv.gz",
                    "written as .json, not as .csv",
                ),
                (
                    ["meta-evaluate", "--human", "q", "--scores", "q.csv"],
                    "m.pdf",
                    ".csv or .txt, not as .pdf",
                ),
            )
        ),
        (
            ["compare", "header.csv", "-m", "rouge"],
            {"header.csv": "id,summary,reference\n"},
            "header.csv: nothing to compare: the input has no rows; the first line of a table is its header",
        ),
        (
            ["compare", "texts.csv", "nothing.csv", "-m", "rouge"],
            {"texts.csv": TEXTS, "nothing.csv": ""},
            "nothing.csv: ",
        ),
        (
            ["compare", "a.jsonl", "nothing.jsonl", "-m", "rouge"],
            {"a.jsonl": '{"id": 1, "summary": "a", "reference": "b"}\n', "nothing.jsonl": ""},
            "nothing.jsonl: the file is empty",
        ),
        (
            ["compare", "nested.jsonl", "-m", "rouge"],
            {"nested.jsonl": '{"id": {"n": 1}, "summary": "a", "reference": "b"}\n'},
            "nested.jsonl:1: field 'id' must be an id (text or integer), found an object; map a key inside it with its "
            "path: --fields instance_id=id.n",
        ),
        (
            ["evaluate", "paper.pdf", "-m", "rouge"],
            {"paper.pdf": "%PDF-1.4"},
            "The ending says what a file is: .txt for one text per line, .csv",
        ),
        (
            ["correlate", "--scores", ".", "--measures", "a", "b", "--summarizer-type", "peer"],
            {},
            "cannot be opened: Is a directory; name the files in it",
        ),
        (
            ["rouge", "--p", "texts.csv", "--r", "texts.csv"],
            {"texts.csv": TEXTS},
            "texts.csv: a table by its ending, but one text per line is needed here; write its texts to a .txt file",
        ),
        (
            ["compare", "a.txt", "-r", "texts.csv", "-m", "rouge"],
            {"a.txt": "a\nb\nc\n", "texts.csv": TEXTS},
            "texts.csv: a table by its ending",
        ),
        (
            ["evaluate", "texts.csv", "-m", "rouge", "--max_ngram", "3"],
            {"texts.csv": TEXTS},
            "no option --max_ngram; a parameter of a metric follows the metric's name, as in -m rouge,max_ngram=3",
        ),
        (
            ["meta-evaluate", "--scores", "s.csv", "--human", "h", "--config", "texts.csv"],
            {"texts.csv": TEXTS, "s.csv": SCORES.format("0.2")},
            "; a configuration is TOML (.toml) or JSON",
        ),
        (
            ["agreement", "lists.jsonl", "--labels", "relevanse"],
            {
                "lists.jsonl": '{"instance_id": "1", "summarizer_id": "a", "metrics": {"relevance": [1, 2]}}\n'
            },
            "no column 'relevanse'; did you mean 'relevance'?",
        ),
        (
            [
                *("correlate", "--scores", "scores.csv", "people.csv"),
                *("--measures", "quality", "human", "--summarizer-type", "peer"),
            ],
            {"scores.csv": SCORES.format("0.2"), "people.csv": "id,model,human\n7,A,3\n8,A,4\n"},
            "scores belong together where instance_id and summarizer_id are equal (--fields names their columns)",
        ),
        (
            ["gate", "scores.csv", "--baseline", "scores.csv", "--measures", "quality"],
            {"scores.csv": SCORES.format("0.2")},
            "scores.csv: scores of several systems (A, B); a gate takes a file of one system",
        ),
    ],
)
def test_a_mistake_in_a_file_is_answered_with_place_and_remedy(
    rubrica: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    files: dict[str, str],
    problem: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        Path(name).write_text(text)
    answer = rubrica(*words)
    assert problem in answer.err
    assert answer.code in (1, 2)
    assert answer.out == ""
