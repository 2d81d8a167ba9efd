"""Code shared by the years of MultiLing: licence, languages by name, plain texts."""

from __future__ import annotations

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile

CODES = {
    "arabic": "ar",
    "chinese": "zh",
    "czech": "cs",
    "english": "en",
    "french": "fr",
    "greek": "el",
    "hebrew": "he",
    "hindi": "hi",
    "romanian": "ro",
    "spanish": "es",
}


class MultiLingDataset(Dataset, abstract=True):
    """A year of MultiLing. Texts keep their lines; no sentence splitter is applied."""

    licence = (
        "MultiLing's corpora are made of WikiNews and Wikipedia texts under Creative Commons licences "
        "(CC BY, CC BY-SA); see the terms that come with the archives"
    )
    homepage = "http://multiling.iit.demokritos.gr/"
    size = "your own copy"


def code_of(name: str, file: RawFile) -> str:
    """Return the code of a language's English name."""
    code = CODES.get(name.lower())
    if code is None:
        raise file.error(f"unknown language {name!r} (known: {', '.join(CODES)})")
    return code


def add_document(part: Judgments, topic: str, file: RawFile, out: Output) -> None:
    """Add a document of a cluster; one without text is left out."""
    lines = file.lines()
    if lines:
        part.add_documents(topic, [{"name": file.name, "text": lines}])
    else:
        out.leave_out("documents without text")
