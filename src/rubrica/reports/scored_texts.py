"""Texts that belong to rows of scores: what the report of systems is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rubrica.comparison.scored_rows import ScoredRows as ScoredRows
from rubrica.data.instance import UNKNOWN_LANGUAGES, EvalInstance, Languages, Text, flatten
from rubrica.data.jsonl import read_jsonl
from rubrica.datasets.open import detect, read
from rubrica.datasets.readers.row import Row
from rubrica.reports.texts import Key


@dataclass(frozen=True, slots=True)
class InputTexts:
    """The source document of an input, None if unknown, and its distinct references with their languages."""

    document: str | None
    references: Sequence[str]
    reference_languages: Sequence[str]


@dataclass(slots=True)
class SummaryTexts:
    """Texts by (instance_id, summarizer_id), their references, and documents by instance."""

    summaries: dict[Key, Text] = field(default_factory=dict)
    references: dict[Key, list[Text]] = field(default_factory=dict)
    languages: dict[Key, Languages] = field(default_factory=dict)
    documents: dict[str, Text] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Iterable[str], document_files: Iterable[str] = ()) -> SummaryTexts:
        """Read summaries of any format; references and documents are optional."""
        texts = cls()
        for file in files:
            if detect(file, ()) != "summary-only":
                texts.add(read([file], ()))
                continue
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                key = row.identifier("instance_id"), row.identifier("summarizer_id")
                texts.summaries[key] = row.text("summary")
                texts.languages[key] = row.languages()
                if references := row.texts("references"):
                    texts.references[key] = references
                texts._take_documents(row, key[0], required=False)
        texts.add_documents(document_files)
        return texts

    def add_documents(self, files: Iterable[str]) -> None:
        """Add documents: JSON lines with `instance_id` and `document`."""
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, "report")
                self._take_documents(row, row.identifier("instance_id"), required=True)

    @classmethod
    def of(cls, instances: Iterable[EvalInstance]) -> SummaryTexts:
        """Return the texts of instances."""
        texts = cls()
        texts.add(instances)
        return texts

    def add(self, instances: Iterable[EvalInstance]) -> None:
        """Add the texts of instances."""
        for instance in instances:
            key = instance.instance_id, instance.summarizer_id
            fields = instance.fields
            self.summaries[key] = fields["summary"]
            self.languages[key] = instance.languages
            if references := fields.get("references"):
                self.references[key] = references
            if documents := fields.get("documents"):
                self.documents[key[0]] = "\n".join(map(flatten, documents))

    def languages_of(self, systems: Sequence[str], inputs: Sequence[str]) -> list[list[str]] | None:
        """Return the language codes [system][input] of summaries; None if all are unknown."""
        codes = [
            [languages.summary if (languages := self.languages.get((i, s))) else "" for i in inputs]
            for s in systems
        ]
        return codes if any(map(any, codes)) else None

    def of_input(self, instance: str, systems: Sequence[str]) -> InputTexts:
        """Return the document and the references of an input, as these systems have them."""
        references: dict[str, str] = {}
        for system in systems:
            key = instance, system
            languages = self.languages.get(key, UNKNOWN_LANGUAGES)
            for at, reference in enumerate(self.references.get(key, ())):
                references.setdefault(text_lines(reference), languages.reference(at))
        document = self.documents.get(instance)
        return InputTexts(
            None if document is None else text_lines(document),
            list(references),
            list(references.values()),
        )

    def _take_documents(self, row: Row, instance: str, *, required: bool) -> None:
        if required or not row.values.keys().isdisjoint(("document", "documents")):
            self.documents[instance] = "\n".join(map(flatten, row.required_texts("documents")))


def text_lines(text: Text) -> str:
    """Return a text as one string, a line per sentence."""
    return text if isinstance(text, str) else "\n".join(text)
