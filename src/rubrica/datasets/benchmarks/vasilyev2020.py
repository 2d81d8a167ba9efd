"""The ratings of the BLANC papers (Vasilyev et al. 2020): ten annotators on news summaries."""

from __future__ import annotations

from typing import Any

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw

FILES = {
    "cnn-dailymail": "CNN_DailyMail_555.json",
    "dailynews": "DailyNews_300.json",
    "dailynews-aspects": "DailyNews_300_aspects.json",
}


@Dataset.register("vasilyev2020")
class Vasilyev2020(Dataset):
    """BLANC: CNN/DM and DailyNews summaries, quality by ten annotators, systems unknown."""

    licence = "MIT (annotations); the articles belong to their publishers"
    homepage = "https://github.com/PrimerAI/blanc/tree/master/data"
    size = "5.1 MB"
    resources = resource_table("vasilyev2020")
    citation = (
        "Vasilyev, Dharnidharka, Bohannon. 2020. Fill in the BLANC: Human-free quality estimation "
        "of document summaries. Eval4NLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{cnn-dailymail,dailynews,dailynews-aspects}.*`, and who gave which score in `*.ratings.jsonl`."""
        for prefix, name in FILES.items():
            judgments, topics, ratings = Judgments(), dict[str, str](), list[dict[str, Any]]()

            def add_record(
                row: tuple[int, Record],
                judgments: Judgments = judgments,
                topics: dict[str, str] = topics,
                ratings: list[dict[str, Any]] = ratings,
            ) -> None:
                number, record = row
                document = record.string("text").strip()
                topic = topics.setdefault(document, str(len(topics) + 1))
                system = str(number)
                if topic not in judgments.documents:
                    judgments.add_documents(topic, [{"text": document}])
                judgments.add_summary(topic, system, record.string("summary").strip())
                people: dict[str, dict[str, float]] = {}
                for measure, scored in _measures(record).items():
                    values, names = scored.numbers("scores"), scored.required("annotators_ids")
                    if len(names) != len(values):
                        raise record.error(f"{len(values)} scores by {len(names)} annotators")
                    judgments.add_scores(topic, system, {measure: values})
                    for name, value in zip(names, values, strict=True):
                        people.setdefault(str(name), {})[measure] = value
                ids = {"instance_id": topic, "summarizer_id": system}
                ratings += [{**ids, "annotator": name, **people[name]} for name in people]

            raw.for_each(enumerate(raw.one(name).records(), 1), add_record)
            judgments.write(out, f"{prefix}.")
            out.write(f"{prefix}.ratings.jsonl", ratings)


def _measures(record: Record) -> dict[str, Record]:
    if "map_quality_scores" not in record.values:
        return {"generic_quality": record}
    aspects = record.inner("map_quality_scores")
    return {name.lower(): aspects.inner(name) for name in aspects.values}
