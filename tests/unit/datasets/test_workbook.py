"""Workbooks: every sheet's rows by its header, in all the ways a cell can hold text; hostile ones are refused."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError
from support.dataset_samples.build import encoded, workbook

RELATIONS = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'
BOOK = '<x:workbook><x:sheets><x:sheet name="one" z:id="r1"/></x:sheets></x:workbook>'


def rows_of(
    data: bytes, folder: Path, *, skip: bool = False
) -> tuple[list[dict[str, object]], Raw]:
    (folder / "book.xlsx").write_bytes(data)
    raw = Raw("sample", [folder], skip_malformed=skip)
    with closing(raw):
        return [one.values for one in raw.one("book.xlsx").records()], raw


def book(sheet: str, shared: str = "") -> bytes:
    parts = {
        "xl/workbook.xml": BOOK.replace("<x:workbook", '<x:workbook xmlns:x="m" xmlns:z="r"'),
        "xl/_rels/workbook.xml.rels": RELATIONS,
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{sheet}</sheetData></worksheet>",
    }
    if shared:
        parts["xl/sharedStrings.xml"] = f"<sst>{shared}</sst>"
    return encoded("x.zip", parts)


def test_each_sheet_has_a_header_of_its_own_and_empty_cells_are_left_out(tmp_path: Path) -> None:
    data = workbook(
        {
            "first": [["a", "b"], ["x & y", 1], [None, 2.5], [None, None]],
            "second": [["b", "c"], ["z", "<t>"]],
        }
    )
    found, _ = rows_of(data, tmp_path)
    assert found == [{"a": "x & y", "b": 1}, {"b": 2.5}, {"b": "z", "c": "<t>"}]


def test_records_are_told_by_file_sheet_and_row(tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(workbook({"errors": [["a"], ["x"], ["y"]]}))
    raw = Raw("sample", [tmp_path])
    *_, last = raw.one("book.xlsx").records()
    with pytest.raises(DataError, match=r"book\.xlsx!errors:3: no field 'b'"):
        last.string("b")
    raw.close()


def test_shared_and_formatted_texts_are_put_together(tmp_path: Path) -> None:
    shared = (
        "<si><t>name</t></si><si><r><t>bold </t></r><r><t>plain</t></r>"
        "<rPh><t>said</t></rPh></si><si><t>line_x000A_end</t></si>"
    )
    sheet = (
        '<row><c t="s"><v>0</v></c><c t="str"><v>made</v></c></row>'
        '<row><c t="s"><v>1</v></c><c t="b"><v>1</v></c></row>'
        '<row r="7"><c r="A7" t="s"><v>2</v></c><c r="B7"><f>1+1</f><v>2</v></c></row>'
    )
    found, _ = rows_of(book(sheet, shared), tmp_path)
    assert found == [{"name": "bold plain", "made": 1}, {"name": "line\nend", "made": 2}]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('<row r="2"><c r="A2" t="s"><v>9</v></c></row>', "cell A2 has no value of its type 's'"),
        ('<row r="2"><c r="A2" t="s"><v>-1</v></c></row>', "cell A2 has no value of its type 's'"),
        ('<row r="2"><c r="A2"><v>many</v></c></row>', "cell A2 has no value of its type 'n'"),
        ('<row r="2"><c r="B2"><v>1</v></c></row>', "a value in column 2, which has no name"),
        ('<row r="2"><c r="ZZZ2"><v>1</v></c></row>', "a cell in column 18,278"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_and_can_be_skipped(
    row: str, told: str, tmp_path: Path
) -> None:
    good = '<row r="3"><c r="A3"><v>5</v></c></row>'
    data = book(f'<row r="1"><c r="A1" t="str"><v>a</v></c></row>{row}{good}')
    with pytest.raises(DataError, match=rf"book\.xlsx!one:2: {told}"):
        rows_of(data, tmp_path)
    found, raw = rows_of(data, tmp_path, skip=True)
    assert found == [{"a": 5}]
    assert [told in message for message in raw.problems.messages] == [True]


def test_entities_missing_sheets_and_what_is_no_workbook_are_refused(tmp_path: Path) -> None:
    whole = book("<row><c><v>1</v></c></row>")
    parts = {
        "xl/workbook.xml": '<!DOCTYPE x [<!ENTITY a "b">]><workbook>&a;</workbook>',
        "xl/_rels/workbook.xml.rels": RELATIONS,
    }
    with pytest.raises(DataError, match="declares entities of its own"):
        rows_of(encoded("x.zip", parts), tmp_path)
    parts["xl/workbook.xml"] = '<workbook><sheet name="gone" id="r1"/></workbook>'
    with pytest.raises(DataError, match="sheet 'gone' is not in the file"):
        rows_of(encoded("x.zip", parts), tmp_path)
    with pytest.raises(DataError, match="not a readable archive"):
        rows_of(whole[: len(whole) // 3], tmp_path)
