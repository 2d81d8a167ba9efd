"""Content units and rating tasks: the columns of LitePyramids, REALSumm and Mechanical Turk."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from rubrica.data.jsonl import write_jsonl
from rubrica.errors import DataError, DataWarning, ParameterError
from rubrica.study.ratings import (
    Answer,
    Rating,
    by_summary,
    read_ratings,
    result_columns,
    result_row,
)
from rubrica.study.scus import (
    SCU_COLUMNS,
    Scu,
    ScuFilter,
    collect_scus,
    filter_scus,
    mark_for_use,
    read_scus,
    write_scus,
    writing_tasks,
)
from rubrica.study.sheets import TURK_COLUMNS, pseudonym, read_id_list, read_sheet, write_sheet
from rubrica.study.tasks import (
    Showing,
    Summary,
    make_tasks,
    read_key,
    read_tasks,
    task_columns,
    task_rows,
)
from rubrica.text.detokenize import detokenize

# The columns as the published files have them.
REALSUMM_SCUS = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse"
REALSUMM_RATINGS = (
    "Input.eventId,Input.summaryId,Input.qIdList,Input.summary_text,"
    + ",".join(f"Input.statement_{n}" for n in range(1, 17))
    + ",Answer.S10Answer,Answer.S11Answer,Answer.S12Answer,Answer.S13Answer,Answer.S14Answer,"
    "Answer.S15Answer,Answer.S16Answer,Answer.S1Answer,Answer.S2Answer,Answer.S3Answer,"
    "Answer.S4Answer,Answer.S5Answer,Answer.S6Answer,Answer.S7Answer,Answer.S8Answer,Answer.S9Answer"
)


def test_the_columns_are_those_of_the_published_files() -> None:
    assert ",".join(SCU_COLUMNS) == REALSUMM_SCUS
    assert len(TURK_COLUMNS) == 27
    made = result_columns(16)
    assert ",".join(made[27:-2]) == REALSUMM_RATINGS
    assert made[-2:] == ["Approve", "Reject"]
    assert task_columns(2) == [
        "eventId",
        "summaryId",
        "qIdList",
        "summary_text",
        "statement_1",
        "statement_2",
    ]


def test_tasks_of_writing_are_drawn_and_shuffled_by_the_seed() -> None:
    refs = {f"d{n}": [(f"d{n}.{r}", f'one "quoted"\ntext {r}') for r in "ABCD"] for n in range(5)}
    rows = writing_tasks(refs, per_event=2, seed=1)
    assert len(rows) == 10
    assert (
        rows == writing_tasks(refs, per_event=2, seed=1) != writing_tasks(refs, per_event=2, seed=2)
    )
    assert {row["eventId"] for row in rows} == set(refs)
    assert all(
        "\n" not in row["summary_text"] and '"quoted"' in row["summary_text"] for row in rows
    )


def test_written_units_are_collected_whatever_their_number(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(
        "WorkerId,Input.eventId,Input.summId,Input.summary_text,Answer.s10,Answer.s1,Answer.s2\n"
        'A1,d1,d1.A,"text, with ""quotes""",tenth fact here .,first fact here .,\n'
    )
    scus = collect_scus([str(path)], secret=b"x")
    assert [(scu.id, scu.text) for scu in scus] == [
        ("0", "first fact here ."),
        ("1", "tenth fact here ."),
    ]
    assert scus[0].author == pseudonym("A1", b"x") != pseudonym("A1", b"y")
    assert collect_scus([str(path)])[0].author == "A1"


def scu(number: int, text: str, source: str = "r") -> Scu:
    return Scu("d", str(number), text, source=source)


