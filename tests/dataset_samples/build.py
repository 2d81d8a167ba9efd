"""Trees of files from nested mappings; a mapping under the name of an archive becomes one."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Tree = dict[str, Any]
_TAR = (".tgz", ".tar.gz", ".tar", ".tar.bz2")


def put(folder: Path, tree: Mapping[str, Any]) -> None:
    """Write a tree; values are texts, bytes, or further trees."""
    for name, content in tree.items():
        target = folder / name
        if isinstance(content, Mapping) and not name.endswith((*_TAR, ".zip")):
            target.mkdir(parents=True, exist_ok=True)
            put(target, content)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(encoded(name, content))


def encoded(name: str, content: Any) -> bytes:
    """The bytes of a file."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        plain = content.encode()
        return gzip.compress(plain, mtime=0) if name.endswith(".gz") else plain
    flat = dict(_flat(content))
    stream = io.BytesIO()
    if name.endswith(".zip"):
        with zipfile.ZipFile(stream, "w") as archive:
            for path, data in flat.items():
                archive.writestr(path, data)
    else:
        kind = "gz" if name.endswith(("gz",)) else "bz2" if name.endswith("bz2") else ""
        with tarfile.open(fileobj=stream, mode=f"w:{kind}") as tar:  # type: ignore[call-overload]
            for path, data in flat.items():
                member = tarfile.TarInfo(path)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def _flat(tree: Mapping[str, Any], above: str = "") -> list[tuple[str, bytes]]:
    found = []
    for name, content in tree.items():
        if isinstance(content, Mapping) and not name.endswith((*_TAR, ".zip")):
            found += _flat(content, f"{above}{name}/")
        else:
            found.append((above + name, encoded(name, content)))
    return found


def json_lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(header: Sequence[str], *rows: Sequence[Any], delimiter: str = ",") -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header, *rows])
    return stream.getvalue()
