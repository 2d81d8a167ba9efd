"""All readers: the table of their names, and their classes, imported when asked for."""

from __future__ import annotations

from rubrica.lazy import lazy_names

# name -> "module:class"; a reader's module is imported when the reader is first used.
ADDRESSES = {
    "arrow": "rubrica.datasets.readers.arrow:ArrowReader",
    "csv": "rubrica.datasets.readers.delimited:CsvReader",
    "document-based": "rubrica.datasets.readers.rows:DocumentBasedReader",
    "ducview": "rubrica.datasets.readers.ducview:DucViewReader",
    "json": "rubrica.datasets.readers.json_tables:JsonReader",
    "jsonl": "rubrica.datasets.readers.tables:JsonlReader",
    "parquet": "rubrica.datasets.readers.parquet:ParquetReader",
    "pyramid-based": "rubrica.datasets.readers.pyramids:PyramidBasedReader",
    "query-document-based": "rubrica.datasets.readers.rows:QueryDocumentBasedReader",
    "reference-based": "rubrica.datasets.readers.rows:ReferenceBasedReader",
    "reference-document-based": "rubrica.datasets.readers.rows:ReferenceDocumentBasedReader",
    "split-document-based": "rubrica.datasets.readers.split_documents:SplitDocumentBasedReader",
    "split-reference-based": "rubrica.datasets.readers.split_references:SplitReferenceBasedReader",
    "summary-only": "rubrica.datasets.readers.rows:SummaryOnlyReader",
    "text": "rubrica.datasets.readers.lines:LineAlignedReader",
    "votes-based": "rubrica.datasets.readers.votes:VotesReader",
    "xlsx": "rubrica.datasets.readers.workbook:WorkbookReader",
}

_CLASSES = {
    "DatasetReader": "rubrica.datasets.readers.base:DatasetReader",
    **{address.rpartition(":")[2]: address for address in ADDRESSES.values()},
}

__all__ = sorted(_CLASSES)  # noqa: PLE0605 (names are loaded on first use)
__getattr__, __dir__ = lazy_names(__name__, _CLASSES)
