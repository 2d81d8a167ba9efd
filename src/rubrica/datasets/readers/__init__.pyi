"""All readers: the table of their names, and their classes, imported when asked for."""

from rubrica.datasets.readers.arrow import ArrowReader as ArrowReader
from rubrica.datasets.readers.base import DatasetReader as DatasetReader
from rubrica.datasets.readers.delimited import CsvReader as CsvReader
from rubrica.datasets.readers.ducview import DucViewReader as DucViewReader
from rubrica.datasets.readers.json_tables import JsonReader as JsonReader
from rubrica.datasets.readers.lines import LineAlignedReader as LineAlignedReader
from rubrica.datasets.readers.parquet import ParquetReader as ParquetReader
from rubrica.datasets.readers.pyramids import PyramidBasedReader as PyramidBasedReader
from rubrica.datasets.readers.rows import DocumentBasedReader as DocumentBasedReader
from rubrica.datasets.readers.rows import QueryDocumentBasedReader as QueryDocumentBasedReader
from rubrica.datasets.readers.rows import ReferenceBasedReader as ReferenceBasedReader
from rubrica.datasets.readers.rows import ReferenceDocumentBasedReader as ReferenceDocumentBasedReader
from rubrica.datasets.readers.rows import SummaryOnlyReader as SummaryOnlyReader
from rubrica.datasets.readers.split_documents import SplitDocumentBasedReader as SplitDocumentBasedReader
from rubrica.datasets.readers.split_references import SplitReferenceBasedReader as SplitReferenceBasedReader
from rubrica.datasets.readers.tables import JsonlReader as JsonlReader
from rubrica.datasets.readers.votes import VotesReader as VotesReader
from rubrica.datasets.readers.workbook import WorkbookReader as WorkbookReader

__all__ = ["ArrowReader", "CsvReader", "DatasetReader", "DocumentBasedReader", "DucViewReader", "JsonReader", "JsonlReader", "LineAlignedReader", "ParquetReader", "PyramidBasedReader", "QueryDocumentBasedReader", "ReferenceBasedReader", "ReferenceDocumentBasedReader", "SplitDocumentBasedReader", "SplitReferenceBasedReader", "SummaryOnlyReader", "VotesReader", "WorkbookReader"]

ADDRESSES: dict[str, str]
