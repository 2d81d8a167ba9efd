"""Texts and human judgments in BARTScore's pickles: scored summaries, and ranked translations of WMT."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rubrica.data.formats.safe_pickle import read_pickle
from rubrica.datasets.released.judged_texts import JudgedTexts, JudgedTextsBuilder, Pooling
from rubrica.datasets.released.values import as_mapping, as_text


def read_text_pickle(
    paths: Sequence[Path],
    *,
    reference: str = "ref_summ",
    document: str = "",
    stop: str = "",
    pooling: Pooling = "jointly",
) -> JudgedTexts:
    """Read texts in BARTScore's layout: a document holds `sys_summs`, or one `sys_summ` and `scores`.

    `document` is the key of the source text, if metrics need it. `stop` splits texts into sentences, as the
    released code does.
    """
    texts = JudgedTextsBuilder()
    for path in paths:
        for name, value in as_mapping(read_pickle(path.read_bytes(), str(path)), path).items():
            entry = as_mapping(value, path)
            references_of_entry = entry.get(reference)
            references = (
                references_of_entry
                if isinstance(references_of_entry, list)
                else [references_of_entry]
            )
            source = {"documents": [as_text(entry.get(document), path)]} if document else {}
            systems = entry.get("sys_summs", {"all": entry})
            for system, content in as_mapping(systems, path).items():
                output = as_mapping(content, path)
                fields = {
                    "summary": _sentences(output.get("sys_summ"), stop, path),
                    "references": [_sentences(text, stop, path) for text in references],
                    **source,
                }
                texts.add(name, system, fields, as_mapping(output.get("scores"), path))
    return texts.build(pooling)


def _sentences(value: Any, stop: str, path: Path) -> str | list[str]:
    text = as_text(value, path)
    return text.split(f" {stop} ") if stop else text


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
