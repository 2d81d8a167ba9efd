"""BASSE (Barnes et al. 2025): summaries in Basque and Spanish, five aspects by three people."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw

LANGUAGES = ("eu", "es")


@Dataset.register("basse")
class Basse(Dataset):
    """BASSE: 20 model-prompt pairs, subheads and people on 90 news texts, five aspects from 1 to 5."""

    licence = "CC BY-NC-SA 4.0"
    homepage = "https://github.com/hitz-zentroa/summarization"
    size = "3.3 MB"
    resources = resource_table("basse")
    citation = (
        "Barnes, Perez, Bonet-Jover, Altuna. 2025. Summarization Metrics for Spanish and Basque: "
        "Do Automatic Scores and LLM-Judges Correlate with Humans? arXiv:2503.17039"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{eu,es}.*`, and `{eu,es}.round0.*` with the pilot."""
        for language in LANGUAGES:
            for ending, prefix in (("", ""), (".round_0", "round0.")):
                file = raw.maybe(f"BASSE.{language}{ending}.jsonl")
                judgments = Judgments()

                def add_record(record: Record, judgments: Judgments = judgments) -> None:
                    _add(record, judgments)

                raw.for_each(file.records() if file is not None else (), add_record)
                judgments.write(out, f"{language}.{prefix}")


def _add(record: Record, judgments: Judgments) -> None:
    topic = record.identifier("idx")
    document = [{"text": record.string("original_document")}]
    judgments.add_documents(topic, document, round=record.values.get("round"))
    references = record.strings("reference_summaries")
    named = [(f"human-ann{at}", text) for at, text in enumerate(references, 1)]
    models = record.inner("model_summaries")
    for system in models.values:
        judged = models.inner(system)
        text = judged.string("summ")
        human = system.startswith("human-")
        # The references of a human summary are the other human summaries.
        others = [
            (name, other)
            for name, other in named
            if not human or (name != system and other != text)
        ]
        kind = "reference" if human else "peer"
        judgments.add_summary(topic, system, text, kind=kind, references=others)
        aspects = judged.inner("anns")
        scores = {name.lower(): aspects.ratings(name) for name in aspects.values}
        judgments.add_scores(topic, system, scores)
    for name, text in named:
        if name not in judgments.summaries[topic]:
            others = [pair for pair in named if pair[0] != name]
            judgments.add_summary(topic, name, text, kind="reference", references=others)
