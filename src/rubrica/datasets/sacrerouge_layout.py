"""The layout of SacreROUGE: a data set's files under the names and in the schema that its readers write.

Rows are in the order of their ids. One file has a summary's human and published scores together, one a task's
documents and references; texts are those of Rubrica's own files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias

from rubrica.datasets.output import Output
from rubrica.errors import ParameterError

Row: TypeAlias = dict[str, Any]
_IDS = ("instance_id", "summarizer_id", "summarizer_type")


def use_sacrerouge_layout(name: str, out: Output) -> None:
    """Replace the files of a data set by those of SacreROUGE's reader of that name."""
    if name not in LAYOUTS:
        raise ParameterError(
            f"data set {name!r} has no layout 'sacrerouge'; there are: {', '.join(LAYOUTS)}"
        )
    written = {file: list(out.read(file)) for file in out.files}
    for file in written:
        out.drop(file)
    for file, rows in LAYOUTS[name](written):
        out.write(file, rows)


Files: TypeAlias = dict[str, list[Row]]
Layout: TypeAlias = Callable[[Files], Iterator[tuple[str, Iterable[Row]]]]


def _nist(files: Files, blank: bool = True) -> Iterator[tuple[str, Iterable[Row]]]:
    """Write DUC and TAC: inputs, summaries, all scores, pyramids and annotations of each task.

    `blank` keeps rows of summaries without a text.
    """
    for task in _tasks(files):
        documents = files.get(f"{task}.documents.jsonl", [])
        references = {row["instance_id"]: row for row in files.get(f"{task}.references.jsonl", [])}
        yield f"{task}.jsonl", (_input(row, references) for row in documents)
        rows = files.get(f"{task}.summaries.jsonl", [])
        summaries = sorted(
            (row for row in rows if blank or row["summary"]["text"]),
            # Where A and B are in one file, a system's summaries are side by side.
            key=_side_by_side if "-" in task else _key,
        )
        # A task without human scores has no peers in SacreROUGE.
        if f"{task}.metrics.jsonl" in files:
            scores = _scores(files, f"{task}.metrics.jsonl", f"{task}.published-metrics.jsonl")
            yield f"{task}.summaries.jsonl", map(_summary, summaries)
            yield f"{task}.metrics.jsonl", (_scored(row, scores) for row in summaries)
        for kind in ("pyramids", "pyramid-annotations"):
            if f"{task}.{kind}.jsonl" in files:
                rows = files[f"{task}.{kind}.jsonl"]
                yield f"{task}.{kind}.jsonl", (row for row in rows if row.get("summary") != "")


def _chaganty(files: Files) -> Iterator[tuple[str, Iterable[Row]]]:
    """Write references as summaries without references, and all scores below one key."""
    yield "documents.jsonl", files["documents.jsonl"]
    alone = files.get("sole-references.summaries.jsonl", [])
    rows = [*files["summaries.jsonl"], *({**row, "references": []} for row in alone)]
    summaries = sorted(rows, key=_key)
    yield "summaries.jsonl", map(_summary, summaries)
    human = _scores(files, "metrics.jsonl", "sole-references.metrics.jsonl")
    published = _scores(files, "published-metrics.jsonl", "sole-references.published-metrics.jsonl")

    def scored(row: Row) -> Row:
        scores = human.get(_key(row), {}).get("chaganty2018", {})
        return {
            **_ids(row),
            "metrics": {"chaganty2018": {**scores, **published.get(_key(row), {})}},
        }

    yield "metrics.jsonl", map(scored, summaries)


def _vasilyev(files: Files) -> Iterator[tuple[str, Iterable[Row]]]:
    """Write ids from 0, rows in the order of the raw file, each with its document."""
    for part in _tasks(files):
        for kind in ("summaries", "metrics"):
            files[f"{part}.{kind}.jsonl"].sort(key=lambda row: int(row["summarizer_id"]))
        texts = {
            row["instance_id"]: row["documents"][0] for row in files[f"{part}.documents.jsonl"]
        }
        yield (
            f"{part}.summaries.jsonl",
            (
                {
                    **_ids(row, less=1),
                    "summary": row["summary"],
                    "document": texts[row["instance_id"]],
                }
                for row in files[f"{part}.summaries.jsonl"]
            ),
        )
        rows = files[f"{part}.metrics.jsonl"]
        yield (
            f"{part}.metrics.jsonl",
            ({**_ids(row, less=1), "metrics": row["metrics"]} for row in rows),
        )


