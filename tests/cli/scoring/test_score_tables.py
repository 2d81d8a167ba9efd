"""Tables of scores that others computed go into every command that takes scores, in wide and long format."""

from __future__ import annotations

import csv
import gzip
import importlib
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rubrica as library
from rubrica.comparison import compare_scores
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import holds_scores, read_metrics
from rubrica.errors import DataError

WIDE: list[dict[str, Any]] = [
    {
        "doc_id": d,
        "model": m,
        "rougeL": round(a + d / 100, 2),
        "relevance": b - d / 4,
        "comment": "fine",
    }
    for m, a, b in (("a", 0.1, 1), ("b", 0.2, 3), ("c", 0.25, 2), ("d", 0.4, 5))
    for d in range(1, 6)
]
LONG = [
    {"doc_id": row["doc_id"], "model": row["model"], "metric": name, "score": row[name]}
    for row in WIDE
    for name in ("rougeL", "relevance")
]


def _delimited(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], delimiter="," if path.suffix == ".csv" else "\t")
        writer.writeheader()
        writer.writerows(rows)


def _json(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(rows))


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _columns(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({name: [row[name] for row in rows] for name in rows[0]}))


def _nested(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps({"version": 1, "data": rows}))


def _split(path: Path, rows: list[dict[str, Any]]) -> None:
    """As pandas writes a frame with `orient="split"`."""
    cells = [list(row.values()) for row in rows]
    path.write_text(json.dumps({"columns": list(rows[0]), "data": cells}))


def _by_row(path: Path, rows: list[dict[str, Any]]) -> None:
    """As pandas writes a frame with `orient="index"`."""
    path.write_text(json.dumps({str(at): row for at, row in enumerate(rows)}))


def _workbook(path: Path, rows: list[dict[str, Any]]) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    for cells in [list(rows[0]), *([*row.values()] for row in rows)]:
        book.active.append(cells)
    book.save(path)


def _indexed(path: Path, rows: list[dict[str, Any]]) -> None:
    """As pandas' `to_json` writes a frame."""
    columns = {name: {str(at): row[name] for at, row in enumerate(rows)} for name in rows[0]}
    path.write_text(json.dumps(columns))


def _semicolons(path: Path, rows: list[dict[str, Any]]) -> None:
    """As a spreadsheet with decimal commas writes it."""
    lines = [";".join(str(value).replace(".", ",") for value in row.values()) for row in rows]
    path.write_text("\n".join([";".join(rows[0]), *lines, ""]))


def _with_index(path: Path, rows: list[dict[str, Any]]) -> None:
    """As pandas' `to_csv` writes a frame with its index."""
    _delimited(path, [{"": at, **row} for at, row in enumerate(rows)])


