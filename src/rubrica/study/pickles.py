"""REALSumm's pickles of scores: rows of them, and they of rows."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rubrica.data.files import atomic_output, open_binary
from rubrica.data.metrics import MetricsDict
from rubrica.data.plain_pickle import read_plain_pickle
from rubrica.errors import DataError
from rubrica.study.preprocess import text_digest
from rubrica.study.rows import StudyRow
from rubrica.text.tags import is_stand_in, sentences_of, tagged

# A released file has 1.2 MB; beyond this something else is meant.
LARGEST = 1 << 30


def _read(path: str) -> Any:
    with open_binary(path) as stream:
        data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise DataError(f"more than {LARGEST >> 20} MiB", file=path)
    return read_plain_pickle(data, path)


def read_score_dict(path: str, split: str = "") -> Iterator[StudyRow]:
    """The rows of a score dict: `{doc: {ref_summ, system_summaries: {key: {system_summary, scores}}}}`.

    Ids are `SPLIT/KEY` without `.txt`. The dict keeps one reference per document, not each system's
    own, so rows have no reference.
    """
    content = _read(path)
    if not isinstance(content, dict) or not content:
        raise DataError("expected a dict of documents", file=path)
    for doc, entry in content.items():
        systems = entry.get("system_summaries") if isinstance(entry, dict) else None
        if not isinstance(systems, dict):
            raise DataError(f"document {doc!r} has no system_summaries", file=path)
        for key, one in systems.items():
            where = f"system {key!r} of document {doc!r}"
            if not isinstance(one, dict) or not isinstance(one.get("system_summary"), str):
                raise DataError(f"{where} has no system_summary", file=path)
            yield _row(path, str(doc), str(key), split, one, where)


def _row(path: str, doc: str, key: str, split: str, one: dict[str, Any], where: str) -> StudyRow:
    scores = one.get("scores", {})
    if not isinstance(scores, dict) or not all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in scores.values()
    ):
        raise DataError(f"{where} has scores that are no numbers", file=path)
    for name, score in scores.items():
        # NaN is a score that is absent; infinity (or an integer beyond all doubles) is none.
        if abs(score) > sys.float_info.max:
            raise DataError(f"{where} has an infinite {name!r}", file=path)
    text = one["system_summary"]
    # What its scores are of: its own reader drops a last sentence that was cut off within its tag.
    sentences = [] if is_stand_in(text) else sentences_of(text, "realsumm")
    if not sentences and not is_stand_in(text):
        sentences = sentences_of(text, "repair")
    name = key.removesuffix(".txt")
    return StudyRow(
        instance_id=doc,
        summarizer_id=f"{split}/{name}" if split else name,
        summarizer_type="peer",
        metrics=MetricsDict({str(k): float(v) for k, v in scores.items()}),
        summary_digest=text_digest(" ".join(sentences)),
        origin=f"imported from {path.rpartition('/')[2]}",
        summary=sentences,
    )


# Our measures under REALSumm's keys, and what ours is multiplied by.
_OLD_NAMES = {
    **{
        f"rouge-{n}.{ours}": (f"rouge_{n}_{theirs}", 0.01)
        for n in ("1", "2", "l")
        for ours, theirs in (("recall", "recall"), ("precision", "precision"), ("f1", "f_score"))
    },
    **{
        f"bertscore.{ours}": (f"bert_{theirs}_score", 1.0)
        for ours, theirs in (("recall", "recall"), ("precision", "precision"), ("f1", "f"))
    },
    "MoverScore": ("mover_score", 1.0),
    "js-2": ("js-2", 1.0),
    "rouge-we-1.f1": ("rouge_1_we", 1.0),
}


def write_score_dict(path: str, rows: Iterable[StudyRow]) -> int:
    """Write rows as REALSumm's dict, doc ids in order of appearance from 0; the number of rows.

    Rows must hold their texts. `ref_summ` is the first system's reference, since the format has
    room for one. Two systems that would get one key are refused.
    """
    docs: dict[str, int] = {}
    made: dict[int, dict[str, Any]] = {}
    owners: dict[str, str] = {}
    count = 0
    for row in rows:
        if row.summary is None:
            raise DataError(f"the row of {row.key} has no text; score without --no-texts")
        doc = docs.setdefault(row.instance_id, len(docs))
        first = row.references[0] if row.references else []
        entry = made.setdefault(
            doc, {"doc_id": doc, "ref_summ": tagged(first).strip(), "system_summaries": {}}
        )
        key = f"{row.summarizer_id.rpartition('/')[2]}.txt"
        if owners.setdefault(key, row.summarizer_id) != row.summarizer_id:
            raise DataError(
                f"{owners[key]} and {row.summarizer_id} would both be {key!r} in the dict; export "
                "ext and abs into files of their own (--split)"
            )
        scores = {}
        for name, value in row.values().items():
            old, factor = _OLD_NAMES.get(name, (name.replace(".", "_"), 1.0))
            scores[old] = value * factor
        entry["system_summaries"][key] = {
            "system_summary": tagged(row.summary).strip(), "scores": scores,
        }  # fmt: skip
        count += 1
    with atomic_output(path) as stream:
        pickle.dump(made, stream, protocol=3)
    return count
