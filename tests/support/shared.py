"""What all workers of a test run share: a folder, in which expensive files are made by whoever needs them first."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

try:
    import fcntl
except ImportError:  # Windows: every worker makes its own
    fcntl = None  # type: ignore[assignment]

P = ParamSpec("P")
T = TypeVar("T")
VARIABLE = "RUBRICA_TEST_SHARED"


def create_shared_folder() -> None:
    """In the process that starts the workers: make the folder, which they inherit by its name."""
    if fcntl is not None:
        os.environ[VARIABLE] = tempfile.mkdtemp(prefix="rubrica-tests-")


def remove_shared_folder() -> None:
    """In the same process, at the end."""
    shutil.rmtree(os.environ.pop(VARIABLE, ""), ignore_errors=True)


@cache
def shared_folder() -> Path:
    """Return the folder that all workers of this run share."""
    known = os.environ.get(VARIABLE)
    return Path(known or tempfile.mkdtemp(prefix="rubrica-tests-"))


def made_once(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function of words in one worker only; the others take its result, such as paths in the folder."""

    @wraps(function)
    def shared(*words: P.args, **options: P.kwargs) -> T:
        name = "-".join([function.__module__, function.__name__, *map(str, words)])
        stored = shared_folder() / f"{name}.pickle"
        with _locked(stored.with_suffix(".lock")):
            if not stored.exists():
                stored.write_bytes(pickle.dumps(function(*words, **options)))
            result: T = pickle.loads(stored.read_bytes())
        return result

    return cache(shared)  # type: ignore[return-value]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as stream:
        if fcntl is not None:
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
