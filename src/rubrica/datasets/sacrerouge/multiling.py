"""SacreROUGE's files of MultiLing: a file per language, in a folder per task."""

from __future__ import annotations

from rubrica.data.instance import flatten
from rubrica.datasets.sacrerouge.rows import (
    Files,
    Row,
    Written,
    by_input,
    collect_scores,
    input_row,
    renamed,
    row_ids,
    row_key,
    score_row,
    summary_row,
)
from rubrica.datasets.sacrerouge.sentences import (
    Cut,
    cut_lines,
    cut_paragraphs,
    cut_strings,
    cut_summary,
    cut_text,
)


def clusters_2011(files: Files) -> Written:
    """Write inputs, summaries and scores of every language; references are strings, in English cut for summaries."""
    for language in files.parts():
        yield from _clusters(files, language, language, "", join=True)


def clusters_2013(files: Files) -> Written:
    """Write the clusters below `mds/`; peers come before references, scores only where there are any."""
    for part in files.parts():
        task, _, language = part.partition(".")
        if task == "mds":
            yield from _clusters(files, part, language, "mds/", peers_first=True)


def clusters_2015(files: Files) -> Written:
    """Write the training and test clusters below `mds/`; the test clusters have no references."""
    for part in files.parts():
        task, _, rest = part.partition(".")
        split, _, language = rest.partition(".")
        if task == "mds":
            rows = _inputs(files, part)
            if split == "test":
                rows = [{k: v for k, v in row.items() if k != "summaries"} for row in rows]
            yield f"mds/{language}.{split}.jsonl", rows


def _clusters(
    files: Files,
    part: str,
    language: str,
    folder: str,
    join: bool = False,
    peers_first: bool = False,
) -> Written:
    rows = _inputs(files, part)
    summaries = [summary_row(row) for row in files.get(f"{part}.summaries.jsonl", [])]
    if join:
        for row in rows:
            _join_texts(row["summaries"])
        for row in summaries:
            alone = [row["summary"]] if row["summarizer_type"] == "reference" else []
            _join_texts([*row["references"], *alone], cut=language == "en")
    summaries.sort(
        key=lambda row: (
            row["instance_id"],
            peers_first and row["summarizer_type"] == "reference",
            row["summarizer_id"],
        )
    )
    yield f"{folder}{language}.jsonl", rows
    yield f"{folder}{language}.summaries.jsonl", summaries
    kinds = ("metrics", "published-metrics")
    scores = collect_scores(files, *(f"{part}.{kind}.jsonl" for kind in kinds))
    if scores or not folder:
        yield (
            f"{folder}{language}.metrics.jsonl",
            [score_row(row, scores) for row in summaries],
        )


def _inputs(files: Files, part: str) -> list[Row]:
    """Return the inputs of a part with their references, by their ids."""
    references = by_input(files, f"{part}.references.jsonl")
    rows = [input_row(row, references) for row in files[f"{part}.documents.jsonl"]]
    return sorted(rows, key=_id)


def _id(row: Row) -> str:
    return str(row["instance_id"])


def _join_texts(texts: list[Row], cut: bool = False) -> None:
    """Replace the lines of texts by one string, or by its sentences."""
    for text in texts:
        joined = flatten(text["text"])
        text["text"] = cut_strings(joined) if cut else joined


def single_documents(files: Files, summaries: Cut = cut_strings, as_met: bool = True) -> Written:
    """Write the Wikipedia articles below `sds/`, each with its lead, and the submitted summaries.

    Articles are in the order of their archive (`as_met`), or of their ids.

    Articles and leads in English are cut into sentences, by paragraph and by line; `summaries` cuts the others.
    """
    for part in files.parts():
        task, _, language = part.partition(".")
        if task != "sds":
            continue
        references = by_input(files, f"{part}.references.jsonl")
        articles = files[f"{part}.documents.jsonl"]
        cuts = (cut_paragraphs, cut_lines, summaries) if language == "en" else (cut_strings,) * 3
        yield (
            f"sds/{language}.jsonl",
            [
                {
                    "instance_id": row["instance_id"],
                    "document": cut_text(renamed(row["documents"][0], name="filename"), cuts[0]),
                    "summary": cut_text(
                        {"text": references[row["instance_id"]]["references"][0]["text"]}, cuts[1]
                    ),
                }
                for row in (articles if as_met else sorted(articles, key=_id))
                if row["instance_id"] in references
            ],
        )
        rows = files.get(f"{part}.summaries.jsonl", [])
        rows = sorted((row for row in rows if row["summarizer_type"] == "peer"), key=row_key)
        yield (
            f"sds/{language}.summaries.jsonl",
            [cut_summary(_named(summary_row(row)), cuts[2]) for row in rows],
        )


def _named(row: Row) -> Row:
    """Give a lead of Wikipedia SacreROUGE's name."""
    for reference in row["references"]:
        if reference["summarizer_id"] == "wikipedia-lead":
            reference["summarizer_id"] = "reference"
    return row


def summary_evaluation(files: Files) -> Written:
    """Write a folder per language; rows have their documents, and references their paths."""
    for language in files.parts():
        inputs = by_input(files, f"{language}.documents.jsonl")
        rows = sorted(
            files[f"{language}.summaries.jsonl"], key=lambda row: int(row["summarizer_id"])
        )
        numbers = {row_key(row): str(place) for place, row in enumerate(rows)}
        yield (
            f"{language}/summaries.jsonl",
            [
                {
                    **row_ids(row),
                    "summarizer_id": numbers[row_key(row)],
                    "documents": [
                        renamed(document, name="file_path")
                        for document in inputs[row["instance_id"]]["documents"]
                    ],
                    "summary": row["summary"],
                    "references": [
                        renamed(reference, summarizer_id="file_path")
                        for reference in row["references"]
                    ],
                }
                for row in rows
            ],
        )
        yield (
            f"{language}/metrics.jsonl",
            [
                {**row, "summarizer_id": numbers[row_key(row)]}
                for row in sorted(
                    files[f"{language}.metrics.jsonl"], key=lambda row: int(row["summarizer_id"])
                )
            ],
        )
