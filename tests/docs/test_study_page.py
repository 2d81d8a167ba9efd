"""The page on the human study tells every stage and every option."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rubrica.cli.verbs import GROUPS
from rubrica.study.clean import Rules
from rubrica.study.shapes import SHAPES
from support.blocks import ROOT

PAGE = (ROOT / "docs" / "study.md").read_text("utf-8")


@pytest.mark.parametrize("name", GROUPS["study"].commands)
def test_every_option_of_a_stage_is_told(name: str, rubrica: Any) -> None:
    told = rubrica("study", *name.split(), "--help").out
    options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", told)) - {"-h", "--help"}
    # Words of running text with a hyphen before them are no options.
    options = {one for one in options if re.search(rf"^ +(?:.*, )?{one}\b", told, re.MULTILINE)}
    missing = sorted(one for one in options if one not in PAGE)
    assert missing == []
    assert f"`{name}" in PAGE


def test_every_shape_and_rule_is_told() -> None:
    for name in [*SHAPES, "tac"]:
        assert f"`{name}`" in PAGE
    for name in Rules.__struct_fields__:
        assert f"`{name}`" in PAGE or f"`{name} =" in PAGE


def test_no_option_is_told_that_does_not_exist(rubrica: Any) -> None:
    text = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    written = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))
    known = set().union(
        *(
            re.findall(r"--[\w-]+", rubrica("study", *name.split(), "--help").out)
            for name in GROUPS["study"].commands
        )
    )
    assert written <= known, sorted(written - known)
