"""English tokens against those that spaCy 3.8 was recorded to make."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from rubrica.text.english_tokens import english_tokens
from rubrica.text.sentences import sentences_of
from support.spacy_texts import texts

RECORDED = json.loads(
    gzip.decompress((Path(__file__).parent / "recorded_spacy.json.gz").read_bytes())
)["tokens"]


def test_tokens_are_spacys() -> None:
    assert list(RECORDED) == texts()
    assert sum(map(len, RECORDED.values())) > 5000
    different = {
        text: (english_tokens(text), theirs)
        for text, theirs in RECORDED.items()
        if english_tokens(text) != theirs
    }
    assert not different


@pytest.mark.parametrize(
    "unit", ["!", "a", "a-", ".", "(a", "a.b", "'s", "1km", "Dr. X ", '?"', "):"]
)
def test_long_runs_of_anything_are_cut_in_linear_time(unit: str) -> None:
    # Quadratic time would be seconds here for each, and minutes for a longer text.
    text = unit * (100_000 // len(unit))
    assert "".join(english_tokens(text)) == text.replace(" ", "")
    assert "".join(sentences_of(text)).replace(" ", "") == text.replace(" ", "")
