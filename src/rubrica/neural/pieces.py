"""Tokens of subword tokenizers as pieces of words: what they say, and whether they go on with a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# What the token of a word's beginning starts with (byte-level BPE, SentencePiece).
_BEGINNINGS = ("Ġ", "▁")


@dataclass(frozen=True, slots=True)
class Piece:
    """A token: its own spelling, its text without marks, and whether it continues a word."""

    token: str
    text: str
    continues: bool


def pieces(tokenizer: Any, ids: Sequence[int]) -> list[Piece]:
    """The pieces of a text's token ids; tokens the tokenizer added begin words."""
    tokens = tokenizer.convert_ids_to_tokens(list(ids))
    added = set(tokenizer.all_special_tokens)
    marked = any(token.startswith(_BEGINNINGS) for token in tokens if token not in added)
    made, fresh = [], True
    for token in tokens:
        if token in added:
            made.append(Piece(token, token, False))
            fresh = True
            continue
        begins = token.startswith(_BEGINNINGS)
        continues = not begins and not fresh if marked else token.startswith("##")
        text = token[1:] if begins else token.removeprefix("##")
        made.append(Piece(token, text, continues))
        fresh = False
    return made
