"""MultiLing's single documents: Wikipedia articles, their summaries the leads."""

from __future__ import annotations

from collections.abc import Iterable

from rubrica.datasets.judgments import Judgments
from rubrica.datasets.raw.file import RawFile

REFERENCE = "wikipedia-lead"


def add_articles(
    parts: dict[str, Judgments], *, bodies: Iterable[RawFile], summaries: Iterable[RawFile]
) -> None:
    """Add articles and leads in folders named by language code; the hash in the name is the input.

    "simple" (simple English) is not a language of its own and is left out.
    """
    for file in bodies:
        if file.folder != "simple" and (lines := file.lines()):
            document = {"name": article(file), "text": lines}
            parts[file.folder].add_documents(article(file), [document])
    for file in summaries:
        if file.folder != "simple":
            part = parts[file.folder]
            with file.noting():
                part.add_summary(article(file), REFERENCE, file.lines() or "", kind="reference")


def article(file: RawFile) -> str:
    """Return the article's hash: the name up to the first `_` or dot."""
    return file.name.partition(".")[0].partition("_")[0]
