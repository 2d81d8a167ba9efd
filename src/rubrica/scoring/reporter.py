"""How a run reports to whoever started it: a command prints, a library call says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")


class Reporter(Protocol):
    """Takes messages and shows progress."""

    def say(self, message: str) -> None:
        """Report what happens."""
        ...

    def progress(self, rows: Iterable[T], what: str, size: Callable[[T], int] = ...) -> Iterator[T]:
        """Pass rows (or batches of some size) on, and show how many there were."""
        ...


class SilentReporter:
    """Says nothing."""

    def say(self, message: str) -> None:
        """Nobody listens."""

    def progress(
        self, rows: Iterable[T], what: str, size: Callable[[T], int] = lambda _: 1
    ) -> Iterator[T]:
        """Pass rows on."""
        return iter(rows)


SILENT = SilentReporter()