def _parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    importlib.import_module("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)


def _feather(path: Path, rows: list[dict[str, Any]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    importlib.import_module("pyarrow.feather").write_feather(pyarrow.Table.from_pylist(rows), path)


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], None]] = {
    "semicolons.csv": _semicolons,
    "index.csv": _with_index,
    "indexed.json": _indexed,
    "x.parquet": _parquet,
    "x.feather": _feather,
    "x.csv": _delimited,
    "x.tsv": _delimited,
    "x.json": _json,
    "x.jsonl": _lines,
    "columns.json": _columns,
    "nested.json": _nested,
    "split.json": _split,
    "by-row.json": _by_row,
    "x.xlsx": _workbook,
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    rows = (
        {
            "instance_id": str(row["doc_id"]),
            "summarizer_id": row["model"],
            "summarizer_type": "peer",
            "metrics": {"rougeL": row["rougeL"], "relevance": row["relevance"]},
        }
        for row in WIDE
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("rows", [WIDE, LONG], ids=["wide", "long"])
@pytest.mark.parametrize("name", WRITERS)
def test_every_table_has_the_rows_of_our_own_format(
    name: str, rows: list[dict[str, Any]], tmp_path: Path, own: Path
) -> None:
    path = tmp_path / name
    WRITERS[name](path, rows)
    assert [(row.key, row.values()) for row in read_metrics(path)] == [
        (row.key, row.values()) for row in read_metrics(own)
    ]
    assert holds_scores(path)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.json", "x.jsonl", "x.parquet", "x.xlsx"])
def test_tables_may_be_compressed(name: str, tmp_path: Path, own: Path) -> None:
    WRITERS[name](tmp_path / name, WIDE)
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert [(row.key, row.values()) for row in read_metrics(path)] == [
        (row.key, row.values()) for row in read_metrics(own)
    ]
    assert holds_scores(path)


def test_rows_may_lack_a_measure(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "a": 0.5, "b": 1},
        {"id": 2, "a": 0.4},
        {"id": 3, "b": None, "c": 4},
    ]
    for name, write in {"gaps.json": _json, "gaps.jsonl": _lines}.items():
        write(tmp_path / name, rows)
        assert [row.metrics for row in read_metrics(tmp_path / name)] == [
            {"a": 0.5, "b": 1.0},
            {"a": 0.4},
            {"c": 4.0},
        ]


def test_every_row_needs_the_ids_of_the_table(tmp_path: Path) -> None:
    for rows in ([{"id": 1, "a": 0.5}, {"a": 0.4}], [*LONG[:1], {"metric": "rougeL", "score": 1}]):
        for name, write in {"x.json": _json, "x.jsonl": _lines}.items():
            write(tmp_path / name, rows)
            with pytest.raises(DataError, match=r"x\.jsonl?:2: no column '(id|doc_id)'"):
                list(read_metrics(tmp_path / name))


def test_json_lines_are_numbered_without_ids(tmp_path: Path) -> None:
    rows = [{"model": "a", "rougeL": 0.5}, {"model": "a", "rougeL": 0.25}]
    found = []
    for name, write in {"x.csv": _delimited, "x.jsonl": _lines}.items():
        write(tmp_path / name, rows)
        assert holds_scores(tmp_path / name)
        found.append([(row.key, row.metrics) for row in read_metrics(tmp_path / name)])
    assert found[0] == found[1]
    assert [key[0] for key, _ in found[0]] == ["1", "2"]


def test_a_file_of_json_lines_has_rows_of_one_kind(tmp_path: Path, own: Path) -> None:
    flat = tmp_path / "flat.jsonl"
    _lines(flat, WIDE[:2])
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(flat.read_text() + own.read_text())
    with pytest.raises(DataError, match=r"mixed\.jsonl:3: .*'metrics'"):
        list(read_metrics(mixed))


def test_correlate_takes_a_table_as_it_is(tmp_path: Path, own: Path, rubrica: Any) -> None:
    path = tmp_path / "scores.csv"
    _delimited(path, WIDE)
    words = ("correlate", "--measures", "rougeL", "relevance", "--summarizer-type", "peer")
    options = ("--confidence-interval-method", "none", "-q", "--scores")
    expected = rubrica(*words, *options, own)
    answer = rubrica(*words, *options, path)
    assert answer.code == 0, answer.err
    assert answer.out == expected.out


def test_report_systems_takes_a_table(tmp_path: Path, own: Path, rubrica: Any) -> None:
    path = tmp_path / "scores.csv"
    _delimited(path, LONG)
    answer = rubrica("report", "systems", path, "-f", "text")
    assert answer.code == 0, answer.err
    assert answer.out == rubrica("report", "systems", own, "-f", "text").out


def test_columns_of_a_table_are_mapped_and_not_ignored(tmp_path: Path, rubrica: Any) -> None:
    path, odd, wide = (tmp_path / name for name in ("scores.csv", "odd.csv", "wide.csv"))
    chosen = [row for row in WIDE if row["model"] in ("a", "b")]
    _delimited(
        path, [{"id": r["doc_id"], "model": r["model"], "score": r["rougeL"]} for r in chosen]
    )
    _delimited(odd, [{"nr": r["doc_id"], "who": r["model"], "score": r["rougeL"]} for r in chosen])
    pairs = zip(chosen[:5], chosen[5:], strict=True)
    _delimited(wide, [{"nr": a["doc_id"], "A": a["rougeL"], "B": b["rougeL"]} for a, b in pairs])
    expected = rubrica("compare", path, "-q")
    assert expected.code == 0, expected.err
    fields = ("--fields", "instance_id=nr", "summarizer_id=who")
    assert rubrica("compare", odd, *fields, "-q").out == expected.out
    systems = ("--fields", "instance_id=nr", "--systems", "a=A", "b=B")
    assert rubrica("compare", wide, *systems, "-q").out == expected.out
    page = rubrica("report", "systems", wide, *systems, "-f", "text", "-q")
    assert page.out == rubrica("report", "systems", path, "-f", "text", "-q").out != ""


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--systems", "a=nothing"), "no column 'nothing' (found: id, A)"),
        (("--fields", "summary=A"), "no field of a table of scores 'summary'"),
    ],
)
def test_a_wrong_column_of_scores_is_an_error(
    words: tuple[str, str], problem: str, tmp_path: Path, rubrica: Any
) -> None:
    (tmp_path / "x.csv").write_text("id,A\n1,0.5\n2,0.25\n")
    answer = rubrica("compare", tmp_path / "x.csv", *words)
    assert answer.code != 0
    assert problem in answer.err


def test_a_parquet_file_of_summaries_is_no_file_of_scores(tmp_path: Path) -> None:
    rows = [{"id": "1", "summary": "the cat sat down", "length": 4}]
    for name, write in (("x.parquet", _parquet), ("x.feather", _feather)):
        write(tmp_path / name, rows)
        assert not holds_scores(tmp_path / name)


