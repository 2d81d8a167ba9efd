"""The conda recipe says what pyproject.toml says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]


def test_the_recipe_has_the_version_and_the_dependencies_of_the_project() -> None:
    recipe: dict[str, Any] = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))
    with open(ROOT / "pyproject.toml", "rb") as stream:
        project = tomllib.load(stream)
    assert recipe["context"]["version"] == project["project"]["version"]
    plain = [line.replace(" ", "") for line in recipe["requirements"]["run"]]
    python = f"python{project['project']['requires-python']}"
    assert plain == [python, *project["project"]["dependencies"]]
    host = [line.replace(" ", "") for line in recipe["requirements"]["host"]]
    assert set(project["build-system"]["requires"]) <= set(host)
    assert "rubrica = rubrica.cli.app:main" in recipe["build"]["python"]["entry_points"]
