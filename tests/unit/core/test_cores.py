"""How many cores are used: those there are, or fewer where that was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rubrica.core.cores import at_most, available_cores


def test_a_limit_holds_in_its_block_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert available_cores() == 6
    with at_most(2):
        assert available_cores() == 2
        with at_most(None):
            assert available_cores() == 6
    with at_most(9):
        assert available_cores() == 6
    assert available_cores() == 6


def test_system_scores_use_no_more_cores_than_workers(
    rubrica: Any, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    from rubrica.scoring.evaluation_builder import EvaluationBuilder

    build = EvaluationBuilder.build

    def watched(self: EvaluationBuilder) -> Any:
        asked.append(available_cores())
        return build(self)

    monkeypatch.setattr(EvaluationBuilder, "build", watched)
    words = ["rouge", "evaluate", "--input-files", news / "summaries.jsonl", "--silent"]
    assert rubrica(*words, "--workers", 1).code == 0
    assert asked == [1]
