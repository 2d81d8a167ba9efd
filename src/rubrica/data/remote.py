"""Files by URL (`s3://`, `gs://`, `file://`, ...) through fsspec, where it and the service's package are installed."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from rubrica.errors import DataError, MissingResourceError, OutputError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(name: str) -> bool:
    """Return whether a name is a URL rather than a path."""
    return _URL.match(name) is not None


def open_url(url: str) -> BinaryIO:
    """Open a URL for reading."""
    system, path = located(url)
    try:
        return cast(BinaryIO, system.open(path, "rb"))
    except Exception as error:
        # Each service has its own exceptions.
        raise DataError(f"cannot be opened: {_describe(error)}", file=url) from error


@contextmanager
def write_url(url: str) -> Iterator[BinaryIO]:
    """Write a file that appears only when the block succeeds."""
    system, path = located(url)
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/.{name}.{uuid.uuid4().hex}"
    try:
        system.makedirs(folder, exist_ok=True)
        with system.open(temporary, "wb") as stream:
            yield stream
        system.mv(temporary, path)
    except OSError as error:
        raise OutputError(url, _describe(error)) from error
    finally:
        if system.exists(temporary):
            system.rm(temporary)


def located(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingResourceError(
            f"{url}: files by URL need fsspec: pip install 'rubrica[remote]'"
        ) from error
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingResourceError(f"{url}: {_describe(error)}") from error
    except ValueError as error:
        raise DataError(_describe(error), file=url) from error
    return system, str(path)


def _describe(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
