"""Recipes of published tables: every layout on a small stand-in, verdicts, strictness, resuming."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import pickle
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.app import _command as command_for
from rubrica.datasets.released import read_records
from rubrica.errors import DataError, MissingResourceError, UnknownNameError
from rubrica.reproductions import Verdict, load_recipe, load_recipes, recipe_names, run_recipe
from rubrica.reproductions.inputs import READERS
from rubrica.reproductions.operations import OPERATIONS
from rubrica.reproductions.recipe import Recipe, parse_recipe
from rubrica.reproductions.render import render, summary
from rubrica.reproductions.results import is_equal
from rubrica.reproductions.run import read_result, write_result
from support.dataset_samples import write_sample

RESULTS = Path(__file__).resolve().parents[3] / "docs" / "reproductions"
COMMIT = "0" * 40
CORRELATION = {"metric": "m", "human": "h", "level": "global", "coefficient": "pearson"}


def toml(value: Any) -> str:
    """Return a value as TOML; JSON's strings, numbers and lists are TOML, too."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def recipe_text(files: Mapping[str, bytes], inputs: Any, tables: Any, /, **more: Any) -> str:
    """Return a recipe for files of a repository called `released`."""
    listed = [
        {"path": name, "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()
    ]
    keys = {
        "name": "stand-in",
        "paper": "Nobody 2020",
        "title": "A stand-in",
        "citation": "Nobody. 2020. Nothing",
        "published_in": "Table 1",
        "commands": ["rubrica list metrics"],
        "source": {
            "repository": "https://example.org/released",
            "commit": COMMIT,
            "licence": "none",
            "folder": "released",
        },
        "files": listed,
        "inputs": inputs,
        "tables": tables,
        **more,
    }
    return "\n".join(f"{key} = {toml(value)}" for key, value in keys.items())


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / "released" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def table(operation: str, options: Any, published: str, **more: Any) -> dict[str, Any]:
    return {
        "title": "T",
        "operation": operation,
        "input": "x",
        "options": options,
        "columns": [{"name": "c"}],
        "rows": [{"name": "r", "published": [published]}],
        **more,
    }


RECORDS = json.dumps(
    [{"s": {"m": m, "h": h}, "split": "test"} for m, h in ((1, 2), (2, 4), (3, 6))]
    + [{"s": {"m": 9, "h": 0}, "split": "dev"}]
).encode()
MEASURES = {"measures": {"m": "s.m", "h": "s.h"}, "where": {"split": "test"}}
SCORE_DICT = pickle.dumps(
    {
        doc: {
            "ref_summ": "<t> a b . </t>",
            "system_summaries": {
                f"s{n}.txt": {
                    "system_summary": "<t> a b . </t>",
                    "scores": {"m": float(n), "h": float(n * sign)},
                }
                for n in range(6)
            },
        }
        for doc, sign in ((0, 1), (1, 1))
    }
)
TEXTS = pickle.dumps(
    {
        0: {
            "ref_summ": "a b . c d .",
            "ref_summs": ["a b . c d .", "x"],
            "sys_summs": {
                "correct": {"sys_summ": "a b . c d .", "scores": {"fact": 1}},
                "incorrect": {"sys_summ": "a y . z d .", "scores": {"fact": 0}},
            },
        }
    }
)
RANKED = pickle.dumps(
    {
        0: {"ref": "a b c d", "better": {"sys": "a b c d"}, "worse": {"sys": "a x"}},
        1: {"ref": "a b c d", "better": {"sys": "q"}, "worse": {"sys": "a b c d"}},
    }
)
TOPICS = json.dumps(
    {
        "D1": {
            "references": [{"text": ["a b c d ."]}],
            "annotations": [
                {"text": text, "summ_id": name, "score": score}
                for name, text, score in (
                    ("1", ["a b c d .", "e ."], 3),
                    ("2", ["a b x y .", "e ."], 2),
                    ("3", ["q r x y .", "e ."], 1),
                    ("4", ["short ."], 9),
                )
            ],
        }
    }
).encode()
PAIRS = json.dumps(
    [
        {
            "label": 1,
            "output_1": "a",
            "output_2": "b",
            "results": [{"swap = False": {"winner": "1"}, "swap = True": {"winner": swapped}}],
        }
        for swapped in ("1", "2")
    ]
).encode()
PEOPLE = json.dumps({n: {str(i): i % 2 for i in range(40)} for n in "abc"}).encode()
JUDGES = json.dumps({"judge": {str(i): i % 2 for i in range(40)}}).encode()
ROUGE = [{"type": "rouge", "max_ngram": 1}]
# One rating of the last summary is missing: NaN, which is not JSON.
RATED = "".join(
    json.dumps(
        {
            "idx": f"d{doc}",
            "round": doc,
            "model_summaries": {
                f"s{n}": {"summ": "a", "anns": {"fluency": [n, n, n + doc if n < 3 else math.nan]}}
                for n in range(4)
            },
        }
    )
    + "\n"
    for doc in (0, 1)
).encode()
# Two metrics that agree with people, and one that does not: two of three pairs differ.
SYSTEM_TABLE = b"LP S H good fine bad other\n" + b"".join(
    b"de-en s%d %d %d %d %d 0\n" % (n, n, n + n % 2, n - n % 3 // 2, (n * 5) % 8) for n in range(8)
)
SYSTEM_SCORES = b"model,metric,score\ns0,m,0.1\ns1,m,0.2\ns2,m,0.3\n"

LAYOUTS: dict[str, tuple[dict[str, bytes], dict[str, Any], dict[str, Any]]] = {
    "records": (
        {"r.json": RECORDS},
        {"reader": "records", "files": ["r.json"], "options": MEASURES},
        table("correlation", CORRELATION, "1.000"),
    ),
    "score-dicts": (
        {"a.pkl": SCORE_DICT},
        {"reader": "score-dicts", "files": ["a.pkl"], "options": {"splits": ["abs"]}},
        table("significant-correlation", {"metric": "m", "human": "h"}, "1.00"),
    ),
    "text-pickle": (
        {"t.pkl": TEXTS},
        {
            "reader": "text-pickle",
            "files": ["t.pkl"],
            "options": {"reference": "ref_summs", "pooling": "max", "stop": "."},
            "metrics": ROUGE,
        },
        table(
            "ranked-pairs",
            {"metric": "rouge-1.f1", "better": "correct", "worse": "incorrect"}
            | {"statistic": "accuracy"},
            "1.0",
        ),
    ),
    "ranked-pickle": (
        {"w.pkl": RANKED},
        {"reader": "ranked-pickle", "files": ["w.pkl"], "metrics": ROUGE},
        table(
            "ranked-pairs",
            {"metric": "rouge-1.f1", "better": "better", "worse": "worse", "statistic": "tau"},
            "0.0",
        ),
    ),
    "topics": (
        {"tac": TOPICS},
        {
            "reader": "topics",
            "files": ["tac"],
            "options": {"annotations": {"score": "score"}, "min_sentences": 2},
            "metrics": ROUGE,
        },
        table(
            "correlation",
            {"metric": "rouge-1.recall", "human": "score", "level": "summary"}
            | {"coefficient": "spearman"},
            "1.0",
        ),
    ),
    "rated-systems": (
        {"data/r.jsonl": RATED, "judge/fluency.csv": SYSTEM_SCORES.replace(b",m,", b',"a, b",')},
        {"reader": "rated-systems", "files": ["data/r.jsonl", "judge/fluency.csv"]},
        table(
            "correlation",
            CORRELATION | {"metric": "a, b", "human": "fluency", "level": "system"},
            "1.000",
        ),
    ),
    "system-table": (
        {"wmt.csv": SYSTEM_TABLE},
        {
            "reader": "system-table",
            "files": ["wmt.csv"],
            "options": {"system": "S", "skip": ["LP"], "without": ["other"]},
        },
        table("significant-pairs", {"human": "H", "alpha": 0.05}, "2"),
    ),
    "unit-labels": (
        {"bart.label": b"1\t0\n1\t1\t0\t0\n"},
        {"reader": "unit-labels", "files": ["bart.label"]},
        table("system-mean", {"system": "bart", "measure": "recall"}, "0.50"),
    ),
    "judge-pairs": (
        {"result.json": PAIRS},
        {"reader": "judge-pairs", "files": ["result.json"]},
        table("pair-audit", {"statistic": "average"}, "75.0", scale=100.0),
    ),
    "annotations": (
        {"people.json": PEOPLE, "judges.json": JUDGES},
        {"reader": "annotations", "files": ["people.json", "judges.json"]},
        table(
            "alt-test",
            {"judge": "judge", "scoring": "accuracy", "epsilon": 0.1, "statistic": "winning_rate"},
            "1.00",
        ),
    ),
}


def stand_in(name: str, folder: Path, **changes: Any) -> tuple[Recipe, Path]:
    """Return the recipe of a layout and the folder of its data; `changes` replace keys of its table."""
    files, source, spec = LAYOUTS[name]
    text = recipe_text(files, {"x": source}, [spec | changes])
    return parse_recipe(text.encode(), "stand-in.toml"), write_files(folder, files)


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_a_stand_in_of_each_layout_is_reproduced(name: str, tmp_path: Path) -> None:
    result = run_recipe(*stand_in(name, tmp_path))
    assert [cell.verdict for cell in result.cells] == [Verdict.EQUAL], result.cells


def test_the_best_systems_are_correlated_alone(tmp_path: Path) -> None:
    # The worst system has the best score: without it, the metric agrees with people.
    rows = [
        {"d": doc, "s": f"s{n}", "m": 9 if n == 0 else n, "h": n}
        for doc in (0, 1)
        for n in range(5)
    ]
    files = {"r.json": json.dumps(rows).encode()}
    names = {"measures": {"m": "m", "h": "h"}, "instance": "d", "system": "s"}
    source = {"reader": "records", "files": ["r.json"], "options": names}
    options = {"metric": "m", "human": "h", "coefficient": "kendall"}
    spec = table("best-systems", options, "1.0") | {
        "columns": [{"name": str(size), "options": {"size": size}} for size in (4, 5)],
        "rows": [{"name": "r", "published": ["1.0", "0.2"]}],
    }
    recipe = parse_recipe(recipe_text(files, {"x": source}, [spec]).encode(), "r.toml")
    cells = run_recipe(recipe, write_files(tmp_path, files)).cells
    assert [cell.verdict for cell in cells] == [Verdict.EQUAL, Verdict.EQUAL], cells


def test_records_average_ratings_leave_out_systems_and_are_read_compressed(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "by": system, "ratings": [1, 2, value]}
        for system, value in (("a", 3), ("b", 6), ("c", 9))
    ]
    file = tmp_path / "r.jsonl.gz"
    with gzip.open(file, "wt") as lines:
        lines.writelines(f"{json.dumps(row)}\n" for row in rows)
    names: dict[str, Any] = {"instance": "id", "system": "by", "measures": {"human": "ratings"}}
    scores = read_records([file], **names, without=["c"])
    assert list(scores.systems) == ["a", "b"]
    assert scores.matrix("human").tolist() == [[2.0], [3.0]]
    (tmp_path / "s.jsonl").write_text('{"id": "1", "by": "a", "ratings": [1, "x"]}')
    with pytest.raises(DataError, match="not a number: 'x'"):
        read_records([tmp_path / "s.jsonl"], **names)


def test_systems_of_a_table_are_left_out_by_name_and_without_a_score(tmp_path: Path) -> None:
    files = {
        "wmt.csv": b"S H m\na 1 3\nb 2 2\nc 3 1\nonline 100 100\nunscored 50 \n",
        "other.csv": b"S H m\na 1 1\nb 2 2\n",
    }
    reader = {"reader": "system-table", "options": {"system": "S"}}
    inputs = {
        "all": reader,
        "out": {**reader, "options": {"system": "S", "without_systems": ["online"]}},
    }
    options = {"metric": "m", "human": "H", "level": "system", "coefficient": "pearson"}
    rows = [
        {"name": name, "published": [value], "input": name, "files": ["wmt.csv"]}
        for name, value in (("all", "0.999"), ("out", "-1.000"))
    ]
    spec = table("correlation", options, "", rows=rows)
    recipe = parse_recipe(recipe_text(files, inputs, [spec]).encode(), "r.toml")
    cells = run_recipe(recipe, write_files(tmp_path, files)).cells
    assert [cell.verdict for cell in cells] == [Verdict.EQUAL, Verdict.EQUAL], cells


def test_the_alpha_of_annotators_leaves_a_missing_rating_out(tmp_path: Path) -> None:
    for doc, published in ((0, "1.000"), (1, "0.787")):
        options = {"where": {"round": doc}, "annotators": 3}
        source = {"reader": "rated-systems", "files": ["r.jsonl"], "options": options}
        spec = table(
            "rating-alpha", {"measure": "fluency", "annotators": 3, "scale": "ordinal"}, published
        )
        recipe = parse_recipe(recipe_text({"r.jsonl": RATED}, {"x": source}, [spec]).encode(), "r")
        (cell,) = run_recipe(recipe, write_files(tmp_path, {"r.jsonl": RATED})).cells
        assert cell.verdict is Verdict.EQUAL, cell


def test_a_registered_data_set_is_read_with_its_own_reader(tmp_path: Path) -> None:
    write_sample("bhandari2020", tmp_path / "released")
    files = {
        str(path.relative_to(tmp_path / "released")): path.read_bytes()
        for path in sorted((tmp_path / "released").rglob("*"))
        if path.is_file()
    }
    options = {"name": "bhandari2020", "part": "mix"}
    source = {"reader": "dataset", "files": list(files), "options": options, "metrics": ROUGE}
    spec = table("distribution", {"measure": "litepyramid.recall", "statistic": "max"}, "1.0")
    recipe = parse_recipe(recipe_text(files, {"x": source}, [spec]).encode(), "r.toml")
    (cell,) = run_recipe(recipe, tmp_path).cells
    assert cell.verdict is Verdict.EQUAL, cell


def test_an_option_of_a_metric_can_be_a_file_of_another_repository(tmp_path: Path) -> None:
    files, source, _ = LAYOUTS["ranked-pickle"]
    paraphrases = gzip.compress(b"0.5\nc d\nx\n", mtime=0)
    resource = {
        "path": "table.gz",
        "sha256": hashlib.sha256(paraphrases).hexdigest(),
        "source": {
            "repository": "https://example.org/tables",
            "commit": COMMIT,
            "licence": "none",
            "folder": "tables",
        },
    }
    own = {"path": "w.pkl", "sha256": hashlib.sha256(RANKED).hexdigest()}
    metrics = [{"type": "meteor", "paraphrases": {"file": "table.gz"}}]
    spec = table("distribution", {"measure": "METEOR", "statistic": "median"}, "0.603")
    # Without the table the median is 0.522. No list of files: the reader gets those of the recipe's own repository.
    inputs = {"x": {"reader": source["reader"], "metrics": metrics}}
    recipe = parse_recipe(recipe_text({}, inputs, [spec], files=[own, resource]).encode(), "r.toml")
    write_files(tmp_path, files)
    with pytest.raises(MissingResourceError, match="1 of 2 files") as caught:
        run_recipe(recipe, tmp_path)
    assert f"git clone https://example.org/tables {tmp_path / 'tables'}" in str(caught.value)
    assert "example.org/released" not in str(caught.value)
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "table.gz").write_bytes(paraphrases)
    (cell,) = run_recipe(recipe, tmp_path).cells
    assert cell.verdict is Verdict.EQUAL, cell
    with pytest.raises(DataError, match=r"metrics: 'table\.gz' is not listed"):
        parse_recipe(recipe_text({}, inputs, [spec], files=[own]).encode(), "r.toml")


