"""Documents with human-written summaries: training and test sets, streamed to files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rubrica.data.instance import Text
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.errors import MismatchError


@dataclass(frozen=True, slots=True)
class Pair:
    """An input: its documents, each with `text`, and its one reference."""

    instance_id: str
    documents: Sequence[Mapping[str, Any]]
    reference: Text
    about: Mapping[str, Any] = field(default_factory=dict)


def write_pairs(
    out: Output,
    prefix: str,
    pairs: Iterable[Pair],
    *,
    file: RawFile | None = None,
    name: str = "reference",
) -> int:
    """Write `PREFIXdocuments.jsonl` and `PREFIXreferences.jsonl`; return the number of pairs.

    A second input with the same id is an error in `file`, or left out if malformed records are skipped.
    """
    seen: set[str] = set()
    with (
        out.opened(f"{prefix}documents.jsonl") as documents,
        out.opened(f"{prefix}references.jsonl") as references,
    ):
        for pair in pairs:
            if pair.instance_id in seen:
                message = f"two inputs with the id {pair.instance_id!r}"
                if file is None:
                    raise MismatchError(message)
                file.note(message)
                continue
            seen.add(pair.instance_id)
            row = {"instance_id": pair.instance_id, "documents": pair.documents, **pair.about}
            documents(row)
            reference = {"summarizer_id": name, "text": pair.reference}
            references({"instance_id": pair.instance_id, "references": [reference]})
    return len(seen)
