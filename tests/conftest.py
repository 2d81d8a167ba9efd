"""What tests share: the sample data, the command line in process, hypothesis profiles."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# Before numpy and torch are imported: their threads wait for each other on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

from rubrica.cli.app import main
from support.neural_samples import MODEL_METRICS
from support.shared import create_shared_folder, remove_shared_folder, shared_folder
from support.temporary import MemoryFolder, use_memory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NEWS = ROOT / "examples" / "news"

settings.register_profile("quick", max_examples=5, deadline=None)
settings.register_profile("fast", max_examples=50, deadline=None)
settings.register_profile(
    "slow", max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("RUBRICA_HYPOTHESIS", "fast"))


TEMPORARY = pytest.StashKey[MemoryFolder | None]()


def pytest_configure(config: pytest.Config) -> None:
    """Before workers start: a folder for what they share, and signals as in a terminal."""
    if not hasattr(config, "workerinput"):
        config.stash[TEMPORARY] = use_memory()
        create_shared_folder()
        # Other packages write there as soon as they are imported, and a user of a container may have none.
        if not os.access(os.path.expanduser("~"), os.W_OK):
            os.environ["HOME"] = str(shared_folder())
    # A shell makes commands in the background ignore it, and so would all processes that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    """Collection creates many objects, all of which stay: searching them for garbage is a waste."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor is it searched for later on."""
    gc.enable()
    _freeze_modules()


def pytest_runtest_teardown() -> None:
    """Large packages, which tests import, stay as well."""
    if len(sys.modules) > _frozen_modules + 300:
        _freeze_modules()


_frozen_modules = 0


def _freeze_modules() -> None:
    global _frozen_modules  # noqa: PLW0603
    _frozen_modules = len(sys.modules)
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep the files of tests that failed."""
    if folder := session.config.stash.get(TEMPORARY, None):
        folder.keep = exitstatus != 0


def pytest_unconfigure(config: pytest.Config) -> None:
    """After they have ended: the folder goes."""
    if not hasattr(config, "workerinput"):
        remove_shared_folder()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, at most eight: tests wait for clusters, browsers and other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((cores or 1) + 1, 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Use our own scheduler; xdist's loadgroup does not work with pytest 9.2."""
    from support.scheduling import Scheduling

    return Scheduling(config, log)


# Groups of tests that `make test-fast` leaves out, by the folder they are in.
SLOW_FOLDERS = {
    "browser": "browser",
    "differential": "differential",
    "docs": "docs",
    "engines": "ray",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow groups: by folder, and tests that run a model by what they need."""
    for item in items:
        folder = _folder(item.path)
        if folder in SLOW_FOLDERS:
            item.add_marker(SLOW_FOLDERS[folder])
        if _runs_a_model(item):
            item.add_marker("models")


@cache
def _folder(path: Path) -> str:
    return path.relative_to(HERE).parts[0]


def _runs_a_model(item: pytest.Item) -> bool:
    reasons = [str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skipif")]
    if any(
        reason.startswith(("needs rubrica[neural]", "needs rubrica[onnx]")) for reason in reasons
    ):
        return True
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(value in MODEL_METRICS for value in parameters if isinstance(value, str))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    """Fail a test that lacks an optional package where all of them are meant to be installed."""
    report = yield
    reason = str(report.longrepr)
    if (
        os.environ.get("RUBRICA_TEST_EXTRAS") == "all"
        and report.skipped
        and ("could not import" in reason or "needs rubrica[" in reason)
    ):
        report.outcome = "failed"
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in a line per reason what was skipped, and how to enable it."""
    reasons = Counter(_skip_reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("skipped")
        for reason, count in sorted(reasons.items()):
            terminalreporter.write_line(f"{count} skipped: {reason}")


def _skip_reason(report: Any) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(reason).removeprefix("Skipped: ").strip()


@pytest.fixture(scope="session", autouse=True)
def _data_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept of embeddings and fetched files is kept for the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RUBRICA_DATA_ROOT", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Start endpoints for judges, which are closed at the end of the test."""
    from support.judge_server import Server

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
