"""SacreROUGE's files of benchmarks with human scores, and of documents with one reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.instance import flatten
from rubrica.datasets.sacrerouge.rows import (
    Files,
    Row,
    Written,
    by_input,
    collect_scores,
    references_of,
    renamed,
    row_ids,
    row_key,
    score_row,
    summary_row,
)

_LABELS = ("INCORRECT", "CORRECT")


def chaganty(files: Files) -> Written:
    """Write references as summaries without references, and all scores below one key."""
    yield "documents.jsonl", files["documents.jsonl"]
    alone = files.get("sole-references.summaries.jsonl", [])
    rows = [*files["summaries.jsonl"], *({**row, "references": []} for row in alone)]
    summaries = sorted(rows, key=row_key)
    yield "summaries.jsonl", map(summary_row, summaries)
    human = collect_scores(files, "metrics.jsonl", "sole-references.metrics.jsonl")
    published = collect_scores(
        files, "published-metrics.jsonl", "sole-references.published-metrics.jsonl"
    )

    def scored(row: Row) -> Row:
        scores = human.get(row_key(row), {}).get("chaganty2018", {})
        metrics = {"chaganty2018": {**scores, **published.get(row_key(row), {})}}
        return {**row_ids(row), "metrics": metrics}

    yield "metrics.jsonl", map(scored, summaries)


def vasilyev(files: Files) -> Written:
    """Write ids from 0, rows in the order of the raw file, each with its document."""
    for part in files.parts():
        for kind in ("summaries", "metrics"):
            files[f"{part}.{kind}.jsonl"].sort(key=lambda row: int(row["summarizer_id"]))
        texts = by_input(files, f"{part}.documents.jsonl")
        yield (
            f"{part}.summaries.jsonl",
            [
                {
                    **row_ids(row, less=1),
                    "summary": row["summary"],
                    "document": texts[row["instance_id"]]["documents"][0],
                }
                for row in files[f"{part}.summaries.jsonl"]
            ],
        )
        rows = files[f"{part}.metrics.jsonl"]
        yield (
            f"{part}.metrics.jsonl",
            [{**row_ids(row, less=1), "metrics": row["metrics"]} for row in rows],
        )


def bhandari(files: Files) -> Written:
    """Write files with the part's name last, rows with their documents."""
    for part in files.parts():
        inputs = by_input(files, f"{part}.documents.jsonl")
        summaries = files[f"{part}.summaries.jsonl"]
        yield (
            f"summaries-{part}.jsonl",
            [
                {
                    **row_ids(row),
                    "references": references_of(row),
                    "summary": row["summary"],
                    "documents": inputs[row["instance_id"]]["documents"],
                }
                for row in summaries
            ],
        )
        names = (f"{part}.published-metrics.jsonl", f"{part}.metrics.jsonl")
        scores = collect_scores(files, *names)
        yield f"metrics-{part}.jsonl", [score_row(row, scores) for row in summaries]


def fabbri(files: Files) -> Written:
    """Write each judged summary with its document, once with one reference and once with all."""
    inputs = by_input(files, "documents.jsonl")
    for file, name in (
        ("summaries.jsonl", "summaries.jsonl"),
        ("crowd.summaries.jsonl", "summaries-with-crowd.jsonl"),
    ):
        yield (
            name,
            [
                {
                    **row_ids(row),
                    "file_path": row.get("filepath"),
                    **_one_document(inputs.get(row["instance_id"])),
                    "summary": row["summary"],
                    "references": references_of(row),
                }
                for row in files[file]
            ],
        )
    yield "metrics.jsonl", files["metrics.jsonl"]


def kryscinski(files: Files) -> Written:
    """Write a file per split; a row is a claim with its story and its label."""
    for part in files.parts("summaries"):
        inputs = by_input(files, f"{part}.documents.jsonl")
        scores = collect_scores(files, f"{part}.metrics.jsonl")
        yield (
            f"{part}.jsonl",
            [
                {
                    "instance_id": row["instance_id"],
                    "filepath": inputs.get(row["instance_id"], {}).get("filepath"),
                    "summarizer_id": "kryscinski2019",
                    "summarizer_type": "peer",
                    **_one_document(inputs.get(row["instance_id"])),
                    "summary": row["summary"],
                    "label": _LABELS[scores[row_key(row)]["consistent"]],
                }
                for row in files[f"{part}.summaries.jsonl"]
            ],
        )


def _one_document(row: Row | None) -> dict[str, Any]:
    """Return the document of an input as one string; nothing if it is not there."""
    return {"document": {"text": flatten(row["documents"][0]["text"])}} if row else {}


def pairs(files: Files, single: bool = False) -> Written:
    """Write inputs with their one reference as `summary`, compressed; `single`: inputs of one document."""
    for part in files.parts():
        yield f"{part}.jsonl.gz", _paired(files, part, single)


def _paired(files: Files, part: str, single: bool) -> Iterator[Row]:
    """Yield the rows of a part; both files have the same inputs in the same order."""
    rows = (files.stream(f"{part}.{kind}.jsonl") for kind in ("documents", "references"))
    for row, reference in zip(*rows, strict=True):
        documents = [renamed(document, name="document_id") for document in row["documents"]]
        texts = {"document": documents[0]} if single else {"documents": documents}
        facts = {key: value for key, value in row.items() if key != "documents"}
        yield {**facts, **texts, "summary": {"text": reference["references"][0]["text"]}}
