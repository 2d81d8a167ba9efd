"""SummEval as MTEB has it, and its translations: one row per document, lists of summaries and scores."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.readers.inputs import stem

ASPECTS = ("coherence", "consistency", "fluency", "relevance")


@Dataset.register("summeval-lists")
class SummEvalLists(Dataset):
    """SummEval in MTEB's layout and its translations (summeval-sw and others): experts' means."""

    licence = "as SummEval (MIT); translations have the terms of their pages"
    homepage = "https://huggingface.co/datasets/mteb/summeval"
    size = "not stated"
    needs = (
        "*.parquet or *.jsonl of mteb/summeval, sproos/summeval-* or a set of the same columns",
    )
    citation = "Fabbri et al. 2021. SummEval: Re-evaluating Summarization Evaluation. TACL 9"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `NAME.*`, NAME that of the file; systems have only their place in the lists, from 1."""
        for file in raw.all("*.parquet", "*.jsonl"):
            judgments = Judgments()

            def add_record(record: Record, judgments: Judgments = judgments) -> None:
                topic = record.identifier("id")
                machine, human = (
                    record.strings("machine_summaries"),
                    record.strings("human_summaries"),
                )
                judgments.add_documents(topic, [{"text": record.text("text")}])
                references = [(f"human-{at}", text) for at, text in enumerate(human, 1)]
                scores = {name: record.numbers(name) for name in ASPECTS}
                for name, values in scores.items():
                    if len(values) != len(machine):
                        raise record.error(
                            f"{len(values)} scores of {name!r}, {len(machine)} summaries"
                        )
                for at, text in enumerate(machine):
                    system = str(at + 1)
                    judgments.add_summary(topic, system, text, references=references)
                    values_here = {name: values[at] for name, values in scores.items()}
                    judgments.add_scores(topic, system, values_here)

            raw.for_each(file.records(), add_record)
            judgments.write(out, f"{stem(file.name).partition('-0')[0]}.")
