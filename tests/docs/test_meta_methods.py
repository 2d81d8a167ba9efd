"""The examples in docs/meta-methods.md say what the code does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "meta-methods.md"


def test_examples_are_true() -> None:
    text = PAGE.read_text(encoding="utf-8")
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(examples, {}, PAGE.name, str(PAGE), 0)
    report: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=report.append).failed
    assert test.examples
    assert not failed, "".join(report)


def test_sections_are_reached_from_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", line[3:]).strip().lower().replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("## ")
    }
    assert set(re.findall(r"\(#([\w-]+)\)", text)) <= headings
