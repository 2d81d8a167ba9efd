"""SEAHORSE (Clark et al. 2023): six yes-no questions about summaries in six languages."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.names import free_summarizer
from rubrica.datasets.output import Output
from rubrica.datasets.raw import Raw
from rubrica.datasets.record import Record

SPLITS = ("train", "validation", "test")
QUESTIONS = {
    "question1": "comprehensible",
    "question2": "repetition",
    "question3": "grammar",
    "question4": "attribution",
    "question5": "main_ideas",
    "question6": "conciseness",
}
ANSWERS = {"yes": 1, "no": 0}


@Dataset.register("seahorse")
class Seahorse(Dataset):
    """SEAHORSE: 96,000 summaries by nine systems in six languages, six questions each."""

    licence = "CC BY 4.0 (ratings); articles have the terms of GEM's data sets"
    homepage = "https://github.com/google-research-datasets/seahorse"
    size = "not stated"
    needs = (
        "train.tsv, validation.tsv, test.tsv, in seahorse_data.zip from "
        "https://storage.googleapis.com/seahorse-public/seahorse_data.zip",
    )
    citation = (
        "Clark et al. 2023. SEAHORSE: A Multilingual, Multifaceted Dataset for Summarization "
        "Evaluation. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """`{train,validation,test}.*`; yes is 1, no is 0, what was not answered is left out."""
        if not raw.some(*(f"{split}.tsv" for split in SPLITS)):
            raise raw.missing(" or ".join(f"{split}.tsv" for split in SPLITS))
        for split in SPLITS:
            found = Judgments()

            def one(record: Record, found: Judgments = found) -> None:
                topic, model = record.identifier("gem_id"), record.identifier("model")
                text = record.string("summary")
                system = free_summarizer(found, topic, model, text)
                kind = "reference" if model == "reference" else "peer"
                language = record.string("worker_lang")
                found.add_summary(topic, system, text, kind=kind, language=language)
                for question, name in QUESTIONS.items():
                    # After "no" to the first question the others were not asked.
                    answer = record.string(question).strip().lower()
                    if answer in ANSWERS:
                        found.append_score(topic, system, name, ANSWERS[answer])
                    elif answer not in ("", "nan", "unsure", "na"):
                        raise record.error(f"an answer {answer!r} to {question}")

            # The folder of items with several raters has files of the same names.
            files = [f for f in raw.some(f"{split}.tsv") if f.folder != "duplicates"]
            for file in files[:1]:
                for _ in raw.each(file.records(), one):
                    pass
            found.write(out, f"{split}.")
