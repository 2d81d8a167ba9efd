"""`rubrica report`: pages are written whole, their paths are printed, mistakes are told."""

from __future__ import annotations

import gzip
import json
import os
import re
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rubrica.reports.run_folder import find_run_files

pytestmark = pytest.mark.slow


def data_of(page: Path) -> Any:
    found = re.search(r'id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture
def scored(rubrica: Any, news: Path, tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    answer = rubrica(
        "rouge", "evaluate", "--input-files", news / "summaries.jsonl", "--micro-output-jsonl", path
    )
    assert answer.code == 0
    return path


def test_systems_from_compressed_rows(rubrica: Any, scored: Path, tmp_path: Path) -> None:
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(scored.read_bytes()))
    page = tmp_path / "made" / "page.html"
    answer = rubrica("report", "systems", packed, "-o", page, "--title", "Ours", "--seed", 3)
    assert (answer.code, answer.out.strip(), answer.err) == (0, str(page), "")
    data = data_of(page)
    assert data["title"] == "Ours"
    assert len(data["systems"]) == 6
    assert data["resampling"]["seed"] == 3


def test_the_default_output(
    rubrica: Any, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rubrica("report", "systems", scored).out.strip() == "report.html"
    assert Path("report.html").exists()


def test_rouge_with_a_reader_and_its_options(rubrica: Any, news: Path, tmp_path: Path) -> None:
    page, plain = tmp_path / "page.html", news / "plain"
    words = ["--references", plain / "references.A.txt", "--profiles", "rouge-1.5.5", "rouge-score"]
    answer = rubrica(
        "report", "rouge", plain / "lead3.txt", *words, "--max-instances", 2, "-o", page
    )
    assert answer.code == 0, answer.err
    assert "the first 2 of 12 inputs" in answer.err
    assert [row["system"] for row in data_of(page)["rows"]] == ["lead3", "lead3"]


def test_pyramids_with_and_without_annotations(rubrica: Any, news: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert rubrica("report", "pyramid", news / "pyramids.jsonl", "-o", page).code == 0
    assert not any(view["peers"] for view in data_of(page)["pyramids"])
    files = news / "pyramids.jsonl", news / "pyramid-annotations.jsonl"
    assert rubrica("report", "pyramid", *files, "-o", page).code == 0
    assert all(len(view["peers"]) == 6 for view in data_of(page)["pyramids"])


def test_pyramids_as_tables(rubrica: Any, news: Path) -> None:
    files = news / "pyramids.jsonl", news / "pyramid-annotations.jsonl"
    text = rubrica("report", "pyramid", *files, "--format", "text").out
    scores, units, signature = text.strip().split("\n\n")
    row = next(line for line in scores.splitlines() if line.startswith("d01    lead3 "))
    assert row.split() == ["d01", "lead3", "peer", "6", "15", "19", "0.7895"]
    assert re.search(r"d01 +The vote was 6-3 +A C +2 +\d of 6", units)
    assert signature.startswith("pyramid-score|")
    markdown = rubrica("report", "pyramid", *files, "--format", "markdown").out
    assert "| d01 | lead3 | peer | 6 | 15 | 19 | 0.7895 |" in markdown
    latex = rubrica("report", "pyramid", files[0], "--format", "latex").out
    assert r"d01 & A & reference & 7 & 10 & 12 & 0.8333 \\" in latex


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["sistems"], 2, "did you mean systems"),
        (["systems"], 2, "FILE"),
        (["systems", "nowhere.jsonl"], 1, "nowhere.jsonl: cannot be opened"),
        (["systems", "ROWS", "--confidence", "100"], 2, "--confidence"),
        (["systems", "ROWS", "--interval-rounds", "-1"], 2, "--interval-rounds"),
        (["systems", "ROWS", "--documents", "ROWS"], 2, "needs --summaries"),
        (["systems", "ROWS", "--measures", "rouge-1.f2"], 1, "rouge-1.f1"),
        (["systems", "NEWS", "--summaries", "NEWS"], 2, "--summaries is for scores that exist"),
        (["systems", "ROWS", "--out", "x"], 2, "--output"),
        (["rouge", "NEWS", "--profiles", "rogue"], 1, "no ROUGE profile 'rogue'"),
        (["rouge", "NEWS", "--dataset-reader", "summary-only"], 1, "needs 'references'"),
        (["rouge", "NEWS", "--max-instances", "-2"], 2, "--max-instances"),
        (["pyramid", "NEWS"], 1, "summarizer_ids"),
    ],
)
def test_mistakes_are_told_and_no_page_is_left(
    rubrica: Any, scored: Path, news: Path, tmp_path: Path, words: list[str], code: int, told: str
) -> None:
    page = tmp_path / "page.html"
    stand_ins = {"ROWS": str(scored), "NEWS": str(news / "summaries.jsonl")}
    answer = rubrica("report", *(stand_ins.get(word, word) for word in words), "-o", page)
    assert answer.code == code
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert not page.exists()


