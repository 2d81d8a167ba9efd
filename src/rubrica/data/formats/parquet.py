"""Opening Parquet and Arrow files: local or remote, compressed or not, with one error where pyarrow is missing."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from rubrica.data.files import open_binary
from rubrica.errors import MissingResourceError


def import_parquet() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module; a `MissingResourceError` where they are not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingResourceError(
            "Parquet files need pyarrow: pip install 'rubrica[parquet]'"
        ) from error
    return pyarrow, parquet


@contextmanager
def open_seekable(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open the file itself, or a temporary copy of what cannot be searched: stdin, compressed files."""
    with open_binary(path) as stream:
        if isinstance(getattr(stream, "raw", None), io.FileIO) and stream.seekable():
            yield stream
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield cast(BinaryIO, copy)


def arrow_batches(stream: BinaryIO) -> Iterator[Any]:
    """Yield the batches of an Arrow file, Arrow stream or Feather file, each checked: a forged offset would crash."""
    from pyarrow import ArrowInvalid, ipc

    magic = stream.read(6)
    stream.seek(0)
    if magic[:4] == b"FEA1":
        # pyarrow's reader of the old format crashes on damaged files.
        raise ArrowInvalid("it is of the old Feather format, version 1: write it again with pandas")
    if magic == b"ARROW1":
        reader = ipc.open_file(stream)
        batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
    else:
        batches = ipc.open_stream(stream)
    for batch in batches:
        batch.validate(full=True)
        yield batch
