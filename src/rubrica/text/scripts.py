"""Detect the script of a text, and how to tokenize it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

# Words are not separated by blanks; UAX #29 then cuts single characters.
_UNSPACED = {"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}
LETTERS_EXAMINED = 2000
_OTHER_LETTERS = re.compile(r"[^\x00-\x7f\W_]")
_NO_LETTERS = bytes(byte for byte in range(128) if not chr(byte).isalnum())


def mostly_other_letters(text: str) -> bool:
    """Return whether more than half of the letters and digits are outside ASCII."""
    if text.isascii():
        return False
    ascii_text = text.encode("ascii", "ignore")
    letters = len(ascii_text.translate(None, _NO_LETTERS))
    if len(text) - len(ascii_text) <= letters:
        return False
    return len(_OTHER_LETTERS.findall(text)) > letters


def without_blanks(text: str) -> bool:
    """Return whether the text is in a script that does not put blanks between words (Chinese, Thai...)."""
    script = main_script([text]) if mostly_other_letters(text) else ""
    return script in _UNSPACED or script in ("CJK", "HIRAGANA")


def main_script(texts: Iterable[str]) -> str:
    """Return the script of most letters as in Unicode names: LATIN, CYRILLIC, THAI, CJK...; "" for none.

    Japanese counts as HIRAGANA wherever kana are a tenth of the letters.
    """
    counts: Counter[str] = Counter()
    left = LETTERS_EXAMINED
    for text in texts:
        for letter in filter(str.isalpha, text[:left]):
            counts[unicodedata.name(letter, "?").partition(" ")[0]] += 1
        left -= len(text)
        if left <= 0:
            break
    if not counts:
        return ""
    if 10 * (counts["HIRAGANA"] + counts["KATAKANA"]) >= counts.total():
        return "HIRAGANA"
    return counts.most_common(1)[0][0]


def hint(texts: Iterable[str]) -> str:
    """Return how to score texts of this script with ROUGE, for the end of a warning."""
    script = main_script(texts)
    advice = "profile='unicode' reads every script"
    if script == "CJK":
        return f"{advice}: Chinese as characters, or as words with tokenizer='jieba'"
    if script == "HIRAGANA":
        return f"{advice}: Japanese as characters, or as words with tokenizer='fugashi'"
    if script in _UNSPACED:
        return f"{advice}: {script.capitalize()} as characters, or as your own tokenizer splits it"
    if script:
        return f"{advice}: {script.capitalize()} as words"
    return advice
