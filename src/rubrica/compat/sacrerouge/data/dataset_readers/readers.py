"""The readers: each returns the list of instances that Rubrica's reader of the same name reads."""

from __future__ import annotations

from typing import Any

from rubrica.compat.sacrerouge.common import Registrable
from rubrica.compat.sacrerouge.data.fields import EvalInstance, eval_instance
from rubrica.datasets import readers


class DatasetReader(Registrable):
    """Reads files; a subclass defines `read`."""

    def read(self, *args: Any) -> list[EvalInstance]:
        """Return the instances of the files."""
        raise NotImplementedError


def _read(name: str, *files: str, **parameters: Any) -> list[EvalInstance]:
    reader = readers.DatasetReader.from_config({"type": name, **parameters})
    return [eval_instance(instance) for instance in reader.read(*files)]


@DatasetReader.register("reference-based")
class ReferenceBasedDatasetReader(DatasetReader):
    """A summary and its references per row."""

    def read(self, input_jsonl: str) -> list[EvalInstance]:
        """Return the instances of the file."""
        return _read("reference-based", input_jsonl)


@DatasetReader.register("document-based")
class DocumentBasedDatasetReader(DatasetReader):
    """A summary and its documents per row."""

    def read(self, input_jsonl: str) -> list[EvalInstance]:
        """Return the instances of the file."""
        return _read("document-based", input_jsonl)


@DatasetReader.register("split-document-based")
class SplitDocumentBasedDatasetReader(DatasetReader):
    """Documents in one file, summaries in another."""

    def read(self, documents_jsonl: str, summaries_jsonl: str) -> list[EvalInstance]:
        """Return an instance per summary, with the documents of its input."""
        return _read("split-document-based", documents_jsonl, summaries_jsonl)


@DatasetReader.register("summary-only")
class SummaryOnlyDatasetReader(DatasetReader):
    """A summary per row."""

    def read(self, input_jsonl: str) -> list[EvalInstance]:
        """Return the instances of the file."""
        return _read("summary-only", input_jsonl)


@DatasetReader.register("pyramid-based")
class PyramidBasedDatasetReader(DatasetReader):
    """Pyramids in one file, the annotations of summaries in another."""

    def __init__(self, include_reference_annotations: bool = True) -> None:
        self.include_reference_annotations = include_reference_annotations

    def read(self, pyramid_jsonl: str, annotation_jsonl: str) -> list[EvalInstance]:
        """Return an instance per annotation and, unless switched off, per reference of a pyramid."""
        return _read(
            "pyramid-based",
            pyramid_jsonl,
            annotation_jsonl,
            include_reference_annotations=self.include_reference_annotations,
        )


def flatten_document(document: Any) -> list[str] | str:
    """Return nested lists of texts as one list; a text stays what it is."""
    if isinstance(document, str):
        return document
    flat: list[str] = []
    for part in document:
        flat += [part] if isinstance(part, str) else flatten_document(part)
    return flat


def flatten_documents(documents: list[Any]) -> list[list[str] | str]:
    """Return every document flat."""
    return [flatten_document(document) for document in documents]