def test_units_are_filtered_as_in_litepyramids() -> None:
    units = [
        scu(0, "The council voted on Tuesday."),
        scu(1, "Short one."),
        scu(2, "It rained. Then it stopped raining."),
        scu(3, "On Tuesday the whole council voted for it."),  # holds all words of 0, and is longer
        scu(4, " ".join(["word"] * 21)),
        scu(5, "The council voted on Tuesday.", source="other reference"),
        scu(6, "Taxes will rise in March."),
        scu(7, "In March taxes will rise."),  # equally long: the earlier goes
    ]
    kept, dropped = filter_scus(units)
    assert [one.id for one in kept] == ["0", "5", "7"]
    reasons = {one.scu.id: one.reason for one in dropped}
    assert reasons["1"] == "3 tokens, not 4 to 20"
    assert reasons["2"] == "2 sentences"
    assert reasons["3"].startswith("near duplicate of 0")
    assert reasons["6"].startswith("near duplicate of 7")
    assert len(filter_scus(units, ScuFilter(False, 1, 99, 1.0))[0]) == 8


def test_a_second_set_for_use_has_other_units() -> None:
    units = [scu(n, f"fact number {n} here", f"r{n % 2}") for n in range(16)]
    first, second = (mark_for_use(units, 4, seed=3, others=others) for others in (False, True))
    used = [{one.id for one in marked if one.for_use} for marked in (first, second)]
    assert [len(one) for one in used] == [8, 8]
    assert not used[0] & used[1]
    assert all(one.for_use for one in mark_for_use(units))


def test_unit_files_are_padded_and_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "scus.csv")
    units = [
        Scu("d1", "7", 'He said, "no".', source="d1"),
        Scu("d2", "9", "Two.", source="d2", for_use=False),
    ]
    write_scus(path, units)
    assert read_scus(path) == (units, 0)
    assert write_scus(path, units, pad=3) == 6
    read, blank = read_scus(path)
    assert ([one.id for one in read], blank) == (["0", "3"], 4)
    with open(path, newline="") as stream:
        assert [row["answer"] for row in csv.DictReader(stream)] == ["Y", "N", "N", "Y", "N", "N"]
    with pytest.raises(DataError, match="more than the 0"):
        write_scus(path, units, pad=0)
    with pytest.raises(ParameterError, match="between 0 and 10,000: 2147483648"):
        write_scus(path, units, pad=2**31)


UNITS = [
    *(Scu("d1", str(n), f"Cats chase mice number {n}.") for n in range(3)),
    *(Scu("d2", str(n), f"Banks raise interest rates {n}.") for n in range(3, 8)),
]
SUMMARIES = [
    Summary("d1", "abs/a", ["cats did n't chase .", "mice ran ."]),
    Summary("d2", "abs/a", ["rates rose ."]),
    Summary("d3", "abs/a", ["no units ."]),
]


def test_tasks_show_other_text_than_was_scored_and_say_so(tmp_path: Path) -> None:
    showing = Showing([("detokenize", detokenize)])
    tasks = make_tasks(SUMMARIES, UNITS, showing=showing)
    assert {task.key for task in tasks} == {("d1", "abs/a"), ("d2", "abs/a")}
    task = next(task for task in tasks if task.event == "d1")
    assert task.shown == "cats didn't chase. mice ran."
    assert task.scored == "cats did n't chase . mice ran ."
    assert task.steps == ("detokenize",)
    write_jsonl(tmp_path / "key.jsonl", tasks)
    assert read_key(str(tmp_path / "key.jsonl")) == tasks


def test_checks_of_attention_have_known_answers() -> None:
    for task in make_tasks(SUMMARIES, UNITS, attention=2, seed=4):
        checks = {one.id: one for one in task.statements if one.known}
        absent, present = checks["attention-n-0"], checks["attention-p-1"]
        assert absent.text in [one.text for one in UNITS if one.event != task.event]
        assert present.text in task.shown
        assert (absent.known, present.known) == ("n", "p")
        assert len(task.statements) == (3 if task.event == "d1" else 5) + 2


