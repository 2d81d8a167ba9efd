"""Sentences of SacreROUGE's files: its readers cut English texts by NLTK's Punkt, each data set in its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rubrica.data.instance import Text
from rubrica.datasets.sacrerouge.rows import Row
from rubrica.text.sentences import punkt_tokenizer

Cut = Callable[[Text], Any]
# Facts of an input that are texts, wherever they are in its topic or question.
_FACTS = ("narrative",)


def cut_strings(text: Text) -> Any:
    """Return the sentences of a string; lists are cut already."""
    return _sentences(text) if isinstance(text, str) else text


def cut_lines(text: Text) -> list[str]:
    """Return the sentences of every line."""
    return [sentence for line in _lines(text) for sentence in _sentences(line)]


def cut_paragraphs(text: Text) -> list[list[str]]:
    """Return the sentences of every paragraph; a string is one paragraph."""
    return [_sentences(paragraph) for paragraph in _lines(text)]


def cut_whole(text: Text) -> list[str]:
    """Return the sentences of the lines together, as a text in which a sentence may go on in the next line."""
    return _sentences("\n".join(_lines(text)))


def cut_running(text: Text) -> list[str]:
    """Return the sentences of the lines joined by blanks."""
    return _sentences(" ".join(_lines(text)))


def cut_input(row: Row, documents: Cut, summaries: Cut) -> Row:
    """Return an input with its documents, summaries and the narrative of its topic or question cut."""
    cut: Row = {}
    for key, value in row.items():
        if key in ("document", "documents"):
            cut[key] = cut_text(value, documents)
        elif key == "summaries":
            cut[key] = cut_text(value, summaries)
        elif isinstance(value, dict):
            cut[key] = {
                name: cut_strings(fact) if name in _FACTS else fact for name, fact in value.items()
            }
        else:
            cut[key] = value
    return cut


def cut_summary(row: Row, cut: Cut) -> Row:
    """Return a row of a summary whose text and references are cut."""
    return {
        **row,
        "summary": cut_text(row["summary"], cut),
        "references": cut_text(row["references"], cut),
    }


def cut_text(value: Any, cut: Cut) -> Any:
    """Return a record of a text, or a list of them, with the text cut; extracts have labels instead."""
    if isinstance(value, list):
        return [cut_text(record, cut) for record in value]
    return {**value, "text": cut(value["text"])} if "text" in value else value


def _lines(text: Text) -> list[str]:
    return [text] if isinstance(text, str) else list(text)


def _sentences(text: str) -> list[str]:
    return punkt_tokenizer()(text) if text else []
