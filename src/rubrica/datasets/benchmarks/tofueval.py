"""TofuEval (Tang et al. 2024): topic-focused summaries of dialogues, consistent by sentence."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from functools import partial
from typing import Any

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw

SOURCES = ("mediasum", "meetingbank")
LABELS = {"yes": 1, "no": 0}


@Dataset.register("tofueval")
class TofuEval(Dataset):
    """TofuEval: 1,800 topic-focused dialogue summaries by six models, consistency by linguists."""

    licence = "MIT-0 (annotations); an evaluation set, not for training"
    homepage = "https://github.com/amazon-science/tofueval"
    size = "1.3 MB"
    resources = resource_table("tofueval")
    citation = (
        "Tang et al. 2024. TofuEval: Evaluating Hallucinations of LLMs on Topic-Focused Dialogue "
        "Summarization. NAACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{mediasum,meetingbank}.{dev,test}.*`, key points in `SOURCE.key-points.jsonl`.

        Documents are written where `SOURCE_SPLIT_doc.csv` is there, made as the authors' page shows.
        """
        for source in SOURCES:
            for split in ("dev", "test"):
                part = Judgments()
                file = raw.one(f"{source}_factual_eval_{split}.csv")
                topics = _add_summaries(raw, file, part)
                documents = raw.maybe(f"{source}_{split}_doc.csv")
                for record in documents.records() if documents is not None else ():
                    name = "doc_id" if "doc_id" in record.values else "meeting_id"
                    for topic in topics.get(record.identifier(name), ()):
                        part.add_documents(topic, [{"text": record.string("source")}])
                part.write(out, f"{source}.{split}.")
            categories = _categories(raw.maybe(f"{source}_topic_category.json"))
            file = raw.one(f"{source}_completeness_final.csv")
            rows = raw.each(file.records(), partial(_points, categories=categories))
            out.write(f"{source}.key-points.jsonl", rows)


def _instance(record: Record) -> str:
    return f"{record.string('doc_id')}: {record.string('topic')}"


def _add_summaries(raw: Raw, file: RawFile, part: Judgments) -> dict[str, list[str]]:
    """Add summaries joined from sentences; return the instances of each document."""
    sentences: dict[tuple[str, str], list[tuple[float, Record]]] = defaultdict(list)
    topics: dict[str, list[str]] = defaultdict(list)

    def add_sentence(record: Record) -> None:
        if record.string("sent_label") not in LABELS:
            raise record.error(f"unknown label {record.string('sent_label')!r}: expected yes or no")
        topic = _instance(record)
        if topic not in topics[record.string("doc_id")]:
            topics[record.string("doc_id")].append(topic)
        row = (record.number("sent_idx"), record)
        sentences[topic, record.string("model_name")].append(row)

    raw.for_each(file.records(), add_sentence)
    for (topic, model), rows in sentences.items():
        rows.sort(key=lambda row: row[0])
        labels = [LABELS[record.string("sent_label")] for _, record in rows]
        part.add_summary(
            topic,
            model,
            [record.string("summ_sent") for _, record in rows],
            sentence_labels=labels,
            error_types=[record.string("type") for _, record in rows],
        )
        share = sum(labels) / len(labels)
        scores = {"consistent_sentences": share, "consistent": int(all(labels))}
        part.add_scores(topic, model, scores)
    return topics


def _categories(file: RawFile | None) -> dict[str, str]:
    if file is None:
        return {}
    try:
        return dict(json.loads(file.text()))
    except (ValueError, TypeError) as error:
        raise file.error(f"not a JSON object of topics: {error}") from error


def _points(record: Record, categories: dict[str, str]) -> dict[str, Any]:
    """Return a row of key points, parsed from a printed Python list without running it."""
    try:
        # A topic without key points has an empty cell.
        points = ast.literal_eval(record.string("key_points") or "[]")
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise record.error(f"'key_points' is no list: {error}") from error
    if not isinstance(points, list) or not all(isinstance(point, str) for point in points):
        raise record.error("'key_points' is no list of texts")
    topic = record.string("topic")
    return {
        "instance_id": _instance(record),
        "topic": topic,
        "category": categories.get(topic),
        "key_points": points,
    }
