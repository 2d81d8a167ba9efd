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
from xml.sax.saxutils import escape

Tree = dict[str, Any]
_TAR = (".tgz", ".tar.gz", ".tar", ".tar.bz2")
ARCHIVES = (*_TAR, ".zip")


def put(folder: Path, tree: Mapping[str, Any]) -> None:
    """Write a tree; values are texts, bytes, or further trees."""
    for name, content in tree.items():
        target = folder / name
        if isinstance(content, Mapping) and not name.endswith(ARCHIVES):
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
        if isinstance(content, Mapping) and not name.endswith(ARCHIVES):
            found += _flat(content, f"{above}{name}/")
        else:
            found.append((above + name, encoded(name, content)))
    return found


def json_lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """An .xlsx of tables: texts in their cells, as pandas writes them; None is no cell."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    names = "".join(
        f'<sheet xmlns:r="{relations}" name="{name}" sheetId="{n}" r:id="rId{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    # Parts are named from the top, with a slash.
    targets = "".join(
        f'<Relationship Target="/xl/worksheets/sheet{n}.xml" Id="rId{n}"/>'
        for n in range(1, len(sheets) + 1)
    )
    parts = {
        "xl/workbook.xml": f"<workbook {main}><sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships>{targets}</Relationships>",
    }
    for n, rows in enumerate(sheets.values(), 1):
        lines = "".join(
            f'<row r="{r}">{"".join(_cell(f"{chr(65 + c)}{r}", v) for c, v in enumerate(row))}</row>'
            for r, row in enumerate(rows, 1)
        )
        sheet = f"<worksheet {main}><sheetData>{lines}</sheetData></worksheet>"
        parts[f"xl/worksheets/sheet{n}.xml"] = sheet
    return encoded("x.zip", parts)


def _cell(place: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}" t="n"><v>{value}</v></c>'


def table(header: Sequence[str], *rows: Sequence[Any], delimiter: str = ",") -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header, *rows])
    return stream.getvalue()
