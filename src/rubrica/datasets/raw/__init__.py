"""Raw data of benchmarks: trees of files and archives, records, SGML and workbooks."""

from rubrica.datasets.raw.tree import Raw

__all__ = ["Raw"]
