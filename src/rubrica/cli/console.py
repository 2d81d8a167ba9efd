"""The console of a command: results go to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from rubrica.errors import OutputError, printable

if TYPE_CHECKING:
    from rubrica.metrics.base.metric import Metric

T = TypeVar("T")
SHOWN_PER_WARNING = 3


class Console:
    """Prints messages to standard error (unless quiet) and appends them to a log file, if there is one."""

    def __init__(self, *, quiet: bool = False, log_file: str | None = None) -> None:
        self.quiet = quiet
        self._log: TextIO | None = None
        if log_file:
            try:
                os.makedirs(os.path.dirname(log_file) or ".", exist_ok=True)
                self._log = open(log_file, "a", encoding="utf-8")  # noqa: SIM115 (closed by close)
            except OSError as error:
                raise OutputError(log_file, error.strerror or error) from error

    def say(self, message: str) -> None:
        """Print a message to standard error, unless quiet."""
        message = printable(message)
        if not self.quiet:
            print(message, file=sys.stderr, flush=True)
        self.log(message)

    def log(self, message: str) -> None:
        """Append a message to the log file, with the time."""
        if self._log is not None:
            stamp = time.strftime("%Y-%m-%d %H:%M:%S")
            for line in message.splitlines():
                self._log.write(f"{stamp} {line}\n")
            self._log.flush()

    def result(self, text: str, *, saved: bool = False) -> None:
        """Print a result to standard output.

        A quiet console prints it too, unless it is `saved` in a file: quiet never loses a result.
        """
        if not (self.quiet and saved):
            print(text, flush=True)
        self.log(text)

    def close(self) -> None:
        """Close the log file."""
        if self._log is not None:
            self._log.close()

    @contextmanager
    def counter(self, what: str) -> Iterator[Callable[[int], None]]:
        """Show on a terminal how many are done and how fast."""
        with self._bar() as bar:
            yield _ignore if bar is None else _Counter(bar, what)

    def progress(self, rows: Iterable[T], what: str) -> Iterator[T]:
        """Yield the rows and count them."""
        with self.counter(what) as count:
            for row in rows:
                yield row
                count(1)

    @contextmanager
    def reporting(self, metrics: Sequence[Metric], *, systems: bool = True) -> Iterator[None]:
        """Print what the metrics report about the block, even if it fails, and release them.

        First of all, print in what their numbers differ from the originals'.
        """
        for line in dict.fromkeys(metric.substitution(systems=systems) for metric in metrics):
            if line:
                self.say(f"{line} (like=sacrerouge chooses the original's behaviour)")
        try:
            yield
        finally:
            for metric in metrics:
                if description := metric.describe():
                    self.say(description)
                # Inside the block that prints warnings: a cache may not be writable.
                metric.release()

    @contextmanager
    def steps(self) -> Iterator[None]:
        """Show on a terminal how far models are, within the block."""
        with self._bar():
            yield

    @contextmanager
    def _bar(self) -> Iterator[Any]:
        """Yield a progress bar that models report to; None if nobody would see it."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console as RichConsole
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        from rubrica.neural.progress import listening

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description} {task.completed:,.0f}"),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
        )
        terminal = RichConsole(stderr=True)
        with (
            Progress(*columns, console=terminal, transient=True) as bar,
            listening(_StepBar(bar)),
        ):
            yield bar


def _ignore(more: int) -> None:
    """Do nothing: nobody would see the count."""


class _Counter:
    """A line that counts; redrawn every 256 rows."""

    def __init__(self, bar: Any, what: str) -> None:
        self._bar, self._task = bar, bar.add_task(what, total=None, rate="")
        self._start, self._number, self._shown = time.monotonic(), 0, 0

    def __call__(self, more: int) -> None:
        self._number += more
        if self._number >= self._shown + 256:
            self._shown = self._number
            rate = self._number / max(time.monotonic() - self._start, 1e-9)
            self._bar.update(self._task, completed=self._number, rate=f"{rate:,.0f}/s")


class _StepBar:
    """A second line for the steps of a model within a batch, with the time left."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task: Any = None
        self._what, self._total, self._start = "", 0, 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._task is None or (what, total) != (self._what, self._total):
            self._end()
            self._what, self._total, self._start = what, total, time.monotonic()
            self._task = self._bar.add_task(what, total=total, rate="")
        rate = done / max(time.monotonic() - self._start, 1e-9)
        seconds = round((total - done) / max(rate, 1e-9))
        left = f"{seconds // 60}:{seconds % 60:02d} left"
        self._bar.update(
            self._task, completed=done, rate=f"of {total:,}, {rate:,.0f}/s, {left}; since"
        )
        if done >= total:
            self._end()

    def _end(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None


@contextmanager
def capture_warnings(console: Console) -> Iterator[None]:
    """Print warnings as one line each: the first few of a kind, then their number."""
    counts: Counter[str] = Counter()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        kind = category.__name__
        counts[kind] += 1
        if counts[kind] <= SHOWN_PER_WARNING:
            console.say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        try:
            yield
        finally:
            for kind, count in counts.items():
                if count > SHOWN_PER_WARNING:
                    console.say(
                        f"warning: {count - SHOWN_PER_WARNING:,} more of this kind ({kind})"
                    )


@contextmanager
def console_for(arguments: argparse.Namespace) -> Iterator[Console]:
    """Yield the console that `--quiet` and `--log-file` ask for; it also prints warnings."""
    console = Console(quiet=arguments.quiet, log_file=getattr(arguments, "log_file", None))
    try:
        with capture_warnings(console):
            yield console
    finally:
        console.close()


def with_console(
    run: Callable[[argparse.Namespace, Console], int],
) -> Callable[[argparse.Namespace], int]:
    """Turn `run(arguments, console)` into the `run(arguments)` of a command."""

    @wraps(run)
    def with_own_console(arguments: argparse.Namespace) -> int:
        with console_for(arguments) as console:
            return run(arguments, console)

    return with_own_console
