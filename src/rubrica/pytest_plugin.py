"""A pytest plugin: the fixture `assert_not_worse`, with baselines stored beside the tests.

    def test_summaries_are_as_good(assert_not_worse):
        assert_not_worse(summarize(ARTICLES), "baseline.jsonl", REFERENCES, "rouge-2.f1")

The first argument is what the model says now. `pytest --rubrica-save` writes what it says into the
baseline file instead of comparing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rubrica.comparison.gate import Verdict


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rubrica-save`."""
    parser.getgroup("rubrica").addoption(
        "--rubrica-save",
        action="store_true",
        help="write the baselines of assert_not_worse instead of comparing with them",
    )


@pytest.fixture
def assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., list[Verdict]]:
    """Fails the test when new outputs are worse than the baseline.

    Takes what `rubrica.comparison.assert_not_worse` takes; the baseline may also be the name of a file
    of stored scores, relative to the test's folder.
    """

    def check(
        new: Sequence[Any],
        baseline: Any,
        references: Sequence[Any] | None = None,
        measure: str | Sequence[str] = "rouge-2.f1",
        **more: Any,
    ) -> list[Verdict]:
        # Imported here: pytest starts without numpy where no test asks for this.
        from rubrica.comparison import baseline as baselines
        from rubrica.comparison import gate
        from rubrica.comparison.systems import instances_of
        from rubrica.data.scores.rows import write_score_rows
        from rubrica.errors import RubricaError

        if not isinstance(baseline, (str, os.PathLike)):
            try:
                return gate.assert_not_worse(new, baseline, references, measure, **more)
            except AssertionError as error:
                message = str(error)
            pytest.fail(message, pytrace=False)
        path = request.path.parent / baseline
        if request.config.getoption("--rubrica-save"):
            measures = [measure] if isinstance(measure, str) else measure
            metrics = gate.metrics_of(measures, more.get("metric"))
            chosen = list({id(metric): metric for metric in metrics.values()}.values())
            instances = instances_of({"baseline": new}, references, more.get("documents"))
            write_score_rows(path, baselines.score_system(instances, chosen))
            return []
        if not path.exists():
            pytest.fail(f"no baseline {path}; pytest --rubrica-save writes it", pytrace=False)
        try:
            rows = baselines.read_baseline(str(path))
            return gate.assert_not_worse(new, rows, references, measure, **more)
        except RubricaError as error:
            message = f"{error}\n(baseline {path}; pytest --rubrica-save writes it anew)"
        except AssertionError as error:
            message = str(error)
        # Outside of `except`: pytest would print the handled error, and so the message twice.
        pytest.fail(message, pytrace=False)

    return check
