"""How a run reports progress: commands print it, library calls are silent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext


class Reporter:
    """Takes messages and progress. This one says nothing; others print."""

    def say(self, message: str) -> None:
        """Print a message."""

    def counter(
        self, what: str, total: Callable[[], int | None] | None = None
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Show progress; call the returned function with the number of newly finished items.

        `total` is called only if somebody sees it.
        """
        return nullcontext(lambda _: None)


SILENT = Reporter()