def test_a_file_without_a_system_is_the_system_and_rows_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "bart.csv"
    path.write_text("bleu,chrf\n1,2\nNA,4\n")
    first, second = read_metrics(path)
    assert (first.key, first.values()) == (("1", "bart"), {"bleu": 1.0, "chrf": 2.0})
    assert (second.key, second.values()) == (("2", "bart"), {"chrf": 4.0})


def test_summaries_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "bart.csv"
    path.write_text("id,summary,length\n1,the cat sat down,4\n")
    assert not holds_scores(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id,system\n1,a\n", "no column of numbers"),
        ("id,x\n1,2,3\n", "x.csv:2: 3 cells under a header of 2"),
        ("id,x,x\n1,2,3\n", "occurs twice"),
        ("id,metric,score\n1,a,2\n1,a,3\n", "duplicate score: a of x on 1"),
        (
            "id,rater,q\n1,ann,2\n1,ann,3\n",
            "x.csv:3: duplicate score: q of x on 1 by 'ann' appears twice",
        ),
        (
            "id,who,q\n1,ann,2\n1,ben,3\n",
            r"x.csv:3: two different values of 'q' .* `fields=\{\"annotator\": \"COLUMN\"\}` .not used: who",
        ),
        ("id,x\n", "no rows of scores"),
    ],
)
def test_a_faulty_table_says_what_is_wrong_where(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=problem):
        list(read_metrics(path))


RATINGS = [("1", "a", "2", 4), ("1", "b", "2", 5), ("1", "a", "3", 2), ("2", "b", "3", 1)]


@pytest.mark.parametrize(
    ("header", "mapping"),
    [("id,system,annotator,q", {}), ("id,system,who,q", {"annotator": "who"})],
)
def test_scores_of_several_annotators_count_as_their_mean(
    header: str, mapping: dict[str, str], tmp_path: Path
) -> None:
    # The names of annotators are numbers here, which are no scores.
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text("\n".join([header, *(f"{i},{s},{who},{q}" for i, who, s, q in RATINGS)]) + "\n")
    long.write_text(
        "\n".join(
            [
                header.replace(",q", ",aspect,score"),
                *(f"{i},{s},{who},q,{q}" for i, who, s, q in RATINGS),
                "2,3,b,fluency,5",
            ]
        )
        + "\n"
    )
    for path in (wide, long):
        rows = list(read_metrics(path, TableColumns(mapping) if mapping else None))
        found = {(row.instance_id, row.summarizer_id): row.metrics["q"] for row in rows}
        assert found == {("1", "2"): [4.0, 5.0], ("1", "3"): 2.0, ("2", "3"): 1.0}
        assert [row.values()["q"] for row in rows] == [4.5, 2.0, 1.0]
    assert rows[-1].metrics["fluency"] == 5.0


def test_a_table_of_annotators_is_read_by_all_commands_alike(tmp_path: Path, rubrica: Any) -> None:
    people, metric = tmp_path / "people.csv", tmp_path / "metric.csv"
    given = [(i, s, who) for i in range(4) for s in "abc" for who in ("ann", "ben")]
    lines = [f"{i},{s},{who},{(i * 7 + ord(s) + len(who)) % 5}" for i, s, who in given]
    people.write_text("\n".join(["id,system,annotator,relevance", *lines]) + "\n")
    lines = [f"{i},{s},{(i * 3 + ord(s)) % 7}" for i in range(4) for s in "abc"]
    metric.write_text("\n".join(["id,system,rouge", *lines]) + "\n")
    scores = ["--scores", metric, people]
    for words in (
        ["correlate", "--measures", "rouge", "relevance", *scores, "--rounds", "20"],
        ["meta-evaluate", "--human", "relevance", *scores, "--rounds", "20"],
        ["estimate", "--human", "relevance", "--judge", "rouge", *scores],
        ["compare", people],
        ["agreement", people],
    ):
        done = rubrica(*words)
        assert done.code == 0, done.err
        if words[0] != "agreement":
            assert "annotators in 'annotator' (their mean counts)" in done.err


