"""One small input for every reader: what the contract and the hostile tests run on."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers.base import DatasetReader
from support.dataset_samples import duc as ducview


@dataclass(frozen=True)
class Sample:
    """`files` are the input files in order, the last of them holding the summaries.

    Names in `config` that are keys of `aside` stand for files that parameters name.
    """

    files: dict[str, bytes]
    ids: list[str]
    config: dict[str, Any] = field(default_factory=dict)
    aside: dict[str, bytes] = field(default_factory=dict)
    # Whether an instance comes before the whole file was looked at; Parquet has its index at the end.
    streams: bool = True

    def write(self, folder: Path, change: Any = lambda name, data: data) -> list[str]:
        """Put all files in a folder, their bytes changed; the paths of the input files."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in {**self.aside, **self.files}.items():
            (folder / name).write_bytes(change(name, data))
        return [str(folder / name) for name in self.files]

    def reader(self, name: str, folder: Path) -> DatasetReader:
        """The reader with the sample's parameters."""

        def found(value: Any) -> Any:
            if isinstance(value, list):
                return [found(one) for one in value]
            return str(folder / value) if value in self.aside else value

        return DatasetReader.from_config(
            {"type": name, **{key: found(value) for key, value in self.config.items()}}
        )


@contextmanager
def standard_input(data: bytes) -> Iterator[None]:
    """Let standard input be these bytes."""
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(data))):
        yield


def contents(instances: list[EvalInstance]) -> list[Any]:
    """What is compared where file names, and so system names, may differ."""
    return [(one.instance_id, one.summarizer_type, one.fields) for one in instances]


def jsonl(*rows: dict[str, Any]) -> bytes:
    """Rows as JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def parquet(*rows: dict[str, Any]) -> bytes:
    """Rows as a Parquet file."""
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), out)
    return out.getvalue()


def arrow(*rows: dict[str, Any]) -> bytes:
    """Rows as an Arrow file."""
    import pyarrow

    table = pyarrow.Table.from_pylist(list(rows))
    out = io.BytesIO()
    with pyarrow.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def workbook(*rows: dict[str, Any]) -> bytes:
    """Rows as the first sheet of a workbook."""
    book = import_module("openpyxl").Workbook()
    for cells in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def row(name: str, **more: Any) -> dict[str, Any]:
    """A row of SacreROUGE's schema."""
    return {"instance_id": name, "summarizer_id": "s", "summarizer_type": "peer", **more}


IDS = ["d2", "d10", "d1"]
TEXT = {"text": ["It rained.", "All day."]}
REFERENCES = [{"text": "Rain."}, {"text": ["It was wet.", "Quite."]}]
PART = {"text": "Rain", "start": 0, "end": 4}
SCU = {"scu_id": 1, "label": "rain", "contributors": [{"label": "Rain", "parts": [PART]}]}
SUMMARIES = jsonl(*(row(i, summary=TEXT, references=REFERENCES, document=TEXT) for i in IDS))
FLAT = [{"id": i, "system": "s", "pred": "It rained.", "ref": "Rain."} for i in IDS]


def pyramid(name: str) -> dict[str, Any]:
    """A pyramid of two references that share a content unit."""
    both = [{"summary_index": n, "label": "Rain", "parts": [PART]} for n in (0, 1)]
    scu = {"scu_id": 1, "label": "rain", "contributors": both}
    names = {"summarizer_ids": ["A", "B"], "summaries": ["Rain fell.", "Rain."]}
    return {"instance_id": name, **names, "scus": [scu]}


PYR = ducview.pyramid(
    "D0801-A", {"A": "Cats sleep.", "B": "Dogs bark."}, ducview.scu(3, "pets", "Cats", "Dogs")
)

SAMPLES = {
    "reference-based": Sample({"a.jsonl": SUMMARIES}, IDS),
    "document-based": Sample({"a.jsonl": SUMMARIES}, IDS),
    "reference-document-based": Sample({"a.jsonl": SUMMARIES}, IDS),
    "query-document-based": Sample(
        {"a.jsonl": jsonl(*(row(i, summary=TEXT, document=TEXT, query="Why?") for i in IDS))}, IDS
    ),
    "summary-only": Sample({"a.jsonl": SUMMARIES}, IDS),
    "split-document-based": Sample(
        {
            "docs.jsonl": jsonl(*({"instance_id": i, "document": TEXT} for i in sorted(IDS))),
            "a.jsonl": SUMMARIES,
        },
        IDS,
    ),
    "split-reference-based": Sample(
        {
            "refs.jsonl": jsonl(*({"instance_id": i, "references": [TEXT]} for i in sorted(IDS))),
            "a.jsonl": SUMMARIES,
        },
        IDS,
    ),
    "pyramid-based": Sample(
        {
            "pyramids.jsonl": jsonl(*map(pyramid, IDS)),
            "a.jsonl": jsonl(*(row(i, summary="Rain now.", scus=[SCU]) for i in IDS)),
        },
        IDS,
        # Those of the references come after all files, not file by file.
        {"include_reference_annotations": False},
    ),
    "ducview": Sample(
        {
            "pyramids.pyr": PYR.encode(),
            "D0801-A.M.100.A.12.pan": ducview.annotation(
                PYR, "Cats now.", ducview.peerscu(3, "pets", "Cats", 0)
            ).encode(),
        },
        ["D0801-A"],
        {"include_reference_annotations": False, "default_summarizer_id": "12"},
        streams=False,
    ),
    "votes-based": Sample(
        {"a.jsonl": jsonl(*(row(i, votes=[[1, 0, True], {"answers": ["p", None]}]) for i in IDS))},
        IDS,
    ),
    "text": Sample(
        {"a.txt": b"It rained.\n\nIt was wet.\n"},
        ["1", "2", "3"],
        {"references": ["r1.txt", "r2.txt"], "documents": ["d.txt"], "sentences": "none"},
        {"r1.txt": b"a\nb\nc\n", "r2.txt": b"d\ne\nf", "d.txt": b"g\r\nh\r\ni\r\n"},
    ),
    "csv": Sample(
        {"a.csv": b"id,pred,ref\n" + b"".join(b'%s,"a, b",c\n' % i.encode() for i in IDS)}, IDS
    ),
    "jsonl": Sample({"a.jsonl": jsonl(*FLAT)}, IDS),
    "json": Sample({"a.json": json.dumps(FLAT).encode()}, IDS, streams=False),
    "arrow": Sample({"a.arrow": arrow(*FLAT)}, IDS, streams=False),
    "parquet": Sample({"a.parquet": parquet(*FLAT)}, IDS, streams=False),
    "xlsx": Sample({"a.xlsx": workbook(*FLAT)}, IDS, streams=False),
}
