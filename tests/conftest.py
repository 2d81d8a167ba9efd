"""What tests share: the sample data, the command line in process, hypothesis profiles."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Before numpy and torch are imported: their threads wait for each other on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from rubrica.cli.app import main

ROOT = Path(__file__).resolve().parent.parent
NEWS = ROOT / "examples" / "news"

settings.register_profile("fast", max_examples=50, deadline=None)
settings.register_profile(
    "slow", max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("RUBRICA_HYPOTHESIS", "fast"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    """In continuous integration everything is installed: a test that misses a package has failed."""
    report = yield
    told = str(report.longrepr)
    if (
        os.environ.get("CI")
        and report.skipped
        and ("could not import" in told or "needs rubrica[" in told)
    ):
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session", autouse=True)
def _data_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept of embeddings and fetched files is kept for the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUBRICA_DATA_ROOT", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Start endpoints for judges, which are closed at the end of the test."""
    from judge_server import Server

    started: list[Server] = []

    def start(answer: Any, **options: Any) -> Server:
        started.append(Server(answer, **options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@dataclass(frozen=True)
class Answer:
    """What a command line did."""

    code: int
    out: str
    err: str


@pytest.fixture
def rubrica(capfd: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Run `rubrica WORDS...` in this process."""

    def run(*words: object) -> Answer:
        capfd.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            # argparse's --help leaves this way.
            code = int(stop.code or 0)
        captured = capfd.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


@pytest.fixture
def news() -> Path:
    """The English sample data."""
    return NEWS
