"""The commands on the pages of data sets run on what is made of their samples."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import ADDRESSES
from rubrica.datasets.sacrerouge import LAYOUTS
from support.blocks import ROOT, blocks
from support.dataset_samples import SAMPLES, write_sample

PAGES = ROOT / "docs" / "datasets"


def commands(name: str) -> Iterator[list[str]]:
    """The words of each command under "Use", without its first, `rubrica`."""
    page = PAGES / f"{name}.md"
    start = page.read_text("utf-8").partition("\n## Use\n")[0].count("\n")
    for block in blocks(page):
        if block.language == "text" and block.line > start:
            for line in re.sub(r"\\\n", " ", block.text).splitlines():
                words = shlex.split(line)
                assert words[0] == "rubrica", f"{block.place}: {line}"
                yield words[1:]


def test_every_page_and_the_index_say_whether_the_reader_was_checked_on_original_files() -> None:
    checked, listed = set[str](), set[str]()
    for page in PAGES.glob("*.md"):
        text = " ".join(page.read_text("utf-8").split())
        if page.name == "README.md":
            index = re.search(r"\*\*Checked\.\*\* (.*?) were checked on the original files\.", text)
            assert index is not None
            listed = set(re.findall(r"`(\w+)`", index[1]))
        elif "Checked on the original" in text:
            checked.add(page.stem)
        else:
            assert "not on the original files" in text, page.name
    assert listed == checked
    for name, on in re.findall(r"\| \[`([\w-]+)`\]\(.* \| ([\w ]+) \|\n", index_page()):
        assert (on != "a sample") == (name in checked | {"aggrefact"}), name


def index_page() -> str:
    return (PAGES / "README.md").read_text("utf-8")


@pytest.mark.parametrize("page", ["datasets/README.md", "sacrerouge.md"])
def test_the_pages_count_the_data_sets_that_have_sacrerouge_s_layout(page: str) -> None:
    text = " ".join((ROOT / "docs" / page).read_text("utf-8").split())
    assert re.findall(r"(\d+) data sets of SacreROUGE", text) == [str(len(LAYOUTS))]


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_the_commands_of_a_data_set_run_on_its_sample(
    name: str, rubrica: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name in SAMPLES
    monkeypatch.chdir(tmp_path)
    write_sample(name, tmp_path / "RAW")
    made = rubrica(
        "setup-dataset", name, "--from", "RAW", "--output", name, "--accept-licence", "--offline"
    )
    assert made.code == 0, made.err
    ran = list(commands(name))
    assert ran, f"{name}.md has no commands under Use"
    for words in ran:
        if "mine.jsonl" in words:
            references = words[words.index("--references") + 1]
            rows = [json.loads(line) for line in Path(references).read_text("utf-8").splitlines()]
            mine = [{"instance_id": row["instance_id"], "summary": "Mine."} for row in rows]
            Path("mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in mine))
        answer = rubrica(*words)
        assert answer.code == 0, f"rubrica {shlex.join(words)}\n{answer.err}"
        assert answer.out or any(Path(word).is_file() for word in words)