def test_a_page_cannot_be_a_folder(rubrica: Any, scored: Path, tmp_path: Path) -> None:
    answer = rubrica("report", "systems", scored, "-o", tmp_path)
    assert (answer.code, "is a folder" in answer.err) == (2, True)


def test_help_names_the_kinds(rubrica: Any) -> None:
    told = rubrica("report", "--help").out
    assert all(kind in told for kind in ("systems", "rouge", "pyramid"))


META = ("--summarizer-type", "peer", "--human", "relevance", "--rounds", 20)


@pytest.fixture
def result(rubrica: Any, scored: Path, news: Path, tmp_path: Path) -> Path:
    path = tmp_path / "meta.json"
    files = "--scores", scored, news / "human.jsonl"
    outputs = "--output", path, "--output-config", tmp_path / "meta.toml", "--silent"
    assert rubrica("meta-evaluate", *files, *META, *outputs).code == 0
    return path


def test_meta_from_its_result_and_from_its_options_is_the_same_page(
    rubrica: Any, result: Path, tmp_path: Path
) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for source, page in zip((result, result.with_suffix(".toml")), pages, strict=True):
        answer = rubrica("report", "meta", source, "-o", page, "--silent")
        assert answer.code == 0, answer.err
    assert data_of(pages[0]) == data_of(pages[1])


def test_a_meta_page_names_its_scores_and_their_day(
    rubrica: Any, result: Path, scored: Path, news: Path
) -> None:
    page = result.with_name("page.html")
    scores = scored.with_name("mine.jsonl")
    scored.rename(scores)
    os.utime(scores, (4e9, 4e9))
    words = "report", "meta", result, "--scores", scores, news / "human.jsonl", "-o", page
    assert rubrica(*words).code == 0
    data = data_of(page)
    assert data["title"] == f"Meta-evaluation: {scores.parent.name}/mine and 1 more file"
    assert data["date"] == "2096-10-02"
    assert rubrica(*words, "--title", "Ours").code == 0
    assert data_of(page)["title"] == "Ours"


def test_meta_with_scores_that_moved(rubrica: Any, result: Path, scored: Path, news: Path) -> None:
    moved = scored.with_name("moved.jsonl")
    scored.rename(moved)
    answer = rubrica("report", "meta", result)
    assert answer.code == 2
    assert "--scores" in answer.err
    page = result.with_name("page.html")
    files = "--scores", moved, news / "human.jsonl"
    assert rubrica("report", "meta", result, *files, "-o", page).code == 0
    moved.write_text(moved.read_text().replace('"f1":', '"f1":1'))
    answer = rubrica("report", "meta", result, *files, "-o", page)
    assert answer.code == 1
    assert "differ from those of the result" in answer.err


FORMATS = {"text": "-----", "markdown": "| ---", "latex": r"\toprule"}


