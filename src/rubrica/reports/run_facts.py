"""Name the data of a page and date its scores."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePath

from rubrica.formatting.words import counted


def title_for(kind: str, files: Sequence[str]) -> str:
    """Return a title that names the data: `Systems: news/summaries and 2 more files`."""
    names = [file for file in dict.fromkeys(files) if file != "-"]
    if not names:
        return kind
    path = PurePath(names[0])
    folder = path.parent.name
    stem = path.name.split(".")[0] or path.name
    more = len(names) - 1
    rest = f" and {counted(more, 'more file')}" if more else ""
    return f"{kind}: {folder}/{stem}{rest}" if folder else f"{kind}: {stem}{rest}"


def scores_date(files: Sequence[str] = ()) -> str:
    """Return the day (UTC) on which the newest file was written; without files, the day of this run.

    `SOURCE_DATE_EPOCH` sets the day of this run, for pages that must not change.
    """
    times = []
    for file in files:
        with suppress(OSError, ValueError):
            times.append(os.stat(file).st_mtime)
    seconds = max(times, default=_now())
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _now() -> float:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(epoch) if epoch.isascii() and epoch.isdigit() and len(epoch) < 12 else time.time()
