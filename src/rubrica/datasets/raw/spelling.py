"""What two spellings of one text have in common."""

from __future__ import annotations

from rubrica.data.instance import Text


def letters(text: Text) -> str:
    """Letters and digits only, in lower case: tokenised or not, cut into sentences or not."""
    whole = text if isinstance(text, str) else " ".join(text)
    return "".join(letter for letter in whole.lower() if letter.isalnum())
