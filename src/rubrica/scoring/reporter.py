"""How a run reports to whoever started it: a command prints, a library call says nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Reporter(Protocol):
    """Takes messages and shows progress."""

    def say(self, message: str) -> None:
        """Report what happens."""
        ...

    def counter(self, what: str) -> AbstractContextManager[Callable[[int], None]]:
        """Show how many are done; the function it gives is called with how many more are."""
        ...


class SilentReporter:
    """Says nothing."""

    def say(self, message: str) -> None:
        """Nobody listens."""

    def counter(self, what: str) -> AbstractContextManager[Callable[[int], None]]:
        """Nobody counts."""
        return nullcontext(lambda _: None)


SILENT = SilentReporter()
