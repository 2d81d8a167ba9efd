"""Split documents that are too long for one question, by rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rubrica.data.instance import DocumentType, flatten
from rubrica.text.sentences import sentences_of


def split_documents(
    documents: Sequence[DocumentType], words: int | None, *, numbered: bool = False
) -> list[str]:
    """Return the documents as texts of at most `words` words, cut between sentences; one text if None.

    A part holds one document or several short ones; only a sentence that is longer than `words` is cut.
    With `numbered`, every document (and every part of one) starts with its number: "[2] ...".
    """
    parts: list[str] = []
    sizes: list[int] = []
    for number, document in enumerate(documents, 1):
        text = flatten(document).strip()
        if not text:
            continue
        for piece, size in _pieces(document, text, words):
            shown = f"[{number}] {piece}" if numbered else piece
            if parts and (words is None or sizes[-1] + size <= words):
                parts[-1] += f"\n\n{shown}"
                sizes[-1] += size
            else:
                parts.append(shown)
                sizes.append(size)
    return parts or [""]


def _pieces(document: DocumentType, text: str, words: int | None) -> Iterator[tuple[str, int]]:
    """Yield the pieces of one document with their number of words."""
    size = len(text.split())
    if words is None or size <= words:
        yield text, size
        return
    piece: list[str] = []
    for sentence in sentences_of(document):
        tokens = sentence.split()
        if piece and len(piece) + len(tokens) > words:
            yield " ".join(piece), len(piece)
            piece = []
        piece += tokens
        while len(piece) > words:
            yield " ".join(piece[:words]), words
            piece = piece[words:]
    if piece:
        yield " ".join(piece), len(piece)
