"""OpenAI's summarization feedback (Stiennon et al. 2020): comparisons and ratings of summaries."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.names import free_summarizer
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

BASE = "https://openaipublic.blob.core.windows.net/summarize-from-feedback/dataset"

# OpenAI's folders, and the folder of ratings in HuggingFace's openai/summarize_from_feedback.
FOLDERS = ("comparisons", "axis_evals", "axis")
ENDINGS = ("json", "jsonl", "parquet")


@Dataset.register("tldr")
class Tldr(Dataset):
    """TL;DR feedback: 64,832 comparisons of two summaries, and ratings on axes (TL;DR, CNN/DM)."""

    licence = (
        "released for research by OpenAI; Reddit posts under CC BY 4.0 (Webis-TLDR-17), CNN/Daily "
        "Mail articles belong to their publishers"
    )
    homepage = "https://github.com/openai/summarize-from-feedback"
    size = "not stated"
    needs = (
        f"comparisons/*.json and axis_evals/*.json, from {BASE} "
        f"(azcopy copy '{BASE}/*' . --recursive); or comparisons/*.parquet and axis/*.parquet of "
        "HuggingFace's openai/summarize_from_feedback",
    )
    citation = "Stiennon et al. 2020. Learning to summarize from human feedback. NeurIPS"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{tldr,cnndm}.*` with ratings; pairs in `{tldr,cnndm}.comparisons.jsonl`."""
        files = raw.all(*(f"{folder}/*.{end}" for folder in FOLDERS for end in ENDINGS))
        parts: dict[str, Judgments] = defaultdict(Judgments)
        pairs: dict[str, list[dict[str, Any]]] = defaultdict(list)

        def comparison(record: Record) -> None:
            name, topic = _post(record, parts)
            summaries = record.inners("summaries")
            choice = record.number("choice")
            if len(summaries) != 2 or choice not in (0, 1):
                raise record.error(
                    f"choice {choice} among {len(summaries)} summaries, expected two"
                )
            first, second = (_summary(parts[name], topic, summary) for summary in summaries)
            extra = record.values.get("extra") or {}
            pairs[name].append(
                {
                    "instance_id": topic,
                    "first": first,
                    "second": second,
                    "preferred": 1 if choice == 0 else -1,
                    "annotator": record.values.get("worker"),
                    "batch": record.values.get("batch"),
                    "split": record.values.get("split"),
                    "confidence": extra.get("confidence") if isinstance(extra, dict) else None,
                }
            )

        def axes(record: Record) -> None:
            name, topic = _post(record, parts)
            summary = record.inner("summary")
            system = _summary(parts[name], topic, summary)
            values = summary.inner("axes")
            for axis, value in values.values.items():
                if value is not None:
                    parts[name].append_score(topic, system, axis, values.number(axis))

        for file in files:
            read = comparison if file.folder == "comparisons" else axes
            raw.for_each(file.records(), read)
        for name, part in sorted(parts.items()):
            part.write(out, f"{name}.")
            out.write(f"{name}.comparisons.jsonl", pairs[name])


def _post(record: Record, parts: dict[str, Judgments]) -> tuple[str, str]:
    """Return the set (by the kind of document) and the id; add the document once."""
    info = record.inner("info")
    name, key = ("tldr", "post") if info.values.get("post") is not None else ("cnndm", "article")
    topic = info.identifier("id")
    if topic not in parts[name].documents:
        about = {k: info.values.get(k) for k in ("title", "subreddit", "site")}
        parts[name].add_documents(topic, [{"text": info.string(key)}], **about)
    return name, topic


def _summary(part: Judgments, topic: str, summary: Record) -> str:
    """Return the summarizer's id: its policy, numbered if it has several texts; `ref` is human."""
    text, policy = summary.string("text").strip(), summary.identifier("policy")
    system = free_summarizer(part, topic, policy, text)
    kind = "reference" if policy == "ref" else "peer"
    part.add_summary(topic, system, text, kind=kind)
    return system
