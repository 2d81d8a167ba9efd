"""REALSumm's pickles of scores: read as rows, and written from rows, without loss."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rubrica.data.files import atomic_output, open_binary
from rubrica.data.formats.safe_pickle import read_pickle
from rubrica.data.metrics import MetricsDict
from rubrica.errors import DataError
from rubrica.study.preprocess import text_digest
from rubrica.study.realsumm import old_scores
from rubrica.study.rows import StudyRow
from rubrica.text.tags import is_stand_in, sentences_of, tagged

# A released file has 1.2 MB; beyond this something else is meant.
LARGEST = 1 << 30


def _read(path: str) -> Any:
    with open_binary(path) as stream:
        data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise DataError(f"more than {LARGEST >> 20} MiB", file=path)
    return read_pickle(data, path)


def read_score_dict(path: str, split: str = "") -> Iterator[StudyRow]:
    """Yield the rows of a score dict.

    The dict is `{doc: {ref_summ, system_summaries: {key: {system_summary, scores}}}}`. Ids are
    `SPLIT/KEY` without `.txt`. The dict has one reference per document, which need not be the one
    that a system was scored against: rows carry its text, but no digest of it.
    """
    content = _read(path)
    if not isinstance(content, dict) or not content:
        raise DataError("expected a dict of documents", file=path)
    for doc, entry in content.items():
        systems = entry.get("system_summaries") if isinstance(entry, dict) else None
        if not isinstance(systems, dict):
            raise DataError(f"document {doc!r} has no system_summaries", file=path)
        reference = entry.get("ref_summ", "")
        if not isinstance(reference, str):
            raise DataError(f"ref_summ of document {doc!r} is not a text", file=path)
        for key, system in systems.items():
            where = f"system {key!r} of document {doc!r}"
            if not isinstance(system, dict) or not isinstance(system.get("system_summary"), str):
                raise DataError(f"{where} has no system_summary", file=path)
            yield _row(path, str(doc), str(key), split, system, reference, where)


def _row(
    path: str, doc: str, key: str, split: str, system: dict[str, Any], reference: str, where: str
) -> StudyRow:
    scores = system.get("scores", {})
    if not isinstance(scores, dict) or not all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in scores.values()
    ):
        raise DataError(f"{where} has scores that are no numbers", file=path)
    for name, score in scores.items():
        # NaN is a score that is absent; infinity (or an integer beyond all doubles) is none.
        if abs(score) > sys.float_info.max:
            raise DataError(f"{where} has an infinite {name!r}", file=path)
    text = system["system_summary"]
    sentences = _sentences(text)
    name = key.removesuffix(".txt")
    return StudyRow(
        instance_id=doc,
        summarizer_id=f"{split}/{name}" if split else name,
        summarizer_type="peer",
        metrics=MetricsDict({str(k): float(v) for k, v in scores.items()}),
        summary_digest=text_digest(" ".join(sentences)),
        origin=f"imported from {path.rpartition('/')[2]}",
        summary=sentences,
        references=[_sentences(reference)] if reference else None,
        tagged_summary=None if text == _tagged(sentences) else text,
        tagged_reference=None if reference == _tagged(_sentences(reference)) else reference,
    )


def _sentences(text: str) -> list[str]:
    """Return the sentences that were scored: REALSumm's reader drops one that is cut off within its tag."""
    if is_stand_in(text):
        return []
    return sentences_of(text, "realsumm") or sentences_of(text, "repair")


def _tagged(sentences: Sequence[str]) -> str:
    try:
        return tagged(sentences).strip()
    except DataError:  # an inner tag was read as text
        return ""


def write_score_dict(path: str, rows: Iterable[StudyRow], ids: Sequence[str] | None = None) -> int:
    """Write rows as REALSumm's dict and return the number of rows.

    A document is numbered by its line in `ids`, or else by its own id if that is a number; another
    id stays as it is. Rows must hold their texts. `ref_summ` is the first system's reference, since
    the format has room for one. Two systems that would get one key are refused.
    """
    numbers = None if ids is None else {name: number for number, name in enumerate(ids)}
    content: dict[int | str, dict[str, Any]] = {}
    owners: dict[str, str] = {}
    count = 0
    for row in rows:
        if row.summary is None:
            raise DataError(f"the row of {row.key} has no text; score without --no-texts")
        doc = _document(row.instance_id, numbers)
        first = row.references[0] if row.references else []
        reference = _tagged(first) if row.tagged_reference is None else row.tagged_reference
        entry = content.setdefault(
            doc, {"doc_id": doc, "ref_summ": reference, "system_summaries": {}}
        )
        key = f"{row.summarizer_id.rpartition('/')[2]}.txt"
        if owners.setdefault(key, row.summarizer_id) != row.summarizer_id:
            raise DataError(
                f"{owners[key]} and {row.summarizer_id} would both be {key!r} in the dict; export "
                "ext and abs into files of their own (--split)"
            )
        text = tagged(row.summary).strip() if row.tagged_summary is None else row.tagged_summary
        scores = old_scores(row.values(), row.signatures)
        entry["system_summaries"][key] = {"system_summary": text, "scores": scores}
        count += 1
    with atomic_output(path) as stream:
        pickle.dump(content, stream, protocol=3)
    return count


def _document(name: str, numbers: Mapping[str, int] | None) -> int | str:
    if numbers is not None:
        if name not in numbers:
            raise DataError(f"document {name!r} is not in the file of ids (--ids)")
        return numbers[name]
    is_number = name.isdecimal() and name.isascii() and (name == "0" or name[0] != "0")
    return int(name) if is_number else name
