"""The console of a command: results go to standard output, everything else to standard error."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, TypeVar

from rubrica.cli.progress import CounterLine, LazyBar, StepBar, StepTimes
from rubrica.cli.wording import with_options
from rubrica.errors import OutputError, printable
from rubrica.formatting.text_table import BOLD, PLAIN
from rubrica.neural.progress import Listener, listening
from rubrica.scoring.reporter import Reporter

if TYPE_CHECKING:
    from rubrica.metrics.base.metric import Metric

T = TypeVar("T")
Total: TypeAlias = Callable[[], int | None] | None
SHOWN_PER_WARNING = 3
# Our own bold text, and the control characters by which a name or text could command a terminal.
_CONTROL = re.compile(r"\x1b\[[01]m|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


class Console(Reporter):
    """Prints messages to standard error (unless quiet) and appends them to a log file, if there is one."""

    def __init__(
        self, *, quiet: bool = False, verbose: bool = False, log_file: str | None = None
    ) -> None:
        self.quiet, self.verbose = quiet, verbose and not quiet
        # Nothing if nobody would see it.
        self.bar = LazyBar() if sys.stderr.isatty() and not quiet else None
        self._log: TextIO | None = None
        if log_file:
            try:
                os.makedirs(os.path.dirname(log_file) or ".", exist_ok=True)
                self._log = open(log_file, "a", encoding="utf-8")  # noqa: SIM115 (closed by close)
            except OSError as error:
                raise OutputError(log_file, error.strerror or error) from error

    def say(self, message: str) -> None:
        """Print a message to standard error, unless quiet."""
        message = printable(with_options(message))
        if self.bar is not None:
            self.bar.pause()
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
        if self.bar is not None:
            self.bar.pause()
        text = _CONTROL.sub(_visible, text)
        if not (self.quiet and saved):
            print(text, flush=True)
        self.log(text.replace(BOLD, "").replace(PLAIN, ""))

    def listeners(self) -> Iterator[Listener]:
        """Yield what shows the steps of work: a bar on terminals, and with `--verbose` how long each took."""
        if self.bar is not None:
            yield StepBar(self.bar)
        if self.verbose:
            yield StepTimes(self.say)

    def close(self) -> None:
        """Clear the progress bar and close the log file."""
        if self.bar is not None:
            self.bar.pause()
        if self._log is not None:
            self._log.close()

    @contextmanager
    def counter(self, what: str, total: Total = None) -> Iterator[Callable[[int], None]]:
        """Show on a terminal how many are done, how fast, and the time left if the total is known."""
        if self.bar is None:
            yield _ignore
            return
        line = CounterLine(self.bar, what, total() if total else None)
        try:
            yield line
        finally:
            line.end()

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
                self.say(
                    f"{line} (the original's way: --like sacrerouge, or METRIC,like=sacrerouge)"
                )
        try:
            yield
        finally:
            for metric in metrics:
                if description := metric.describe():
                    self.say(description)
                # Inside the block that prints warnings: a cache may not be writable.
                metric.release()


def _visible(match: re.Match[str]) -> str:
    """Return an escape that JSON reads back as the same character; bold text stays."""
    character = match[0]
    return character if character in (BOLD, PLAIN) else f"\\u{ord(character):04x}"


def _ignore(more: int) -> None:
    """Do nothing: nobody would see the count."""


def has_style(stream: TextIO) -> bool:
    """Return whether text on this stream may be bold: on terminals, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextmanager
def capture_warnings(console: Console) -> Iterator[None]:
    """Print warnings as one line each, once: the first few of a kind, then their number."""
    counts: Counter[str] = Counter()
    messages: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        kind = category.__name__
        text = str(message)
        # An input that is read twice warns twice.
        if text in messages:
            return
        messages.add(text)
        counts[kind] += 1
        if counts[kind] <= SHOWN_PER_WARNING:
            console.say(f"warning: {text}")

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
    """Yield the console that `--quiet`, `--verbose` and `--log-file` ask for.

    It also prints warnings, and shows the progress of everything that reports some.
    """
    console = Console(
        quiet=arguments.quiet,
        verbose=getattr(arguments, "verbose", False),
        log_file=getattr(arguments, "log_file", None),
    )
    start = time.monotonic()
    try:
        with capture_warnings(console), ExitStack() as stack:
            for listener in console.listeners():
                stack.enter_context(listening(listener))
            yield console
        if console.verbose:
            console.say(f"finished in {time.monotonic() - start:.1f} s")
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