def test_every_reader_has_a_stand_in() -> None:
    assert {*LAYOUTS, "dataset"} == set(READERS)


@pytest.mark.parametrize(
    ("value", "published", "equal"),
    [
        (0.12345, "0.123", True),
        (0.1235, "0.123", True),  # halfway: rounded down, or to even
        (0.1235, "0.124", True),
        (0.12351, "0.123", False),
        (-0.0004, "0.000", True),
        (92.0, "92", True),
        (float("nan"), "0.1", False),
    ],
)
def test_equal_means_the_printed_digits(value: float, published: str, equal: bool) -> None:
    assert is_equal(value, published) is equal


def test_a_tolerance_explains_a_difference_and_a_larger_one_stays_unexplained(
    tmp_path: Path,
) -> None:
    allowed = {"tolerance": 0.2, "tolerance_reason": "no seed"}
    for published, verdict in (("0.9", Verdict.EXPLAINED), ("0.7", Verdict.UNEXPLAINED)):
        rows = [{"name": "r", "published": [published]}]
        (cell,) = run_recipe(*stand_in("records", tmp_path, rows=rows, **allowed)).cells
        assert cell.verdict is verdict


def test_a_finding_explains_the_cells_it_names_only(tmp_path: Path) -> None:
    files, source, spec = LAYOUTS["records"]
    rows = [{"name": name, "published": ["0.5"]} for name in ("known", "open", "tried")]
    findings = [
        {"cause": "ties", "rows": ["known"]},
        {"cause": "tried tau-b", "rows": ["tried"], "explained": False},
    ]
    text = recipe_text(files, {"x": source}, [spec | {"rows": rows}], findings=findings)
    result = run_recipe(parse_recipe(text.encode(), "r.toml"), write_files(tmp_path, files))
    assert [(cell.verdict, cell.reason) for cell in result.cells] == [
        (Verdict.EXPLAINED, "ties"),
        (Verdict.UNEXPLAINED, ""),
        (Verdict.UNEXPLAINED, "tried tau-b"),
    ]


