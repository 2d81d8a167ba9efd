"""Standard output and error as they are found: closed ones, and those that cannot write every letter."""

from __future__ import annotations

import codecs
import os
import sys

_PLAIN = {"\u00b1": "+-"}


def prepare_streams() -> None:
    """Make sure that printing cannot fail for what is printed: what an encoding lacks is escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Closed by the shell (`>&-`): nobody reads it.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure") and not _writes_all(stream.encoding):
            codecs.register_error("rubrica-plain", _plain)
            stream.reconfigure(errors="rubrica-plain")


def discard_output() -> None:
    """Discard what standard output still holds and cannot take, so that Python does not fail at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _writes_all(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith(("utf-8", "utf-16", "utf-32"))


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        escaped = "".join(_PLAIN.get(c) or c.encode("unicode_escape").decode() for c in text)
        return escaped, error.end
    raise error
