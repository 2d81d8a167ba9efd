"""Files as an interrupted run leaves them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rubrica.data.scores.writer import RowWriter


def leave_rows(out: Path, run: str, rows: Sequence[bytes], torn: bytes = b"") -> None:
    """Write what a run leaves that was stopped after these rows; `torn` is the start of a row it was writing."""
    writer = RowWriter(out, run=run, overwrite=True)
    writer.write_lines(b"".join(rows))
    writer.close()
    if torn:
        with open(f"{out}.partial", "ab") as stream:
            stream.write(torn)


def run_of(out: Path) -> str:
    """Return the description of the run that left unfinished rows."""
    first, _, _ = Path(f"{out}.partial.run").read_text("utf-8").partition("\n")
    return str(json.loads(first)["run"])
