"""A message names a parameter to Python and the option to the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rubrica as rb
from rubrica.cli.wording import with_options
from rubrica.errors import DataError


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("use `resume=True`", "use --resume"),
        ("lower `min_items=...`", "lower --min-items"),
        ('use `device="cpu"`', "use --device cpu"),
        ('pass `lower=["ter"]`', "pass --lower-is-better ter"),
        ('`fields={"summary": "a b"}`', "--fields summary=a b"),
        ("`clusters=Clusters.by_id('^(.+)-')`", "--cluster 'id:^(.+)-'"),
        ("`plan=TestPlan(methods={})` shows", "--no-tests shows"),
        ("with `reader=...`", "with --dataset-reader"),
        ("the column `summary` and a=b stay", "the column `summary` and a=b stay"),
    ],
)
def test_a_parameter_becomes_its_option(message: str, shown: str) -> None:
    assert with_options(message) == shown


def test_an_error_suits_python_and_the_command_line(tmp_path: Path, rubrica: Any) -> None:
    table = tmp_path / "table.csv"
    table.write_text("id,txt,gold\n1,a,b\n", "utf-8")
    with pytest.raises(DataError, match=r'name it with `fields=\{"summary": "COLUMN"\}`'):
        rb.evaluate(str(table), "rouge")
    answer = rubrica("evaluate", str(table), "-m", "rouge")
    assert "name it with --fields summary=COLUMN, or" in answer.err
    assert "`" not in answer.err
