"""SacreROUGE's files of benchmarks with human scores, and of documents with one reference."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
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

# With `_abs` and `_ext` in our files; SacreROUGE's reader leaves the abstractive one out.
_ABSTRACTIVE_BART = "bart_out_abs"
# Marks that end a line of a story.
_ENDS = (".", "!", "?", "'", "`", '"', "\u2019", "\u201d", ")")
_LABELS = ("INCORRECT", "CORRECT")


def chaganty(files: Files) -> Written:
    """Write references as summaries without references, and all scores below one key."""
    yield "documents.jsonl", files["documents.jsonl"]
    summaries = sorted(files["summaries.jsonl"], key=row_key)
    yield "summaries.jsonl", map(summary_row, summaries)
    human = collect_scores(files, "metrics.jsonl")
    published = collect_scores(files, "published-metrics.jsonl")

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
    """Write files with the part's name last, rows with their documents; the one BART is the extractive."""
    systems: dict[str, None] = {}
    for part in files.parts():
        if part == "all":
            continue
        inputs = by_input(files, f"{part}.documents.jsonl")
        parts = ("abs", "ext") if part == "mix" else (part,)
        rows = [row for name in parts for row in files[f"{name}.summaries.jsonl"]]
        summaries = [row for row in rows if row["summarizer_id"] != _ABSTRACTIVE_BART]
        systems |= dict.fromkeys(row["summarizer_id"] for row in summaries)
        yield (
            f"summaries-{part}.jsonl",
            [
                {
                    **_bhandari_ids(row),
                    "references": references_of(row),
                    "summary": row["summary"],
                    "documents": inputs[row["instance_id"]]["documents"],
                }
                for row in summaries
            ],
        )
        names = (f"{part}.published-metrics.jsonl", f"{part}.metrics.jsonl")
        scores = collect_scores(files, *names)
        yield (
            f"metrics-{part}.jsonl",
            [
                {
                    **_bhandari_ids(row),
                    "metrics": renamed(scores[row_key(row)], moverscore="MoverScore"),
                }
                for row in summaries
            ],
        )
    if "all.summaries.jsonl" in files:
        for kinds, part in ((("abs",), "abs"), (("ext",), "ext"), (("abs", "ext"), "mix")):
            yield f"all-summaries-{part}.jsonl.gz", _all_outputs(files, systems, kinds)


def _bhandari_ids(row: Row) -> Row:
    """Return the ids of a row, in which BART has no kind."""
    return {**row_ids(row), "summarizer_id": row["summarizer_id"].removesuffix("_ext")}


def _all_outputs(files: Files, systems: Container[str], kinds: Container[str]) -> Iterator[Row]:
    """Yield the outputs of judged systems on all inputs, in the order of systems, then of lines."""
    documents = by_input(files, "all.documents.jsonl")
    for row in files.stream("all.summaries.jsonl"):
        if row["kind"] in kinds and row["summarizer_id"] in systems:
            identifier = row["instance_id"]
            yield {
                **_bhandari_ids(row),
                "instance_id": f"all-summaries-{identifier.removeprefix('cnndm')}",
                **(
                    {"document": documents[identifier]["documents"][0]}
                    if identifier in documents
                    else {}
                ),
                "summary": row["summary"],
                "references": [{"text": row["references"][0]["text"]}],
            }


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
    scores = collect_scores(files, "metrics.jsonl")
    yield "metrics.jsonl", [score_row(row, scores) for row in files["summaries.jsonl"]]
    if "all.summaries.jsonl" in files:
        for kind in ("preproc", "orig"):
            yield f"all-summaries-{kind}-refs.jsonl.gz", _all_summaries(files, kind == "orig")


def _all_summaries(files: Files, original: bool) -> Iterator[Row]:
    """Yield all outputs with the reference beside them, or with the story's highlights.

    The latter, and their documents, have a stop after each line that ends without a mark.
    """
    inputs = by_input(files, "all.documents.jsonl")
    for row in files.stream("all.summaries.jsonl"):
        story = inputs.get(row["instance_id"])
        document, reference = _one_document(story), {"text": row["references"][0]["text"]}
        if original and story:
            document = {"document": {"text": _with_stops(story["documents"][0]["text"])}}
            reference = {"text": _with_stops(story["highlights"])}
        yield {
            **row_ids(row),
            "filepath": row.get("filepath"),
            **document,
            "summary": row["summary"],
            "reference": reference,
        }


def _with_stops(lines: Sequence[str]) -> str:
    """Return lines as one string; those that end in no mark get a stop."""
    return " ".join(line if line.endswith(_ENDS) else f"{line}." for line in lines)


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
        texts = {"document": _dated(documents[0])} if single else {"documents": documents}
        facts = {key: value for key, value in row.items() if key != "documents"}
        yield {**facts, **texts, "summary": {"text": reference["references"][0]["text"]}}


def _dated(document: Row) -> Row:
    """Return a document whose date has no zeros in front of its numbers, as in the articles themselves."""
    date = "-".join(number.lstrip("0") for number in document["date"].split("-"))
    return {**document, "date": date}
