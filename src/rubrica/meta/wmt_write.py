"""The WMT metrics task's layout, written: so that mt-metrics-eval can read our scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from rubrica.data.files import atomic_output
from rubrica.data.table import ScoreTable
from rubrica.data.wmt import NO_OUTPUT
from rubrica.errors import DataError, MismatchError


def write_wmt(
    table: ScoreTable,
    root: str | os.PathLike[str],
    pair: str,
    *,
    human: Mapping[str, str],
    metrics: Mapping[str, str],
    documents: Sequence[tuple[str, str]] | None = None,
) -> list[Path]:
    """Write a table in the layout of the WMT metrics task: segment scores, and their means as system scores.

    The table's inputs become the segments, in their order.

    Args:
        table: Scores of systems, inputs and measures.
        root: Folder to write to.
        pair: Language pair, such as `en-de`.
        human: Measures of people with their names in the layout.
        metrics: Measures of metrics with their names in the layout. A name ends in the reference that the metric used:
            `{"rouge-1.f1": "ROUGE-1-refA"}` (`-src` without a reference, `-all` for all).
        documents: Domain and document of each input (default: every input is its own document).

    Returns:
        The files written.

    Raises:
        DataError: A name does not fit the layout, or a metric lacks a score.
        MismatchError: There is not one document per input.

    Example:
        >>> import rubrica as rb
        >>> from rubrica.meta import write_wmt
        >>> rows = [rb.Metrics(str(i), s, "peer", {"rouge": 0.5, "mqm": i}) for s in "ab" for i in range(2)]
        >>> table = rb.ScoreTable.from_metrics(rows, ["rouge", "mqm"])
        >>> files = write_wmt(table, "wmt", "en-en", human={"mqm": "mqm"}, metrics={"rouge": "ROUGE-refA"})
        >>> sorted(file.name for file in files)
        ['ROUGE-refA.seg.score', 'ROUGE-refA.sys.score', 'en-en.docs', 'en-en.mqm.seg.score', 'en-en.mqm.sys.score']
    """
    _check_words([pair, *table.systems, *human.values(), *metrics.values()])
    if "." in pair:
        raise DataError(f"a dot in the language pair {pair!r}")
    for name in metrics.values():
        if "-" not in name:
            raise DataError(f"metric name {name!r} lacks its reference: write {name + '-refA'!r}")
    base, written = Path(root), []
    for measure, name in human.items():
        written += _write_scores(table, measure, base / "human-scores", f"{pair}.{name}", True)
    for measure, name in metrics.items():
        written += _write_scores(table, measure, base / "metric-scores" / pair, name, False)
    docs = documents or [("summary", _word(input_id)) for input_id in table.inputs]
    if len(docs) != len(table.inputs):
        raise MismatchError(f"{len(docs)} documents for {len(table.inputs)} inputs")
    _check_words([word for line in docs for word in line])
    runs = [name for name, _ in groupby(document for _, document in docs)]
    if len(set(runs)) != len(runs):
        raise DataError("the inputs of a document must follow one another in the WMT layout")
    lines = [f"{domain} {document}" for domain, document in docs]
    written.append(_write(base / "documents" / f"{pair}.docs", lines))
    return written


def write_texts(
    outputs: Mapping[str, Sequence[str | None]],
    root: str | os.PathLike[str],
    pair: str,
    *,
    sources: Sequence[str] | None = None,
    references: Mapping[str, Sequence[str]] | None = None,
) -> list[Path]:
    """Write each system's texts in segment order, and with them sources and named references.

    None is "nothing supplied". A line end inside a text would shift the segments: it becomes a
    blank. mt-metrics-eval needs sources and at least one reference to open a set.
    """
    base = Path(root)
    _check_words([pair, *outputs, *(references or {})])
    files: dict[Path, Sequence[str | None]] = {
        base / "system-outputs" / pair / f"{system}.txt": texts for system, texts in outputs.items()
    }
    if sources is not None:
        files[base / "sources" / f"{pair}.txt"] = sources
    for name, texts in (references or {}).items():
        if set(name) & set(".-") or name in ("all", "src"):
            raise DataError(f"a reference may not be called {name!r} in the WMT layout")
        files[base / "references" / f"{pair}.{name}.txt"] = texts
    if len({len(texts) for texts in files.values()}) > 1:
        raise MismatchError("systems, sources and references have different numbers of texts")
    return [
        _write(path, [NO_OUTPUT if text is None else " ".join(text.splitlines()) for text in texts])
        for path, texts in files.items()
    ]


def _write_scores(
    table: ScoreTable, measure: str, folder: Path, name: str, human: bool
) -> list[Path]:
    matrix = table.matrix(measure)
    if not human and np.isnan(matrix).any():
        s, i = np.argwhere(np.isnan(matrix))[0].tolist()
        raise DataError(
            f"no {measure} of {table.systems[s]!r} on {table.inputs[i]!r}; "
            "the WMT layout needs every metric score"
        )
    segments = [
        f"{system}\t{_number(value)}"
        for system, row in zip(table.systems, matrix.tolist(), strict=True)
        for value in row
    ]
    means = [
        f"{system}\t{_number(float(row[~np.isnan(row)].mean()) if (~np.isnan(row)).any() else np.nan)}"
        for system, row in zip(table.systems, matrix, strict=True)
    ]
    return [
        _write(folder / f"{name}.seg.score", segments),
        _write(folder / f"{name}.sys.score", means),
    ]


def _number(value: float) -> str:
    return "None" if value != value else repr(value)


def _word(text: str) -> str:
    """An id without blanks."""
    return "_".join(text.split()) or "_"


def _check_words(words: Iterable[str]) -> None:
    for word in words:
        if not word or word.split() != [word] or "/" in word or word.startswith("."):
            raise DataError(f"{word!r} cannot be a name in the WMT layout: no blanks, no slashes")


def _write(path: Path, lines: Sequence[str]) -> Path:
    with atomic_output(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
    return path
