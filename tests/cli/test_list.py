"""`rubrica list`, and what fits a terminal."""

from __future__ import annotations

import json
from typing import Any

import pytest


def test_the_list_of_metrics_stays_narrow_where_measures_differ(rubrica: Any) -> None:
    lines = {line.split()[0]: line for line in rubrica("list", "metrics").out.splitlines() if line}
    assert lines["simetrix"].count("by measure") == 2
    assert "-0.693147 to 0" in lines["js"]
    assert "KLInputSummary" not in lines["simetrix"]


def test_a_narrow_terminal_shows_entries_in_lines_that_fit(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    for kind in ("metrics", "readers", "datasets"):
        lines = rubrica("list", kind).out.splitlines()
        assert max(map(len, lines)) <= 60
    assert (
        "needs: summary, references; better: higher; range: 0 to" in rubrica("list", "metrics").out
    )
    monkeypatch.setenv("COLUMNS", "400")
    assert rubrica("list", "metrics").out.startswith("name ")


def test_help_is_no_wider_than_the_terminal(rubrica: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "72")
    lines = rubrica("js", "evaluate", "--help").out.splitlines()
    # The first line is the usage and the last the example: both are copied whole.
    assert max(map(len, lines[1:-1])) <= 72


def test_prompts_and_providers_of_judges_are_listed(rubrica: Any) -> None:
    prompts = json.loads(rubrica("list", "prompts", "--json").out)
    claims = next(row for row in prompts if row["name"] == "claims")
    assert (claims["version"], claims["kind"], claims["fields"]) == ("1", "units", ["documents"])
    assert all("http" in row["description"] for row in prompts)
    providers = rubrica("list", "providers").out
    assert "ANTHROPIC_API_KEY" in providers
    batches = {
        row["name"]: row["batches"]
        for row in json.loads(rubrica("list", "providers", "--json").out)
    }
    assert (batches["anthropic"], batches["ollama"]) == ("yes", "no")
