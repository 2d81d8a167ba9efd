"""Names of SacreROUGE's metrics: those of Docker images are ours; of programs not included, what to use instead."""

from __future__ import annotations

from typing import Any

import pytest

from rubrica import aliases
from rubrica.errors import UnknownNameError
from rubrica.metrics.base.metric import METRICS, Metric


@pytest.mark.parametrize("name", sorted(aliases.METRICS))
def test_a_docker_name_is_our_metric(name: str) -> None:
    assert METRICS.get(name) is METRICS.get(aliases.METRICS[name])
    assert name in METRICS
    assert name not in METRICS.names()


def test_a_docker_name_has_commands_and_signs_with_our_name(rubrica: Any) -> None:
    assert "--max_ngram" in rubrica("docker-rouge", "evaluate", "--help").out
    assert str(Metric.from_config("docker-rouge").signature()).startswith("rouge|")


@pytest.mark.parametrize(
    ("name", "instead"), [("bewte", "bewte-ud"), ("pyreval", "pyreval-style"), ("apes", "qa-eval")]
)
def test_a_program_that_is_not_included_is_named_with_what_to_use(
    name: str, instead: str, rubrica: Any
) -> None:
    with pytest.raises(UnknownNameError, match=instead):
        METRICS.get(name)
    answer = rubrica(name, "evaluate", "--input-files", "x.jsonl")
    assert answer.code == 2
    assert instead in answer.err
