"""Names of SacreROUGE's metrics in Docker images: they are ours."""

from __future__ import annotations

from typing import Any

import pytest

from rubrica import aliases
from rubrica.metrics.base.metric import METRICS, Metric


@pytest.mark.parametrize("name", sorted(aliases.METRICS))
def test_a_docker_name_is_our_metric(name: str) -> None:
    assert METRICS.get(name) is METRICS.get(aliases.METRICS[name])
    assert name in METRICS
    assert name not in METRICS.names()


def test_a_docker_name_has_commands_and_signs_with_our_name(rubrica: Any) -> None:
    assert "--max_ngram" in rubrica("docker-rouge", "evaluate", "--help").out
    assert str(Metric.from_config("docker-rouge").signature()).startswith("rouge|")