def test_tables_of_every_kind_in_every_format(
    rubrica: Any, result: Path, scored: Path, news: Path, tmp_path: Path
) -> None:
    kinds = {"meta": result, "systems": scored, "embeddings": news / "summaries.jsonl"}
    printed = {}
    for (kind, source), (format, sign) in product(kinds.items(), FORMATS.items()):
        answer = rubrica("report", kind, source, "--format", format)
        assert answer.code == 0, answer.err
        assert sign in answer.out
        printed[kind, format] = answer.out
    file = tmp_path / "table"
    for (kind, source), format in zip(kinds.items(), FORMATS, strict=True):
        answer = rubrica("report", kind, source, "--format", format, "-o", file)
        assert answer.out.strip() == str(file)
        assert file.read_text() == printed[kind, format]


def test_what_is_no_result_is_told(rubrica: Any, tmp_path: Path) -> None:
    path = tmp_path / "meta.json"
    path.write_text('{"rankings": [{"human": 3}]}')
    answer = rubrica("report", "meta", path)
    assert answer.code == 1
    assert "not a result of rubrica meta-evaluate" in answer.err


@pytest.mark.parametrize("key", ["scores", "measures", "summarizer_type"])
def test_a_result_whose_options_are_of_other_types_is_refused(
    rubrica: Any, result: Path, scored: Path, key: str
) -> None:
    content = json.loads(result.read_text())
    content["config"][key] = [{"type": "text"}]
    result.write_text(json.dumps(content))
    answer = rubrica("report", "meta", result)
    assert (answer.code, "not a result of rubrica meta-evaluate" in answer.err) == (1, True)
    # Pages of other files are written.
    answer = rubrica("report", "all", result.parent, "-o", result.parent / "pages")
    assert (answer.code, "not a result of rubrica meta-evaluate" in answer.err) == (0, True)


