"""AggreFact (Tang et al. 2023): nine sets of factuality labels in one table."""

from __future__ import annotations

from collections import defaultdict

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.names import DocumentIds, free_summarizer
from rubrica.datasets.output import Output
from rubrica.datasets.raw import Raw
from rubrica.datasets.record import Record

FILES = {"": "aggre_fact_final.csv", "sota.": "aggre_fact_sota.csv"}


@Dataset.register("aggrefact")
class AggreFact(Dataset):
    """AggreFact: CNN/DM and XSum summaries of nine data sets, consistent (1) or not (0)."""

    licence = "no licence stated; the nine data sets have terms of their own"
    homepage = "https://github.com/Liyan06/AggreFact"
    size = "not stated"
    needs = (
        "aggre_fact_final.csv and aggre_fact_sota.csv, from a clone of "
        "https://github.com/Liyan06/AggreFact (data/)",
    )
    citation = (
        "Tang et al. 2023. Understanding Factual Errors in Summarization: Errors, Summarizers, "
        "Datasets, Error Detectors. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """`{val,test}.*`, and `sota.{val,test}.*` with the newer systems only."""
        if not raw.some(*FILES.values()):
            raise raw.missing(" or ".join(FILES.values()))
        for prefix, name in FILES.items():
            parts: dict[str, Judgments] = defaultdict(Judgments)
            ids: dict[str, DocumentIds] = defaultdict(DocumentIds)

            def one(
                record: Record,
                parts: dict[str, Judgments] = parts,
                ids: dict[str, DocumentIds] = ids,
            ) -> None:
                cut, document = record.string("cut"), record.string("doc")
                if cut not in ("val", "test"):
                    raise record.error(f"a cut {cut!r}, not val or test")
                source = record.string("dataset")
                topic = ids[cut].of(f"{source}-{record.identifier('id')}", document)
                part, text = parts[cut], record.string("summary")
                if topic not in part.documents:
                    about = {"dataset": source, "origin": record.values.get("origin")}
                    part.add_documents(topic, [{"text": document}], **about)
                system = free_summarizer(part, topic, record.identifier("model_name"), text)
                part.add_summary(topic, system, text)
                part.add_scores(topic, system, {"label": record.number("label")})
                detectors = {
                    name.removesuffix("_score"): record.number(name)
                    for name, value in record.values.items()
                    if name.endswith("_score") and value not in (None, "")
                }
                part.add_published(topic, system, detectors)

            file = raw.maybe(name)
            for _ in raw.each(file.records() if file is not None else (), one):
                pass
            for cut, part in sorted(parts.items()):
                part.write(out, f"{prefix}{cut}.")
