"""The layout for Mechanical Turk asks for what the task file holds, and answers as result files do."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from rubrica.study.exchange.turk_layout import turk_layout
from rubrica.study.ratings import result_columns
from rubrica.study.scus import SCU_COLUMNS
from rubrica.study.tasks import task_columns


class Radios(HTMLParser):
    """The radio buttons of a page, by name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, list[str]] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "input":
            assert given["type"] == "radio"
            self.values.setdefault(given["name"] or "", []).append(given["value"] or "")


def test_variables_are_columns_of_tasks_and_names_are_answers_of_results() -> None:
    page = turk_layout(12)
    variables = set(re.findall(r"\$\{(\w+)\}", page))
    assert variables <= set(task_columns(12))
    assert {f"statement_{n}" for n in range(1, 13)} | {"summary_text"} == variables
    answers = {f"Answer.{name}" for name in Radios(page).values}
    assert answers == {name for name in result_columns(12) if name.startswith("Answer.")}
    assert all(values == ["p", "n"] for values in Radios(page).values.values())


def test_the_command_writes_a_layout_as_wide_as_its_tasks(
    tmp_path: Path, rubrica: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    system = tmp_path / "data" / "lead3"
    system.mkdir(parents=True)
    (system / "out.txt").write_text("<t> a cat sat </t>\n<t> a dog ran </t>\n")
    (system / "ref.txt").write_text("<t> a cat </t>\n<t> a dog </t>\n")
    scus = "".join(f"{event},{event}{n},unit {n},,,,1\n" for event in "01" for n in range(3))
    (tmp_path / "scus.csv").write_text(f"{','.join(SCU_COLUMNS)}\n{scus}")
    words = ("study", "tasks", "make", "-dp", "data", "--scus", "scus.csv", "-o", "tasks.csv")
    answer = rubrica(*words, "--turk-layout", "layout.html")
    assert answer.code == 0, answer.err
    header = next(csv.reader((tmp_path / "tasks.csv").read_text().splitlines()))
    page = (tmp_path / "layout.html").read_text()
    assert set(re.findall(r"\$\{(\w+)\}", page)) <= set(header)
    assert len(Radios(page).values) == 3
