"""Fetching resources: from a path or over the network, resumable, verified, moved into place atomically."""

from __future__ import annotations

import http.client
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from rubrica.data.resource import Resource, verify
from rubrica.errors import MissingResourceError
from rubrica.neural.progress import report

_BLOCK = 1 << 20
_NO_SUCH_RANGE = 416


def fetch(
    resource: Resource,
    target: Path,
    *,
    source: str | os.PathLike[str] | None = None,
    offline: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Put the verified resource at `target`: copied from `source` (a file or its folder) or downloaded.

    An interrupted download continues where it stopped. An existing file with the right hash is kept.
    """
    if target.exists():
        verify(target, resource)
        say(f"{resource.name}: there already, verified")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    if source is not None:
        path = Path(source)
        path = path / resource.name if path.is_dir() else path
        if not path.is_file():
            raise MissingResourceError(f"{path}: no such file; it should be {resource.name}")
        verify(path, resource)
        shutil.copyfile(path, partial)
    elif offline:
        raise MissingResourceError(
            f"{resource.name} is missing, and --offline forbids downloads; "
            "pass its path with --from PATH"
        )
    else:
        say(f"{resource.name}: {resource.size / 1e6:,.1f} MB from {resource.url}")
        _download(resource, partial)
    try:
        verify(partial, resource)
    except Exception:
        # Wrong bytes must not be taken up again.
        partial.unlink()
        raise
    os.replace(partial, target)
    say(f"{resource.name}: verified, {target}")


def _download(resource: Resource, partial: Path) -> None:
    place = urllib.parse.urlsplit(resource.url)
    if place.scheme != "https" and (place.scheme, place.hostname) != ("http", "127.0.0.1"):
        raise MissingResourceError(f"{resource.name}: refusing to fetch from {resource.url}")
    have = partial.stat().st_size if partial.exists() else 0
    if have >= resource.size:
        # All of it came before the last run was killed; a server refuses to send what follows.
        return
    request = urllib.request.Request(resource.url)
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            resumed = have and answer.status == 206
            with open(partial, "ab" if resumed else "wb") as stream:
                written = have if resumed else 0
                while block := answer.read(_BLOCK):
                    written += len(block)
                    if written > resource.size:
                        raise MissingResourceError(
                            f"{resource.name}: the server sends more than {resource.size:,} bytes"
                        )
                    stream.write(block)
                    report(f"bytes of {resource.name}", written, resource.size)
        if written < resource.size:
            # A connection that is closed early looks like the end of the file.
            raise ConnectionError(f"it broke off after {written:,} of {resource.size:,} bytes")
    except (http.client.HTTPException, OSError) as error:
        if isinstance(error, urllib.error.HTTPError):
            # It is a response as well, with a connection.
            error.close()
            if have and error.code == _NO_SUCH_RANGE:
                # The server has another, shorter file now: to go on would fail for ever.
                partial.unlink()
        raise MissingResourceError(
            f"{resource.name} could not be fetched from {resource.url}: {error}; "
            "try again (the download continues where it stopped), or pass a copy with --from PATH"
        ) from error
