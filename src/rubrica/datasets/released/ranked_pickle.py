"""Pairs of translations in BARTScore's pickles of WMT: people say which one is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rubrica.data.formats.safe_pickle import read_pickle
from rubrica.datasets.released.judged_texts import JudgedTexts, JudgedTextsBuilder
from rubrica.datasets.released.values import as_mapping, as_text


def read_ranked_pickle(paths: Sequence[Path]) -> JudgedTexts:
    """Read pairs in BARTScore's layout of WMT: a reference, the better and the worse translation."""
    texts = JudgedTextsBuilder()
    for path in paths:
        for name, content in as_mapping(read_pickle(path.read_bytes(), str(path)), path).items():
            document = as_mapping(content, path)
            for system, score in (("better", 1.0), ("worse", 0.0)):
                entry = as_mapping(document.get(system), path)
                fields = {
                    "summary": as_text(entry.get("sys"), path),
                    "references": [as_text(document.get("ref"), path)],
                }
                texts.add(name, system, fields, {"better": score})
    return texts.build()
