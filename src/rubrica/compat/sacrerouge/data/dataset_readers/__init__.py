"""SacreROUGE's dataset readers."""

from rubrica.compat.sacrerouge.data.dataset_readers.readers import (
    DatasetReader,
    DocumentBasedDatasetReader,
    PyramidBasedDatasetReader,
    ReferenceBasedDatasetReader,
    SplitDocumentBasedDatasetReader,
    SummaryOnlyDatasetReader,
)

__all__ = [
    "DatasetReader",
    "DocumentBasedDatasetReader",
    "PyramidBasedDatasetReader",
    "ReferenceBasedDatasetReader",
    "SplitDocumentBasedDatasetReader",
    "SummaryOnlyDatasetReader",
]
