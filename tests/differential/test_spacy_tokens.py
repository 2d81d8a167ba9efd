"""English tokens against those that spaCy 3.8 was recorded to make."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from spacy_texts import texts

from rubrica.text.english_tokens import english_tokens

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
