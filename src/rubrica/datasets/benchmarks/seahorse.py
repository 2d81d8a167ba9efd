"""SEAHORSE (Clark et al. 2023): six yes-no questions about summaries in six languages."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.names import free_summarizer
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError

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
# Words that identify a question that is written out, as in HuggingFace's copy.
WORDS = {
    "underst": "comprehensible",
    "comprehensib": "comprehensible",
    "repe": "repetition",
    "gramma": "grammar",
    "attribut": "attribution",
    "main idea": "main_ideas",
    "concise": "conciseness",
}


@Dataset.register("seahorse")
class Seahorse(Dataset):
    """SEAHORSE: 96,000 summaries by nine systems in six languages, six questions each."""

    licence = "CC BY 4.0 (ratings); articles have the terms of GEM's data sets"
    homepage = "https://github.com/google-research-datasets/seahorse"
    size = "35.5 MB"
    needs = (
        "train.tsv, validation.tsv, test.tsv, in seahorse_data.zip from "
        "https://storage.googleapis.com/seahorse-public/seahorse_data.zip; or, with the articles, "
        "data/{train,validation,test}-*.parquet of HuggingFace's "
        "tasksource/seahorse_summarization_evaluation",
    )
    citation = (
        "Clark et al. 2023. SEAHORSE: A Multilingual, Multifaceted Dataset for Summarization "
        "Evaluation. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,validation,test}.*`; yes is 1, no is 0, what was not answered is left out."""
        files = {split: _files(raw, split) for split in SPLITS}
        if not any(files.values()):
            raise raw.missing(" or ".join(f"{split}.tsv" for split in SPLITS))
        for split, split_files in files.items():
            judgments = Judgments()

            def add_record(record: Record, judgments: Judgments = judgments) -> None:
                answers = _answers(record)
                topic, model = record.identifier("gem_id"), record.identifier("model")
                text = record.string("summary")
                system = free_summarizer(judgments, topic, model, text)
                kind = "reference" if model == "reference" else "peer"
                language = record.string("worker_lang")
                judgments.add_summary(topic, system, text, kind=kind, language=language)
                for name, answer in answers.items():
                    judgments.append_score(topic, system, name, answer)
                if record.values.get("article") and topic not in judgments.documents:
                    judgments.add_documents(topic, [{"text": record.string("article")}])

            for file in split_files:
                raw.for_each(file.records(), add_record)
            judgments.write(out, f"{split}.")


def _files(raw: Raw, split: str) -> list[RawFile]:
    """Return the authors' table, or the parts of HuggingFace's."""
    # The folder of items with several raters has files of the same names.
    tables = [f for f in raw.some(f"{split}.tsv") if f.folder != "duplicates"]
    if len(tables) > 1:
        places = ", ".join(file.place for file in tables)
        raise DataError(f"{len(tables)} files are called {split}.tsv: {places}; give one")
    return tables or raw.some(f"{split}-*.parquet", f"{split}.parquet", f"{split}.jsonl")


def _answers(record: Record) -> dict[str, int]:
    """Return a record's answers by measure: from six columns, or one question with its answer."""
    if "question" in record.values:
        texts = {record.string("question"): record.string("answer")}
    else:
        texts = {question: record.string(question) for question in QUESTIONS}
    answers = {}
    for question, text in texts.items():
        name = QUESTIONS.get(question) or next(
            (name for word, name in WORDS.items() if word in question.lower()), None
        )
        if name is None:
            raise record.error(f"unknown question: {question!r}")
        answer = text.strip().lower()
        # After "no" to the first question the others were not asked.
        if answer in ANSWERS:
            answers[name] = ANSWERS[answer]
        elif answer not in ("", "nan", "unsure", "na"):
            raise record.error(f"unknown answer {answer!r} to {question}")
    return answers