def _bhandari(files: Files) -> Iterator[tuple[str, Iterable[Row]]]:
    """Write files with the part's name last, rows with their documents."""
    for part in _tasks(files):
        documents = {
            row["instance_id"]: row["documents"] for row in files[f"{part}.documents.jsonl"]
        }
        summaries = files[f"{part}.summaries.jsonl"]
        yield (
            f"summaries-{part}.jsonl",
            (
                {
                    **_ids(row),
                    "references": _references(row),
                    "summary": row["summary"],
                    "documents": documents[row["instance_id"]],
                }
                for row in summaries
            ),
        )
        scores = _scores(files, f"{part}.published-metrics.jsonl", f"{part}.metrics.jsonl")
        yield f"metrics-{part}.jsonl", (_scored(row, scores) for row in summaries)


LAYOUTS: dict[str, Layout] = {
    "bhandari2020": _bhandari,
    "chaganty2018": _chaganty,
    "duc2004": _nist,
    "duc2005": partial(_nist, blank=False),
    **dict.fromkeys(("duc2006", "duc2007"), _nist),
    **dict.fromkeys(("tac2008", "tac2009", "tac2010", "tac2011"), _nist),
    "vasilyev2020": _vasilyev,
}


def _tasks(files: Files) -> list[str]:
    """Return the prefixes of the files of documents."""
    return [
        name.removesuffix(".documents.jsonl") for name in files if name.endswith(".documents.jsonl")
    ]


def _input(row: Row, references: dict[str, Row]) -> Row:
    """Return one input: topic and selector, documents, references."""
    facts = {key: value for key, value in row.items() if key not in ("instance_id", "documents")}
    documents = [
        {"filename" if key == "name" else key: value for key, value in document.items()}
        for document in row["documents"]
    ]
    known = references.get(row["instance_id"], {"references": []})["references"]
    summaries = [
        {"annotator": reference["summarizer_id"], "text": reference["text"]} for reference in known
    ]
    ids = {"instance_id": row["instance_id"]}
    return {**ids, **facts, "documents": documents, "summaries": summaries}


def _summary(row: Row) -> Row:
    """Return one summary; it and its references name their authors."""
    system = {key: row[key] for key in _IDS[1:]}
    text = row["summary"]["text"]
    return {**_ids(row), "summary": {**system, "text": text}, "references": _references(row)}


def _references(row: Row) -> list[Row]:
    return [
        {
            "summarizer_id": reference["summarizer_id"],
            "summarizer_type": "reference",
            "text": reference["text"],
        }
        for reference in row.get("references", [])
    ]


def _scores(files: Files, *names: str) -> dict[tuple[str, str], Row]:
    """Return all scores of each summary, from both files of scores."""
    metrics: dict[tuple[str, str], Row] = {}
    for name in names:
        for row in files.get(name, []):
            metrics.setdefault(_key(row), {}).update(row["metrics"])
    return metrics


def _scored(row: Row, scores: dict[tuple[str, str], Row]) -> Row:
    return {**_ids(row), "metrics": scores.get(_key(row), {})}


def _key(row: Row) -> tuple[str, str]:
    return row["instance_id"], row["summarizer_id"]


def _side_by_side(row: Row) -> tuple[str, ...]:
    return row["instance_id"].rpartition("-")[0], row["summarizer_id"], row["instance_id"]


def _ids(row: Row, less: int = 0) -> Row:
    """Return the ids of a row; `less` is subtracted from those that are numbers."""
    ids = {key: row[key] for key in _IDS}
    if less:
        ids |= {key: str(int(row[key]) - less) for key in _IDS[:2]}
    return ids
