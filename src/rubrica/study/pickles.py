"""REALSumm's pickles: read without running anything that is in them, and written.

A pickle is a program. Of its instructions only those that build plain values are obeyed: no name
is imported. Numpy's scalars, which the released files hold, are rebuilt here from their bytes.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rubrica.data.files import atomic_output, open_binary
from rubrica.errors import DataError
from rubrica.study.preprocess import text_digest
from rubrica.study.rows import StudyRow
from rubrica.study.tags import is_stand_in, sentences_of, tagged

# A released file has 1.2 MB; beyond this something else is meant.
LARGEST = 1 << 30
_FORMATS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
            "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}  # fmt: skip


class _Dtype:
    """What is needed of numpy.dtype: a kind and size, and the byte order of its state."""

    def __init__(self, name: Any = "", *_: Any) -> None:
        text = name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)
        self.order = text[0] if text[:1] in "<>|=" else "<"
        self.name = text.lstrip("<>|=")

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.order = state[1]


def _scalar(dtype: Any = None, data: Any = b"") -> Any:
    """A numpy scalar from its bytes, as a Python number."""
    form = _FORMATS.get(dtype.name) if isinstance(dtype, _Dtype) else None
    raw = data.encode("latin-1") if isinstance(data, str) else data
    if form is None or not isinstance(raw, bytes):
        raise pickle.UnpicklingError("a numpy scalar that is no plain number")
    try:
        return struct.unpack((">" if dtype.order == ">" else "<") + form, raw)[0]
    except struct.error as error:
        raise pickle.UnpicklingError(f"a damaged numpy scalar: {error}") from error


def _latin_bytes(text: Any = "", encoding: Any = "latin1") -> bytes:
    """How protocols below 3 write bytes."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise pickle.UnpicklingError("bytes in another encoding than Latin-1")
    return text.encode("latin-1")


class _Callable:
    """A function of ours that a pickle may call and cannot change: it takes no state."""

    __slots__ = ("_function",)

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __setstate__(self, state: Any) -> None:
        raise pickle.UnpicklingError("it would change a function")


_ALLOWED: dict[tuple[str, str], _Callable] = {
    ("numpy", "dtype"): _Callable(_Dtype),
    ("numpy.core.multiarray", "scalar"): _Callable(_scalar),
    ("numpy._core.multiarray", "scalar"): _Callable(_scalar),
    ("_codecs", "encode"): _Callable(_latin_bytes),
}


class _Restricted(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}") from None

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("it asks for an object from elsewhere")


def read_pickle(path: str) -> Any:
    """The plain values of a pickle; one that asks for anything else is refused."""
    with open_binary(path) as stream:
        data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise DataError(f"more than {LARGEST >> 20} MiB", file=path)
    try:
        # Before anything is built: every name the program would import.
        for code, argument, _ in pickletools.genops(data):
            if code.name in ("EXT1", "EXT2", "EXT4", "INST", "OBJ"):
                raise pickle.UnpicklingError(f"the instruction {code.name}")
            if code.name == "GLOBAL":
                module, _, name = str(argument).partition(" ")
                if (module, name) not in _ALLOWED:
                    raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        made = _Restricted(io.BytesIO(data)).load()
        _refuse_others(made)
        return made
    except (
        pickle.UnpicklingError, ValueError, EOFError, IndexError, KeyError, TypeError,
        AttributeError, UnicodeDecodeError, RecursionError, OverflowError, MemoryError,
    ) as error:  # fmt: skip
        raise DataError(
            f"not a pickle of plain scores: {error}. Nothing in it was run", file=path
        ) from error


def _refuse_others(made: Any) -> None:
    """Only values that JSON knows, and tuples and bytes: nothing of ours leaks out."""
    seen: set[int] = set()
    waiting = [made]
    while waiting:
        one = waiting.pop()
        if one is None or isinstance(one, (bool, int, float, str, bytes)) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple)):
            waiting += one
        else:
            raise pickle.UnpicklingError("it holds something that is no plain value")


def read_score_dict(path: str, split: str = "") -> Iterator[StudyRow]:
    """The rows of a score dict: `{doc: {ref_summ, system_summaries: {key: {system_summary, scores}}}}`.

    Ids are `SPLIT/KEY` without `.txt`. The dict keeps one reference per document, not each system's
    own, so rows have no reference.
    """
    content = read_pickle(path)
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
        metrics={str(k): float(v) for k, v in scores.items()},
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
