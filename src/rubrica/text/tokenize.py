"""Words of any language: tokenizers by name, folded so that case and compatible forms do not matter.

`words` are those of UAX #29, which are single characters in scripts without blanks between words
(Chinese, Japanese, Thai, Khmer...); `characters` are graphemes; `jieba` and `fugashi` know the words of
Chinese and Japanese; `module:function` is your own: `def tokens(text: str) -> list[str]`.
"""

from __future__ import annotations

import inspect
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any, TypeAlias, get_type_hints

from rubrica.errors import (
    DefinitionError,
    MissingResourceError,
    ParameterError,
    UnknownNameError,
)
from rubrica.registry import load_address

Tokenizer: TypeAlias = Callable[[str], list[str]]

NAMES = ("words", "characters", "jieba", "fugashi")
# name -> the extra that brings what it needs; the others need regex, which comes with Rubrica
_EXTRAS: Mapping[str, str] = {"jieba": "chinese", "fugashi": "japanese"}


def tokenizer(name: str | Callable[[str], Any]) -> Tokenizer:
    """Return the tokenizer with that name or address, or the function itself.

    Named ones fold the text and keep tokens with a letter or a digit. Your own function decides
    everything itself.
    """
    if callable(name):
        return _own(name, getattr(name, "__qualname__", "tokenizer"))
    if ":" in name:
        return _own(_load_function(name), name)
    if name not in NAMES:
        raise UnknownNameError("tokenizer", name, [*NAMES, "module:function"])
    return _find(name)


def fold(text: str) -> str:
    """Apply NFKC and case folding: replaces full-width forms, ligatures, capitals and sharp s."""
    # Folding can leave sequences that NFKC composes, so normalise again (Unicode, 3.13).
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@cache
def _find(name: str) -> Tokenizer:
    with warnings.catch_warnings():
        # Import warnings of these packages do not concern our users.
        warnings.simplefilter("ignore")
        try:
            cut = _CUTTERS[name]()
        except ImportError as error:
            package = f"'rubrica[{_EXTRAS[name]}]'" if name in _EXTRAS else "regex"
            raise MissingResourceError(
                f"the tokenizer {name!r} needs {error.name or name}: pip install {package}"
            ) from error

    def tokens(text: str) -> list[str]:
        return [part for part in cut(fold(text)) if any(map(str.isalnum, part))]

    return tokens


def _words() -> Tokenizer:
    import regex

    # (?w) makes \b the word boundary of UAX #29.
    cut: Tokenizer = regex.compile(r"(?V1w)\b").split
    return cut


def _characters() -> Tokenizer:
    import regex

    cut: Tokenizer = regex.compile(r"\X").findall
    return cut


def _jieba() -> Tokenizer:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    # Without its model for unknown words, so that a word does not depend on its neighbours.
    return lambda text: list(jieba.cut(text, HMM=False))


def _fugashi() -> Tokenizer:
    import fugashi

    try:
        tagger = fugashi.Tagger()
    except RuntimeError as error:
        raise MissingResourceError(
            "the tokenizer 'fugashi' needs a dictionary: pip install 'rubrica[japanese]'"
        ) from error
    return lambda text: [word.surface for word in tagger(text)]


_CUTTERS: Mapping[str, Callable[[], Tokenizer]] = {
    "words": _words,
    "characters": _characters,
    "jieba": _jieba,
    "fugashi": _fugashi,
}


def _load_function(address: str) -> Callable[[str], Any]:
    """Return the function at an address; its types must say that it is a tokenizer."""
    try:
        function = load_address(address, "the tokenizer")
    except (MissingResourceError, DefinitionError) as error:
        raise ParameterError(str(error)) from error
    if not (isinstance(function, FunctionType) and _cuts_text(function)):
        raise ParameterError(
            f"the tokenizer {address!r} must be a Python function with these types: "
            "def tokens(text: str) -> list[str]"
        )
    return function


def _cuts_text(function: FunctionType) -> bool:
    try:
        types = get_type_hints(function)
    except (NameError, TypeError):
        return False
    first = next(iter(inspect.signature(function).parameters), "")
    return types.get(first) is str and types.get("return") == list[str]


def _own(function: Callable[[str], Any], name: str) -> Tokenizer:
    def tokens(text: str) -> list[str]:
        words = function(text)
        if isinstance(words, str) or not all(isinstance(word, str) for word in words):
            raise ParameterError(
                f"the tokenizer {name!r} must return a list of texts: {words!r:.60}"
            )
        return list(words)

    return tokens


def tokenizer_version(name: str | Callable[[str], Any]) -> dict[str, str]:
    """Return what a signature must record: the package whose version decides the tokens."""
    packages = {"words": "regex", "characters": "regex", "jieba": "jieba", "fugashi": "fugashi"}
    package = packages.get(name) if isinstance(name, str) else None
    if package is None:
        return {}
    from importlib.metadata import version

    return {package: version(package)}
