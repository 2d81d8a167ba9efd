"""FRANK (Pagnoni et al. 2021): factual errors by type, on CNN/DM and XSum."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw

IDS = ("hash", "model_name", "dataset", "split")
SPLITS = {"validation": "valid", "valid": "valid", "test": "test"}


@Dataset.register("frank")
class Frank(Dataset):
    """FRANK: 2,246 summaries by nine systems, factuality and error types by sentence."""

    licence = "MIT (annotations); CNN/DM and XSum articles belong to their publishers"
    homepage = "https://github.com/artidoro/frank"
    size = "not stated"
    needs = (
        "benchmark_data.json, and if wanted human_annotations_sentence.json, from a clone of "
        "https://github.com/artidoro/frank (data/)",
    )
    resources = resource_table("frank")
    citation = (
        "Pagnoni, Balachandran, Tsvetkov. 2021. Understanding Factuality in Abstractive "
        "Summarization with FRANK: A Benchmark for Factuality Metrics. NAACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `valid.*` and `test.*`; the authors' own metric values in `published-metrics`."""
        parts: dict[str, Judgments] = defaultdict(Judgments)
        sentences: dict[str, list[dict[str, Any]]] = defaultdict(list)

        def text(record: Record) -> None:
            part, topic = parts[_split(record)], record.identifier("hash")
            if topic not in part.documents:
                about = {"dataset": record.values.get("dataset")}
                part.add_documents(topic, [{"text": record.string("article")}], **about)
                reference = record.string("reference")
                part.add_summary(topic, "reference", reference, kind="reference")
            part.add_summary(topic, record.identifier("model_name"), record.string("summary"))

        def score(record: Record) -> None:
            values = {n: record.number(n) for n in record.values if n not in IDS}
            key = record.identifier("hash"), record.identifier("model_name")
            parts[_split(record)].add_scores(*key, values)

        def baseline(record: Record) -> None:
            names = [n for n, v in record.values.items() if n not in IDS and v is not None]
            key = record.identifier("hash"), record.identifier("model_name")
            values = {name: record.number(name) for name in names}
            parts[_split(record)].add_published(*key, values)

        def by_sentence(record: Record) -> None:
            labels = record.inners("summary_sentences_annotations")
            texts = record.strings("summary_sentences")
            if len(labels) != len(texts):
                raise record.error(f"{len(labels)} annotations of {len(texts)} sentences")
            row = {
                "instance_id": record.identifier("hash"),
                "summarizer_id": record.identifier("model_name"),
                "sentences": [
                    {"text": text, "labels": label.values}
                    for text, label in zip(texts, labels, strict=True)
                ],
            }
            sentences[_split(record)].append(row)

        for name, read in (
            ("benchmark_data.json", text),
            ("human_annotations.json", score),
            ("baseline_factuality_metrics_outputs.json", baseline),
            ("human_annotations_sentence*.json", by_sentence),
        ):
            file = raw.one(name) if read in (text, score) else raw.maybe(name)
            raw.for_each(file.records() if file is not None else (), read)
        for split, part in sorted(parts.items()):
            part.write(out, f"{split}.")
            out.write(f"{split}.sentences.jsonl", sentences[split])


def _split(record: Record) -> str:
    split = SPLITS.get(record.string("split"))
    if split is None:
        raise record.error(f"unknown split {record.string('split')!r}: expected validation or test")
    return split
