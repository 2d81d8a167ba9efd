"""The reader `tab-pairs`."""

from collections.abc import Iterator

from rubrica.data import EvalInstance, Fields
from rubrica.data.files import read_text_lines
from rubrica.datasets.readers import DatasetReader
from rubrica.errors import DataError


class TabPairsReader(DatasetReader):
    """A document and its summary per line, with a tab between them.

    Args:
        system: The system's name.
    """

    fields = ("summary", "documents")

    def __init__(self, system: str = "system") -> None:
        self.system = system

    def read(self, *files: str) -> Iterator[EvalInstance]:
        for file in files:
            for line, text in read_text_lines(file):
                document, tab, summary = text.partition("\t")
                if not tab:
                    raise DataError("no tab; reader 'tab-pairs' needs it", file=file, line=line)
                fields = Fields(summary=summary, documents=[document])
                yield EvalInstance(str(line), self.system, "peer", fields, f"{file}:{line}")