def test_latex_tables_are_no_wider_than_the_text() -> None:
    from rubrica.formatting.latex import tabular

    lines = tabular("lr", r"a & b \\", [r"c & 1 \\"])
    assert lines[0].startswith(r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{")
    assert lines[-1] == r"\end{tabular}}"
    assert "".join(lines).count("{") == "".join(lines).count("}")


@pytest.mark.parametrize(("columns", "name"), [(3, "table"), (6, "table*")])
def test_latex_tables_too_wide_for_a_column_float_over_both(columns: int, name: str) -> None:
    """In a paper of two columns a table of systems by measures would be shrunk to letters of 5 points."""
    from rubrica.formatting.latex import table

    row = " & ".join(["a long name of a system", *["41.83"] * (columns - 1)]) + r" \\"
    lines = table("C", "l" + "r" * (columns - 1), r"\multicolumn{2}{l}{system} \\", [row])
    assert lines[0] == rf"\begin{{{name}}}"
    assert lines[-1] == rf"\end{{{name}}}"


def test_latex_tables_too_wide_for_a_page_are_split() -> None:
    from rubrica.formatting.latex import table

    def row(*cells: str) -> str:
        return " & ".join(cells) + r" \\"

    head = row("", "system", *(f"measure-{at}" for at in range(20)))
    rows = [row(letter, f"system-{letter}", *[r"$30.52 \pm 1.77$"] * 20) for letter in "ab"]
    lines = table("C", "ll" + "r" * 20, head, rows)
    parts = [line for line in lines if line.startswith("\\begin{tabular}")]
    assert len(parts) == 2
    assert [line for line in lines if "caption" in line] == [
        r"\caption{C}\smallskip", r"\caption{Continued.}\smallskip"
    ]  # fmt: skip
    names = [line for line in lines if line.startswith("a & system-a & ")]
    assert [line.count("pm") for line in names] == [line.count("r") - 1 for line in parts]
    assert sum(line.count("pm") for line in names) == 20
    heads = [line for line in lines if "measure" in line]
    assert [line.count("measure") for line in heads] == [line.count("pm") for line in names]


def test_matrices_of_long_texts_float_over_both_columns(rubrica: Any, news: Path) -> None:
    words = ["--max-summaries", "1", "--format", "latex", "-q"]
    latex = rubrica("report", "embeddings", news / "summaries.jsonl", *words).out
    assert latex.count(r"\begin{table*}") == latex.count(r"\end{table*}") > 0
    assert r"\begin{table}" not in latex


def test_latex_tables_longer_than_a_page_repeat_their_head() -> None:
    from rubrica.formatting.latex import table

    rows = [rf"d{number} & {number} \\" for number in range(41)]
    assert table("C", "lr", r"input & score \\", rows[:40])[0] == r"\begin{table}"
    long = table("C", "lr", r"input & score \\", rows)
    assert r"\begin{table}" not in long
    assert "longtable" in long[0], "what it needs is told"
    first, rest = long.index(r"\endfirsthead"), long.index(r"\endhead")
    assert r"input & score \\" in long[:first]
    assert r"input & score \\" in long[first:rest]
    assert [line for line in long if line in rows] == rows
    assert long[-2:] == [r"\end{longtable}", r"\endgroup"]


@pytest.mark.parametrize(
    ("cells", "size"), [(5, "normalsize"), (80, "footnotesize"), (200, "tiny"), (500, "tiny")]
)
def test_long_latex_tables_take_smaller_letters_where_they_are_wide(cells: int, size: str) -> None:
    from rubrica.formatting.latex import table

    rows = [rf"{'a' * cells} & \textbf{{1}} \\"] * 41
    assert table("C", "lr", r"a & b \\", rows)[1].startswith(rf"\begingroup\{size}\setlength")


def test_long_pyramids_do_not_end_at_the_end_of_a_page(
    rubrica: Any, news: Path, tmp_path: Path
) -> None:
    pyramids = [json.loads(line) for line in (news / "pyramids.jsonl").read_text().splitlines()]
    many = tmp_path / "many.jsonl"
    many.write_text(
        "".join(
            json.dumps({**one, "instance_id": f"{one['instance_id']}-{at}"}) + "\n"
            for at in range(5)
            for one in pyramids
        )
    )
    latex = rubrica("report", "pyramid", many, "--format", "latex").out
    assert latex.count(r"\begin{longtable}") == latex.count(r"\end{longtable}") == 1
    assert latex.count("& reference &") == 5 * len(pyramids) * 3
    assert latex.count(r"\addlinespace") == 5 * len(pyramids) - 1


def test_texts_are_scored_and_reported_as_compare_does(rubrica: Any, tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text(
        "id,reference,t5_summary,bart_summary\n"
        "a,the cat sat,the cat sat down,a cat\n"
        "b,it rained all day,it rained,rain fell all day\n"
    )
    page = tmp_path / "page.html"
    answer = rubrica("report", "systems", table, "-m", "rouge", "-o", page)
    assert answer.code == 0
    assert "systems t5=t5_summary bart=bart_summary" in answer.err
    assert "a cat" in page.read_text()
    shown = rubrica("report", "systems", table, "-f", "markdown").out
    assert shown == rubrica("compare", table, "-f", "markdown").out


def test_all_pages_of_a_run_link_to_each_other(
    rubrica: Any, scored: Path, news: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for file in (
        scored,
        *(news / name for name in ("pyramids.jsonl", "pyramid-annotations.jsonl")),
    ):
        (run / file.name).write_bytes(file.read_bytes())
    (run / "notes.txt").write_text("not a table")
    (run / "result.json").write_text('{"rankings": 5}')
    answer = rubrica("report", "all", run)
    assert answer.code == 0, answer.err
    pages = run / "report"
    assert answer.out.strip() == str(pages / "index.html")
    names = ["index.html", "systems.html", "pyramid.html"]
    assert sorted(path.name for path in pages.iterdir()) == sorted(names)
    for name in names:
        links = re.findall(r'<a href="([^"]+)"( aria-current="page")?>', (pages / name).read_text())
        assert [link for link, _ in links] == names
        assert [link for link, current in links if current] == [name]
    index = data_of(pages / "index.html")
    assert index["pages"][0]["command"] == "rubrica report systems rows.jsonl -o systems.html"
    assert index["notes"][0].startswith(
        "ROUGE matches and token similarities: no page (no summaries"
    )
    assert (
        index["notes"][1] == "notes.txt: no scores, summaries, documents, pyramids or results in it"
    )
    assert index["notes"][2].startswith("Meta-evaluation: no page (")
    assert "Meta-evaluation: no page" in answer.err


def test_every_kind_of_file_gets_its_page_and_pages_are_not_listed(
    rubrica: Any, scored: Path, news: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "rows.jsonl").write_bytes(scored.read_bytes())
    (run / "systems.json").write_text('{"metrics": {"rouge-1": 31.9}}')
    (run / "systems.html").write_text("<!doctype html>")
    words = ["--summarizer-type", "peer", "--human", "relevance", "--rounds", "20"]
    files = ["--scores", run / "rows.jsonl", news / "human.jsonl"]
    assert rubrica("meta-evaluate", *files, *words, "--output", run / "meta.json").code == 0
    answer = rubrica("report", "all", run, news, "-o", tmp_path / "pages")
    assert answer.code == 0, answer.err
    index = data_of(tmp_path / "pages" / "index.html")
    names = ["systems", "rouge", "embeddings", "meta", "pyramid"]
    assert [page["href"] for page in index["pages"]] == [f"{name}.html" for name in names]
    assert index["notes"] == []


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("systems.json", {"metrics": {"m": 1}}, "only mean scores; a page needs the scores of each summary"),
        ("documents.jsonl", {"instance_id": "a", "document": "A text."}, "documents of summaries that are not here"),
        ("annotated.jsonl", {"instance_id": "a", "scus": []}, "but there are no pyramids here"),
    ],
)  # fmt: skip
def test_a_file_that_needs_another_is_listed_with_what_it_needs(
    name: str, content: Any, note: str, tmp_path: Path
) -> None:
    from rubrica.cli.reports.all_pages import unused_files

    (tmp_path / name).write_text(json.dumps(content) + "\n")
    (line,) = unused_files(find_run_files(str(tmp_path)))
    assert line.startswith(f"{name}: ")
    assert note in line


def test_a_folder_without_anything_to_show_is_an_error(rubrica: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a table")
    answer = rubrica("report", "all", tmp_path)
    assert answer.code == 2
    assert "no scores, summaries, pyramids or results" in answer.err
    assert rubrica("report", "all", tmp_path / "missing").code == 2


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("rows.jsonl", {"instance_id": "a", "summarizer_id": "s", "summarizer_type": "peer", "metrics": {"m": 1}}, "scores"),
        ("texts.jsonl", {"instance_id": "a", "summarizer_id": "s", "summary": "A text.", "references": ["A."]}, "summaries"),
        ("documents.jsonl", {"instance_id": "a", "document": "A text."}, "documents"),
        ("pyramids.jsonl", {"instance_id": "a", "scus": [], "summaries": ["A."]}, "pyramids"),
        ("annotated.jsonl", {"instance_id": "a", "scus": []}, "annotations"),
        ("result.json", {"rankings": []}, "results"),
        ("means.json", {"metrics": {"m": 1}}, "means"),
        ("page.html", "text", "pages"),
        ("notes.md", "text", "others"),
    ],
)  # fmt: skip
def test_files_of_a_run_are_told_apart_by_their_first_row(
    name: str, content: Any, kind: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(json.dumps(content) + "\n")
    files = find_run_files(str(tmp_path))
    assert getattr(files, kind) == [str(tmp_path / name)]


def test_logs_of_inspect_in_a_run_are_scores(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "scores": {"includes": {"value": "C"}}}
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as log:
        log.writestr("header.json", json.dumps({"version": 2, "eval": {"model": "m", "task": "t"}}))
        log.writestr("samples/1_epoch_1.json", json.dumps(sample))
    assert find_run_files(str(tmp_path)).scores == [str(tmp_path / "a.eval")]
