"""Writes recorded_spacy.json.gz: what spaCy's English tokenizer makes of the texts. Needs spacy 3.8.

Run it in an environment of its own: python tests/differential/record_spacy_tokens.py
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import spacy

from support.spacy_texts import texts

if __name__ == "__main__":
    tokenizer = spacy.blank("en").tokenizer
    tokens = {text: [token.text for token in tokenizer(text)] for text in texts()}
    told = json.dumps({"spacy": spacy.__version__, "tokens": tokens}, ensure_ascii=False)
    out = Path(__file__).parent / "recorded_spacy.json.gz"
    out.write_bytes(gzip.compress(told.encode(), mtime=0))