@pytest.mark.parametrize("command", ["correlate", "meta-evaluate"])
def test_columns_with_unusual_names_are_named_by_fields(
    rubrica: Any, tmp_path: Path, command: str
) -> None:
    renamed = [
        {"article": row["doc_id"], "writer": row["model"], "rougeL": row["rougeL"]} for row in WIDE
    ]
    _delimited(tmp_path / "metric.csv", renamed)
    rows = [
        {
            "instance_id": str(row["doc_id"]),
            "summarizer_id": row["model"],
            "summarizer_type": "peer",
            "metrics": {"relevance": row["relevance"]},
        }
        for row in WIDE
    ]
    people = tmp_path / "people.jsonl"
    people.write_text("\n".join(map(json.dumps, rows)))
    _delimited(tmp_path / "usual.csv", WIDE)
    names = ["--measures", "rougeL", "relevance"]
    if command == "meta-evaluate":
        names = ["--human", "relevance", "--rounds", "20"]

    def numbers(*words: object) -> Any:
        done = rubrica(command, "--scores", *words, *names, "-o", tmp_path / "out.json")
        assert done.code == 0, done.err
        found = json.loads((tmp_path / "out.json").read_text())
        return found["rankings" if command == "meta-evaluate" else "system_level"]

    fields = ["--fields", "instance_id=article", "summarizer_id=writer"]
    assert numbers(tmp_path / "metric.csv", people, *fields) == numbers(tmp_path / "usual.csv")
    unknown = rubrica(
        command, "--scores", tmp_path / "metric.csv", *names, "--fields", "instance_id=item"
    )
    assert unknown.code != 0
    assert "no column 'item' (found: article, writer, rougeL)" in unknown.err


@pytest.mark.parametrize(
    "words", [("correlate", "--measures", "rougeL", "relevance", "--scores"), ("compare",)]
)
def test_one_line_says_which_columns_were_recognised(
    rubrica: Any, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "x.csv"
    _delimited(path, LONG)
    lines = [line for line in rubrica(*words, path).err.splitlines() if "doc_id" in line]
    assert lines == [
        f"{path}: instance_id=doc_id summarizer_id=model scores of 'metric' in 'score'"
    ]


def test_one_line_says_which_fields_of_flat_json_lines_were_recognised(
    rubrica: Any, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    rows = [
        {"id": at, "system": system, "rouge": at / 7, "relevance": at % 3}
        for system in "ab"
        for at in range(6)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    answer = rubrica("compare", path)
    assert answer.code == 0
    assert answer.err.splitlines() == [f"{path}: instance_id=id summarizer_id=system"]
    own = [
        {"instance_id": str(at), "summarizer_id": "a", "summarizer_type": "peer", "metrics": {"m": at}}
        for at in range(6)
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(row)}\n" for row in own))
    assert rubrica("compare", path).err == ""


def test_columns_that_look_like_ids_but_are_not_used_are_named(
    rubrica: Any, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    _delimited(path, [{**row, "doc_id": f"d{row['doc_id']}"} for row in WIDE])
    path.write_text(path.read_text().replace("doc_id,model", "article,writer"))
    said = rubrica("compare", path).err
    assert "instance_id is the row number; system 'x'; not used: article, writer, comment" in said
    assert "--fields instance_id=COLUMN summarizer_id=COLUMN" in said


@pytest.mark.parametrize("name", ["TER", "ter"])
def test_a_measure_of_which_lower_is_better_is_recognised_in_any_case(
    rubrica: Any, tmp_path: Path, name: str
) -> None:
    rows = [{**row, name: 100 - 10 * row["relevance"]} for row in WIDE]
    _delimited(tmp_path / "x.csv", rows)
    words = ("meta-evaluate", "--human", "relevance", "--rounds", "20", "-f", "json")
    answer = rubrica(*words, "--scores", tmp_path / "x.csv", "--coefficients", "pearson")
    best = json.loads(answer.out)["rankings"][0]["metrics"][0]
    assert (best["metric"], best["sign"]) == (name, -1)
    assert best["value"] == pytest.approx(-1)


def test_the_mean_of_sentence_scores_is_named_so_in_any_case(rubrica: Any, tmp_path: Path) -> None:
    _delimited(tmp_path / "x.csv", [{**row, "BLEU": row["rougeL"]} for row in WIDE])
    assert "BLEU (sentence mean)" in rubrica("compare", tmp_path / "x.csv").out


def test_compare_scores_takes_files_frames_and_dicts(tmp_path: Path, rubrica: Any) -> None:
    rows = [
        {"id": str(at), "model": system, "quality": (at * 7 + ord(system)) % 11}
        for at in range(12)
        for system in "AB"
    ]
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(["id,model,quality", *(",".join(map(str, row.values())) for row in rows)])
    )
    answer = rubrica("compare", path, "-f", "json")
    expected = [(test["difference"], test["p_value"]) for test in json.loads(answer.out)["tests"]]
    tables: list[Any] = [
        path,
        str(path),
        [path],
        rows,
        {name: [row[name] for row in rows] for name in rows[0]},
    ]
    for package in ("pandas", "polars"):
        if importlib.util.find_spec(package):
            tables.append(importlib.import_module(package).DataFrame(rows))
    for table in tables:
        comparison = compare_scores(table)
        assert [(test.difference, test.p_value) for test in comparison.tests] == expected
        assert comparison.systems == ["A", "B"]
    # As by the command.
    assert library.compare([path]).tests == compare_scores([path]).tests
