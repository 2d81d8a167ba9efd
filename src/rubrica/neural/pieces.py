"""Subword tokens as pieces of words: their text, and whether they continue a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Prefixes of tokens that begin a word (byte-level BPE, SentencePiece).
_BEGINNINGS = ("Ġ", "▁")


@dataclass(frozen=True, slots=True)
class Piece:
    """A token: its spelling, its text without marks, and whether it continues a word."""

    token: str
    text: str
    continues: bool


def pieces(tokenizer: Any, ids: Sequence[int]) -> list[Piece]:
    """Return the pieces of a text's token ids; special tokens begin words."""
    tokens = tokenizer.convert_ids_to_tokens(list(ids))
    special = set(tokenizer.all_special_tokens)
    marks_beginnings = any(
        token.startswith(_BEGINNINGS) for token in tokens if token not in special
    )
    result, fresh = [], True
    for token in tokens:
        if token in special:
            result.append(Piece(token, token, False))
            fresh = True
            continue
        begins = token.startswith(_BEGINNINGS)
        continues = not begins and not fresh if marks_beginnings else token.startswith("##")
        text = token[1:] if begins else token.removeprefix("##")
        result.append(Piece(token, text, continues))
        fresh = False
    return result
