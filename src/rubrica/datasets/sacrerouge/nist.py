"""SacreROUGE's files of DUC and TAC."""

from __future__ import annotations

from collections.abc import Container, Sequence

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
    as_met: Container[str] = (),
    by_score: bool = False,
    documents: Cut = cut_strings,
    references: Cut = cut_strings,
    summaries: Cut = cut_strings,
) -> Written:
    """Write inputs, summaries, all scores, pyramids and annotations of each task.

    `blank` keeps rows of summaries without a text, `scored_only` drops those without scores. `single` are the tasks
    whose inputs are one document. With `headlines` documents without one say so. `twice` is a topic whose summaries were
    annotated twice. The others cut texts into sentences: documents, references of inputs, and summaries
    with their references.

    Rows are in the order of topics; within a topic, systems are in that of the archive, or of the tables of scores
    (`by_score`). Update tasks have systems by their ids. Inputs of the tasks `as_met` are in the order of the archive.
    """
    scored = {part.partition(".")[0] for part in files.parts("metrics")}
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
        if task not in as_met:
            inputs.sort(key=lambda row: row["instance_id"])
        yield f"{task}.jsonl", _one_per_topic(inputs) if "-" in task else inputs
        rows = files.get(f"{task}.summaries.jsonl", [])
        judged = [row for row in rows if blank or row["summary"]["text"]]
        # A task without human scores has no peers in SacreROUGE.
        if task.partition(".")[0] in scored:
            names = (f"{task}.published-metrics.jsonl", f"{task}.metrics.jsonl")
            scores = collect_scores(files, *names)
            if scored_only:
                judged = [row for row in judged if row_key(row) in scores]
            if by_score:
                places = {key: place for place, key in enumerate(scores)}
                judged.sort(key=lambda row: places[row_key(row)])
            judged.sort(key=_place)
            yield (
                f"{task}.summaries.jsonl",
                [cut_summary(summary_row(row), summaries) for row in judged],
            )
            yield f"{task}.metrics.jsonl", (score_row(row, scores) for row in judged)
        for kind in ("pyramids", "pyramid-annotations"):
            rows = sorted(files.get(f"{task}.{kind}.jsonl", []), key=_side_by_side)
            yield f"{task}.{kind}.jsonl", (row for row in rows if row.get("summary") != "")
        if twice:
            rows = files.get(f"{task}.twice.pyramid-annotations.jsonl", [])
            yield f"{task}.{twice}.pyramid-annotations.jsonl", sorted(rows, key=row_key)
    yield from _sentence_labels(files, references)


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
    yield name, sorted(rows, key=lambda row: row["instance_id"])


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


def _place(row: Row) -> tuple[str, ...]:
    """Return the topic; in an update task also the system and the set."""
    in_set = row["instance_id"][-2:-1] == "-"
    return _side_by_side(row) if in_set else (row["instance_id"],)


def _side_by_side(row: Row) -> tuple[str, ...]:
    """Return topic, system and set: where A and B are in one file, a system's rows are side by side."""
    topic, _, group = row["instance_id"].partition("-")
    return topic, row.get("summarizer_id", ""), group
