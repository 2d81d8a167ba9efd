"""How a run reports progress: commands print it, library calls are silent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Reporter(Protocol):
    """Prints messages and shows progress."""

    def say(self, message: str) -> None:
        """Print a message."""
        ...

    def counter(
        self, what: str, total: Callable[[], int | None] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Show progress; call the returned function with the number of newly finished items.

        `total` is called only if somebody sees it.
        """
        ...


class SilentReporter:
    """Says nothing."""

    def say(self, message: str) -> None:
        """Do nothing."""

    def counter(
        self, what: str, total: Callable[[], int | None] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Return a function that does nothing."""
        return nullcontext(lambda _: None)


SILENT = SilentReporter()
