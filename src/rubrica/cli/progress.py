"""Progress on a terminal: bars with total, rate and time left, which appear with work and vanish after it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

# Work that takes longer is announced once, so that nobody waits for it without knowing.
LONG_SECONDS = 60
# Before that, the first steps say little of the others: they load what all share.
SETTLED_SECONDS = 1.0


class LazyBar:
    """A display of tasks (of rich) that starts with the first task and vanishes with the last."""

    def __init__(self, terminal: Any = None) -> None:
        self._terminal, self._tasks = terminal, 0
        self._progress: Any = None

    def add_task(self, what: str, *, total: int | None, rate: str) -> Any:
        """Add a line, and show the display if it is the first."""
        if self._progress is None:
            self._progress = self._display()
        self._tasks += 1
        self._progress.start()
        return self._progress.add_task(what, total=total, rate=rate)

    def update(self, task: Any, *, completed: int, rate: str) -> None:
        """Redraw a line."""
        self._progress.start()
        self._progress.update(task, completed=completed, rate=rate, refresh=True)

    def remove_task(self, task: Any) -> None:
        """Remove a line, and the display with the last."""
        self._progress.remove_task(task)
        self._tasks -= 1
        if not self._tasks:
            self.pause()

    def pause(self) -> None:
        """Clear the display, so that other text can be printed; it returns with the next update."""
        if self._progress is not None:
            self._progress.stop()

    @property
    def is_shown(self) -> bool:
        """Whether the display is on the terminal now."""
        return self._progress is not None and self._progress.live.is_started

    def announce(self, message: str) -> None:
        """Print a line above the display."""
        self._progress.console.print(message, markup=False, highlight=False)

    def _display(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn("{task.completed:,.0f} {task.fields[rate]}"),
            TimeElapsedColumn(),
        )
        terminal = self._terminal or Console(stderr=True)
        return Progress(
            *columns,
            console=terminal,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )


class StepBar:
    """The line of work that reports how much of its total is done: rate and time left."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task: Any = None
        self._what, self._total, self._start, self._shown = "", 0, 0.0, 0.0
        self._announced = False

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` are finished."""
        if self._task is None or (what, total) != (self._what, self._total):
            self._end()
            self._what, self._total, self._start = what, total, time.monotonic()
            self._announced = False
            self._task = self._bar.add_task(what, total=total, rate="")
            self._shown = float("-inf")
        now = time.monotonic()
        # Drawing costs more than most steps.
        if now - self._shown < 0.1 and done < total:
            return
        self._shown = now
        seconds = now - self._start
        rate = done / max(seconds, 1e-9)
        left = (total - done) / max(rate, 1e-9)
        if done and seconds > 2 and left > LONG_SECONDS and not self._announced:
            self._announced = True
            self._bar.announce(f"{what}: this takes {about(left)}")
        text = f"of {total:,}, starting; since"
        if done and seconds >= SETTLED_SECONDS:
            text = f"of {total:,}, {speed(rate)}, {clock(left)} left; since"
        self._bar.update(self._task, completed=done, rate=text)
        if done >= total:
            self._end()

    def _end(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None


class CounterLine:
    """A line that counts, with the time left where the total is known; redrawn at most ten times a second."""

    def __init__(self, bar: Any, what: str, total: int | None = None) -> None:
        self._bar, self._total = bar, total
        self._task = bar.add_task(what, total=total, rate="")
        self._start = self._shown = time.monotonic()
        self._number = 0

    def __call__(self, more: int) -> None:
        """Count more."""
        self._number += more
        now = time.monotonic()
        if now - self._shown < 0.1:
            return
        self._shown = now
        seconds = now - self._start
        rate = self._number / max(seconds, 1e-9)
        text = speed(rate)
        if self._total is not None:
            left = max(self._total - self._number, 0) / max(rate, 1e-9)
            text = f"of {self._total:,}, {text}, {clock(left)} left; since"
            if seconds < SETTLED_SECONDS:
                text = f"of {self._total:,}, starting; since"
        self._bar.update(self._task, completed=self._number, rate=text)

    def end(self) -> None:
        """Remove the line."""
        self._bar.remove_task(self._task)


class StepTimes:
    """Says how long each step took, for `--verbose`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._start, self._what = say, 0.0, ""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note the beginning of a step, and say its end."""
        now = time.monotonic()
        if what != self._what:
            self._what, self._start = what, now
        if done >= total:
            self._say(f"{what}: {total:,} in {now - self._start:.1f} s")
            self._what = ""


def about(seconds: float) -> str:
    """Return a duration as people say it: `about 3 min`."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"


def speed(rate: float) -> str:
    """Return a rate as `120/s`, or of slow steps as `3.5 s each`."""
    return f"{rate:,.0f}/s" if rate >= 1 else f"{1 / max(rate, 1e-9):,.1f} s each"


def clock(seconds: float) -> str:
    """Return a duration as `2:05`, or from an hour on as `1:02:05`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