def test_a_row_that_cannot_be_computed_says_why(tmp_path: Path) -> None:
    rows = [
        {"name": "neural", "published": ["0.5"], "unavailable": "needs a model"},
        {"name": "absent", "published": ["0.5"], "options": {"metric": "other"}},
    ]
    cells = run_recipe(*stand_in("records", tmp_path, rows=rows)).cells
    assert {cell.verdict for cell in cells} == {Verdict.UNAVAILABLE}
    assert cells[0].reason == "needs a model"
    assert "other" in cells[1].reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"operation": "eval"}, "no operation 'eval'"),
        ({"options": CORRELATION | {"code": "x"}}, "no option 'code'"),
        ({"options": {"metric": "m"}}, "needs the option"),
        ({"options": CORRELATION | {"level": "word"}}, "'word' is not one of"),
        ({"options": CORRELATION | {"metric": 3}}, "expected str"),
        ({"rows": [{"name": "r", "published": ["1", "2"]}]}, "2 values, 1 columns"),
        ({"rows": [{"name": "r", "published": ["about 1"]}]}, "published"),
        ({"rows": [{"name": "r", "published": ["1"], "files": ["b.json"]}]}, "not listed"),
        ({"input": "y"}, "no input 'y'"),
        ({"tolerance": 0.1}, "tolerance_reason"),
        ({"script": "import os"}, "unknown field"),
        ({"operation": "pair-audit", "options": {"statistic": "both"}}, "cannot use what records"),
    ],
)
def test_a_wrong_recipe_is_refused_with_the_place(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        stand_in("records", tmp_path, **change)
    assert "stand-in.toml" in str(caught.value)


def test_files_outside_the_folder_are_refused() -> None:
    files, source, spec = LAYOUTS["records"]
    for path in ("../r.json", "/etc/passwd", "a/../../b"):
        text = recipe_text(files, {"x": source}, [spec]).replace('"r.json"', json.dumps(path))
        with pytest.raises(DataError, match="not a recipe"):
            parse_recipe(text.encode(), "r.toml")


def test_missing_files_are_named_with_the_commands_that_bring_them(tmp_path: Path) -> None:
    recipe, _ = stand_in("records", tmp_path)
    with pytest.raises(MissingResourceError, match=r"r\.json") as caught:
        run_recipe(recipe, tmp_path / "elsewhere")
    assert "git clone https://example.org/released" in str(caught.value)
    assert f"checkout {COMMIT}" in str(caught.value)


def test_another_content_is_refused(tmp_path: Path) -> None:
    recipe, data = stand_in("records", tmp_path)
    (data / "released" / "r.json").write_bytes(b"[]")
    with pytest.raises(DataError, match="not the file that recipe"):
        run_recipe(recipe, data)


def test_a_pickle_is_never_executed(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
            return os.system, (f"touch {tmp_path / 'executed'}",)

    files, source, spec = LAYOUTS["text-pickle"]
    files = {"t.pkl": pickle.dumps({0: Bomb()})}
    recipe = parse_recipe(recipe_text(files, {"x": source}, [spec]).encode(), "r.toml")
    (cell,) = run_recipe(recipe, write_files(tmp_path, files)).cells
    assert cell.verdict is Verdict.UNAVAILABLE
    assert not (tmp_path / "executed").exists()


def test_an_unchanged_recipe_is_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, data = stand_in("records", tmp_path)
    first = run_recipe(recipe, data, tmp_path / "results")

    def fail(*_: Any, **__: Any) -> float:
        raise AssertionError("computed again")

    monkeypatch.setitem(OPERATIONS, "correlation", fail)
    assert run_recipe(recipe, data, tmp_path / "results") == first
    (tmp_path / "results" / "stand-in.json").write_text("{")
    with pytest.raises(AssertionError, match="computed again"):
        run_recipe(recipe, data, tmp_path / "results")


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = run_recipe(*stand_in("records", tmp_path))
    write_result(tmp_path, result)
    assert read_result(tmp_path, "stand-in") == result


def test_every_format_shows_the_cells(tmp_path: Path) -> None:
    results = [run_recipe(*stand_in("records", tmp_path))]
    for output in ("text", "markdown", "json", "html"):
        content = render(results, output).decode()
        assert "1.000" in content
        assert "A stand-in" in content
    assert summary(results).startswith("1 cells: 1 equal")


def test_the_command_prints_cells_and_fails_on_unexplained_ones(
    rubrica: Any, tmp_path: Path
) -> None:
    files, source, spec = LAYOUTS["records"]
    data = write_files(tmp_path, files)
    for published, code in (("1.0", 0), ("0.5", 4)):
        rows = [{"name": "r", "published": [published]}]
        path = tmp_path / f"{code}.toml"
        path.write_text(recipe_text(files, {"x": source}, [spec | {"rows": rows}]))
        answer = rubrica("reproduce", "run", path, "--data", data)
        assert answer.code == code, answer.err
        assert published in answer.out
    page = tmp_path / "page.html"
    answer = rubrica(
        "reproduce", "run", tmp_path / "0.toml", "--data", data, "-f", "html", "-o", page
    )
    assert answer.code == 0
    assert b"Content-Security-Policy" in page.read_bytes()


def test_the_command_says_which_files_are_missing(rubrica: Any, tmp_path: Path) -> None:
    answer = rubrica("reproduce", "run", "unieval", "--data", tmp_path)
    assert answer.code == 3
    assert "git clone https://github.com/maszhongming/UniEval" in answer.err
    answer = rubrica("reproduce", "all", "--data", tmp_path)
    assert answer.code == 3


def test_an_unknown_recipe_suggests_others() -> None:
    with pytest.raises(UnknownNameError, match="unieval"):
        load_recipe("unievl")


def test_the_recipes_cover_ten_papers_and_are_listed(rubrica: Any) -> None:
    recipes = load_recipes()
    assert len({recipe.paper for recipe in recipes}) >= 10
    assert sum(recipe.cells for recipe in recipes) >= 300
    answer = rubrica("reproduce", "list")
    assert answer.code == 0
    assert all(name in answer.out for name in recipe_names())
    for recipe in recipes:
        for command in recipe.commands:
            program, *words = shlex.split(command, comments=True)
            assert program == "rubrica"
            # Words that a command does not take raise an error.
            command_for(words)


def test_the_committed_results_are_those_of_the_recipes() -> None:
    for recipe in load_recipes():
        committed = read_result(RESULTS, recipe.name)
        assert committed is not None, f"{recipe.name}: commit its result"
        published = [
            (table.title, row.name, text)
            for table in recipe.tables
            for row in table.rows
            for text in row.published
            if text
        ]
        assert [(c.table, c.row, c.published) for c in committed.cells] == published


@pytest.mark.skipif(
    "RUBRICA_REPRODUCTIONS" not in os.environ,
    reason="set RUBRICA_REPRODUCTIONS to a folder of clones to recompute every table",
)
def test_the_committed_results_are_computed_again() -> None:
    for recipe in load_recipes():
        committed = read_result(RESULTS, recipe.name)
        assert committed is not None
        result = run_recipe(recipe, Path(os.environ["RUBRICA_REPRODUCTIONS"]))
        assert [(cell.row, cell.verdict) for cell in result.cells] == [
            (cell.row, cell.verdict) for cell in committed.cells
        ]