def test_task_files_have_as_many_statements_as_needed_or_are_padded(tmp_path: Path) -> None:
    path = str(tmp_path / "tasks.csv")
    for checks in (-1, 2**31):
        with pytest.raises(ParameterError, match=f"nor above 10,000: {checks}"):
            make_tasks(SUMMARIES, UNITS, attention=checks)
    tasks = make_tasks(SUMMARIES, UNITS, attention=1)
    write_sheet(path, task_columns(6), task_rows(tasks))
    read = read_tasks(path)
    assert [[one.text for one in task.statements] for task in read] == [
        [one.text for one in task.statements] for task in tasks
    ]
    write_sheet(path, task_columns(16), task_rows(tasks, pad=16))
    with open(path, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0]["statement_16"] == "BLANK"
    assert len(read_id_list(rows[0]["qIdList"], "", 1)) == 16
    assert [len(task.statements) for task in read_tasks(path)] == [len(t.statements) for t in tasks]
    with pytest.raises(DataError, match="more than the 2"):
        list(task_rows(tasks, pad=2))
    with pytest.raises(ParameterError, match="between 0 and 10,000: -1"):
        list(task_rows(tasks, pad=-1))


def test_practice_tasks_need_known_answers(tmp_path: Path) -> None:
    path = tmp_path / "practice.csv"
    path.write_text(
        "eventId,summaryId,qIdList,summary_text,statement_1,gold_1\nx,y,\"['1']\",text,a fact,p\n"
    )
    (task,) = read_tasks(str(path), qualification=True)
    assert task.statements[0].known == "p"
    path.write_text(
        "eventId,summaryId,qIdList,summary_text,statement_1\nx,y,\"['1']\",text,a fact\n"
    )
    with pytest.raises(DataError, match="needs known answers"):
        read_tasks(str(path), qualification=True)


def test_result_files_are_read_with_and_without_workers(tmp_path: Path) -> None:
    path = str(tmp_path / "r.csv")
    answers = (
        Answer("4", "a fact", True), Answer("5", "another", None),
        Answer("attention-n-0", "foreign", False, False), Answer("b", "BLANK", True),
    )  # fmt: skip
    rating = Rating("d", "s", "w", answers, 'shown, "text"', path, 2, 12.5, "then", "later")
    write_sheet(path, result_columns(4), [result_row(rating)])
    assert read_ratings([path]) == [rating]
    assert [one.id for one in rating.units()] == ["4", "5"]
    bare = [c for c in result_columns(4) if c.startswith(("Input", "Answer"))]
    # REALSumm's files end in a column without a name.
    write_sheet(path, [*bare, ""], [result_row(rating)])
    (read,) = read_ratings([path])
    assert (read.worker, read.seconds, read.answers) == ("", None, answers)


