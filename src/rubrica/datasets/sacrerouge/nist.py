"""SacreROUGE's files of DUC and TAC."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.datasets.sacrerouge.rows import (
    Files,
    Row,
    Written,
    by_input,
    collect_scores,
    input_row,
    row_key,
    score_row,
    summary_row,
)
from rubrica.datasets.sacrerouge.sentences import Cut, cut_input, cut_strings, cut_summary


def nist(
    files: Files,
    blank: bool = True,
    single: Sequence[str] = (),
    scored_only: bool = False,
    headlines: bool = False,
    twice: str = "",
    documents: Cut = cut_strings,
    references: Cut = cut_strings,
    summaries: Cut = cut_strings,
) -> Written:
    """Write inputs, summaries, all scores, pyramids and annotations of each task.

    `blank` keeps rows of summaries without a text, `scored_only` drops those without scores. `single` are the tasks
    whose inputs are one document. With `headlines` documents without one say so. `twice` is a topic whose summaries were
    annotated twice. The others cut texts into sentences: documents, references of inputs, and summaries
    with their references.
    """
    for task in files.parts():
        known = by_input(files, f"{task}.references.jsonl")
        inputs = [
            cut_input(input_row(row, known, task in single), documents, references)
            for row in files[f"{task}.documents.jsonl"]
        ]
        if headlines:
            for row in inputs:
                for document in row["documents"]:
                    document.setdefault("headline", None)
        yield f"{task}.jsonl", _one_per_topic(inputs) if "-" in task else inputs
        rows = files.get(f"{task}.summaries.jsonl", [])
        judged = sorted(
            (row for row in rows if blank or row["summary"]["text"]),
            # Where A and B are in one file, a system's summaries are side by side.
            key=_side_by_side if "-" in task else row_key,
        )
        # A task without human scores has no peers in SacreROUGE.
        if f"{task}.metrics.jsonl" in files:
            names = (f"{task}.metrics.jsonl", f"{task}.published-metrics.jsonl")
            scores = collect_scores(files, *names)
            if scored_only:
                judged = [row for row in judged if row_key(row) in scores]
            yield (
                f"{task}.summaries.jsonl",
                [cut_summary(summary_row(row), summaries) for row in judged],
            )
            yield f"{task}.metrics.jsonl", (score_row(row, scores) for row in judged)
        for kind in ("pyramids", "pyramid-annotations"):
            rows = files.get(f"{task}.{kind}.jsonl", [])
            yield f"{task}.{kind}.jsonl", (row for row in rows if row.get("summary") != "")
        if twice:
            yield f"{task}.{twice}.pyramid-annotations.jsonl", _annotated_twice(files, task, twice)
    yield from _sentence_labels(files, references)


def _annotated_twice(files: Files, task: str, topic: str) -> list[Row]:
    """Return the annotations of a topic's summaries, the second after the first of the same summary."""
    rows = [
        row
        for part in (task, f"{task}.again")
        for row in files.get(f"{part}.pyramid-annotations.jsonl", [])
        if row["instance_id"] == topic
    ]
    return sorted(rows, key=row_key)


def _sentence_labels(files: Files, cut: Cut) -> Written:
    """Write the novelty labels of DUC 2003, with the question and references of their cluster."""
    name = "task4.sentence-labels.jsonl"
    clusters = by_input(files, "task4.documents.jsonl")
    references = by_input(files, "task4.references.jsonl")
    rows = [
        cut_input(
            {
                **input_row(row, references),
                "question": clusters.get(row["instance_id"], {}).get("question"),
            },
            cut_strings,
            cut,
        )
        for row in files.get(name, [])
    ]
    yield name, rows


def _one_per_topic(rows: Sequence[Row]) -> list[Row]:
    """Return a row for each topic of an update task, with the documents and summaries of each of its sets."""
    topics: dict[str, Row] = {}
    for row in rows:
        name, _, group = row["instance_id"].rpartition("-")
        facts = {key: row[key] for key in row if key not in ("documents", "summaries")}
        topic = topics.setdefault(name, {**facts, "instance_id": name})
        for kind in ("documents", "summaries"):
            topic[f"{kind}_{group}"] = row[kind]
    return list(topics.values())


def _side_by_side(row: Row) -> tuple[str, ...]:
    return row["instance_id"].rpartition("-")[0], row["summarizer_id"], row["instance_id"]
