"""Results print as tables, and become frames, Markdown, LaTeX, CSV, JSON and HTML, with the same numbers."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from rubrica import EvalInstance, Evaluation, Fields, evaluate
from rubrica.formatting.table import Cell, Table, inert

NAMES = ["<b>lead</b>", "a|b_c", "=HYPERLINK(1)"]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    texts = ["the cat sat on the mat", "a cat sat", "dogs bark"]
    instances = [
        EvalInstance(f"d{number}", name, "peer", Fields(summary=text, references=[texts[0]]))
        for name, text in zip(NAMES, texts, strict=True)
        for number in range(3)
    ]
    return evaluate(instances, [{"type": "rouge", "max_ngram": 1}, "ter"])[0]


def test_frames_have_every_number(evaluation: Evaluation) -> None:
    records = evaluation.records()
    assert len(records) == 3 * 4
    frame = evaluation.to_pandas()
    assert frame.to_dict("records") == records
    assert evaluation.to_polars().to_dicts() == records
    value = frame.set_index(["system", "measure"]).loc[("a|b_c", "ter"), "value"]
    assert value == evaluation.systems["a|b_c"].scores["ter"].value


def test_csv_has_the_same_numbers_and_no_formula(evaluation: Evaluation) -> None:
    rows = list(csv.DictReader(io.StringIO(evaluation.to_csv())))
    assert [float(row["value"]) for row in rows] == [row["value"] for row in evaluation.records()]
    assert {row["system"] for row in rows} == {*NAMES[:2], "'=HYPERLINK(1)"}


def test_json_is_what_the_command_writes(evaluation: Evaluation) -> None:
    assert json.loads(evaluation.to_json()) == json.loads(json.dumps(evaluation.to_dict()))


def test_text_from_outside_stays_text(evaluation: Evaluation) -> None:
    assert "&lt;b&gt;lead&lt;/b&gt;" in evaluation._repr_html_()
    assert "<b>" not in evaluation._repr_html_()
    assert r"a\|b_c" in evaluation.to_markdown()
    assert r"a\textbar{}b\_c" in evaluation.to_latex()


def test_the_caption_suits_a_paper(evaluation: Evaluation) -> None:
    caption = evaluation.to_latex().partition(r"\caption{")[2].partition("\n")[0]
    assert "F1 is shown, without precision and recall" in caption
    assert "JSON" not in evaluation.to_latex()


def test_the_best_values_are_bold_and_lower_is_marked(evaluation: Evaluation) -> None:
    assert "**0.00 ±0.00**" in evaluation.to_markdown()
    assert r"ter $\downarrow$" in evaluation.to_latex()
    assert "ter ↓" in repr(evaluation)
    assert "lower is better" in repr(evaluation)


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "@x",
        "+x",
        "-x(1)",
        "\t=1",
        "\n=1",
        "+1+1",
        "-2+3",
        "\uff1d1+1",
        "\uff0d2+3",
        "\uff20x",
    ],
)
def test_formulas_are_quoted(text: str) -> None:
    assert inert(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["-1.5", "+0.25", "-3 ±2", "-1.5e-05", "-1,234.5*", "+2.5 %", "name", "1e-5", ""]
)
def test_numbers_are_not(text: str) -> None:
    assert inert(text) == text


def test_an_instance_takes_a_plain_dict() -> None:
    fields: Any = {"summary": "a", "references": ["a"]}
    instance = EvalInstance("d", "s", "peer", fields)
    assert instance == EvalInstance("d", "s", "peer", Fields(fields))
    assert evaluate([instance], ["rouge"])[1][0].metrics["rouge-1"]["f1"] == 100


def test_line_breaks_in_names_and_signatures_break_no_table() -> None:
    name = "a\n\\input{x}\r\n\nb\u2028c\x1b[31m\td"
    table = Table([name, "n"], [[Cell(name), Cell("1")]], name, signatures=[name])
    # Headers, a rule, a row, an empty line, the signature.
    assert len(table.to_text().splitlines()) == 5
    assert "\x1b" not in table.to_text()
    assert [line[:1] for line in table.to_markdown().splitlines()] == ["|", "|", "|", "", "-"]
    latex = table.to_latex()
    assert all(line[:1] == "%" for line in latex.splitlines() if "\\input" in line)
    assert not set(latex) & {"\r", "\t", "\x1b", "\u2028"}
    assert "" not in latex.splitlines()