def test_different_statements_about_one_summary_are_refused() -> None:
    def rating(text: str) -> Rating:
        return Rating("d", "s", "w", (Answer("1", text, True),), "t", "f", 2)

    with pytest.raises(DataError, match="other statements"):
        by_summary([rating("a"), rating("b")])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "the file is empty"),
        ("a,b\n1,2\n", "no column 'Input.eventId'"),
        ("Input.eventId,Input.eventId\n", "duplicate column"),
        ('a,"b\n', "not CSV"),
    ],
)
def test_sheets_that_are_none_are_told(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(DataError, match=told):
        read_ratings([str(tmp_path / "x.csv")])


def test_rows_of_another_width_are_told_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('a,b\n1,"2\n2"\n3\n')
    _, rows = read_sheet(str(tmp_path / "x.csv"), ["a"])
    with pytest.raises(DataError, match=r"x\.csv:4: 1 cells in a table of 2 columns"):
        list(rows)
    (tmp_path / "x.csv").write_bytes(b"a,b\n1,\xff\n")
    with pytest.raises(DataError, match=r"x\.csv:2: not UTF-8"):
        read_sheet(str(tmp_path / "x.csv"), ["a"])


@pytest.mark.parametrize("text", ["__import__('os')", "[1, [2]]", "x", "(" * 500, "{1}"])
def test_id_lists_are_lists_of_ids_and_no_code(text: str) -> None:
    with pytest.raises(DataError, match="not a list of ids"):
        read_id_list(text, "f", 1)


def test_a_cell_may_hold_a_whole_document(tmp_path: Path) -> None:
    before = csv.field_size_limit(1 << 17)
    try:
        (tmp_path / "x.csv").write_text('a,b\n"' + "word " * 40_000 + '",1\n')
        _, rows = read_sheet(str(tmp_path / "x.csv"), ["a"])
        assert [len(row["a"]) for _, row in rows] == [200_000]
    finally:
        csv.field_size_limit(before)


def test_unit_ids_need_be_unique_within_an_event_only(tmp_path: Path) -> None:
    path = tmp_path / "scus.csv"
    header = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n"
    rows = "d1,1,A cat sat there.,Y,a,r,1\nd2,1,A dog ran home.,Y,a,r,1\n"
    path.write_text(header + rows)
    scus, _ = read_scus(str(path))
    assert [(scu.event, scu.id) for scu in scus] == [("d1", "1"), ("d2", "1")]
    kept, dropped = filter_scus(scus, ScuFilter())
    assert (len(kept), dropped) == (2, [])
    tasks = make_tasks([Summary(e, "s", ["A text."]) for e in ("d1", "d2")], mark_for_use(kept))
    assert {task.statements[0].text for task in tasks} == {"A cat sat there.", "A dog ran home."}
    path.write_text(header + rows + "d2,1,Another.,Y,a,r,1\n")
    with pytest.raises(DataError, match=r"scus\.csv:4: duplicate questionId '1' in event 'd2'"):
        read_scus(str(path))


def test_quotes_that_litepyramids_did_not_double_are_text(tmp_path: Path) -> None:
    path = tmp_path / "scus.csv"
    header = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n"
    rows = 'd1,1,""The Ferry" sank, twice.",Y,a,r,1\nd1,2,"A ""plain"" one.",Y,a,r,1\n'
    path.write_text(header + rows + 'd1,3,"He said "no".",Y,a,r,0\r\n', newline="")
    with pytest.warns(DataWarning, match=r"scus\.csv:2: quotes inside a cell .* 2 rows"):
        scus, _ = read_scus(str(path))
    assert [scu.text for scu in scus] == [
        '"The Ferry" sank, twice.',
        'A "plain" one.',
        'He said "no".',
    ]


@pytest.mark.parametrize(
    "row", ['d1,1,"a "b",c",Y,a,r,1', 'd1,1,"a "b,Y,a,r,1', 'd1,1,"a" b","Y",a,r']
)
def test_quotes_that_leave_another_number_of_cells_are_refused(row: str, tmp_path: Path) -> None:
    path = tmp_path / "scus.csv"
    header = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n"
    path.write_text(header + row + "\nd1,2,Good.,Y,a,r,1\n")
    with pytest.raises(DataError, match=r"scus\.csv:2: "):
        read_scus(str(path))


def test_texts_that_look_like_formulas_are_not_run_and_come_back(tmp_path: Path) -> None:
    path = str(tmp_path / "x.csv")
    texts = ["=HYPERLINK(1)", "+1+cmd", "-a", "@x", "'=y", "\tz", "''@q"]
    harmless = ["-1.5", "+3", "plain", "'quoted'", "", "-.5", "a=b"]
    write_sheet(path, ["t"], [{"t": text} for text in [*texts, *harmless] if text])
    with open(path, newline="") as stream:
        cells = [row["t"] for row in csv.DictReader(stream)]
    assert cells[: len(texts)] == [f"'{text}" for text in texts]
    assert cells[len(texts) :] == [text for text in harmless if text]
    _, rows = read_sheet(path, ["t"])
    assert [row["t"] for _, row in rows] == [text for text in [*texts, *harmless] if text]
