"""Stop lists by name: common words that some metrics leave out.

- `smart`: SMART's list with the newswire additions, as ROUGE-1.5.5 and SIMetrix use it
- `nltk`: NLTK's English list of 179 words (JS, S3); 26 of them hold an apostrophe
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rubrica.core.rouge_words import smart_stopwords
from rubrica.errors import UnknownNameError

STOP_LISTS = ("nltk", "smart")


@cache
def stopwords(name: str) -> frozenset[str]:
    """Return the words of a stop list, in lower case."""
    if name == "smart":
        return smart_stopwords()
    if name == "nltk":
        text = files("rubrica.text").joinpath("data", "nltk_stopwords.txt").read_text("utf-8")
        return frozenset(text.split())
    raise UnknownNameError("stop list", name, STOP_LISTS)
