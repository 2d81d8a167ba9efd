"""Texts and human scores of TAC topics, in the JSON files of MoverScore's release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubrica.datasets.released.judged_texts import JudgedTexts, JudgedTextsBuilder
from rubrica.datasets.released.values import as_mapping, as_number, as_sentences, read_json
from rubrica.errors import DataError


def read_topics(
    paths: Sequence[Path],
    *,
    annotations: Mapping[str, str],
    min_sentences: int = 1,
    without: Sequence[str] = (),
) -> JudgedTexts:
    """Read topics in the layout of MoverScore's TAC files: topic -> references, annotations of summaries.

    Summaries with fewer than `min_sentences` are left out, as the released code does, and so are the
    systems in `without`.
    """
    texts = JudgedTextsBuilder()
    for path in paths:
        for topic, content in as_mapping(read_json(path), path).items():
            references = [
                as_sentences(reference.get("text"), path)
                for reference in _objects(content, "references", path)
            ]
            for number, entry in enumerate(_objects(content, "annotations", path), 1):
                summary = as_sentences(entry.get("text"), path)
                system = entry.get("summ_id")
                if len(summary) < min_sentences or str(system) in without:
                    continue
                scores = {
                    measure: as_number(entry.get(key), key, path, number)
                    for measure, key in annotations.items()
                }
                fields = {"summary": summary, "references": references}
                texts.add(topic, system, fields, scores)
    return texts.build()


def _objects(topic: Any, key: str, path: Path) -> list[Mapping[Any, Any]]:
    """Return the list of objects at a key of a topic."""
    objects = as_mapping(topic, path).get(key)
    if not isinstance(objects, list):
        raise DataError(f"a topic has no list {key!r}", file=str(path))
    return [as_mapping(item, path) for item in objects]
