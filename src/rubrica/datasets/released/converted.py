"""A benchmark with a registered reader: converted to a temporary folder, then read."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from rubrica.data.scores.rows import read_metrics
from rubrica.datasets.base import setup_dataset
from rubrica.datasets.open import read
from rubrica.datasets.released.judged_texts import JudgedTexts
from rubrica.errors import DataError


def read_dataset(
    paths: Sequence[Path], *, name: str, part: str, without: Sequence[str] = ()
) -> JudgedTexts:
    """Convert a benchmark with its registered reader; return a part's texts and scores, `without` systems."""
    with tempfile.TemporaryDirectory() as folder:
        root = _common_folder(paths)
        setup_dataset(name, root, folder, offline=True)
        summaries = Path(folder) / f"{part}.summaries.jsonl"
        judgments = Path(folder) / f"{part}.metrics.jsonl"
        for file in (summaries, judgments):
            if not file.exists():
                raise DataError(f"data set {name!r} has no part {part!r}", file=str(root))
        instances = [
            instance
            for instance in read(str(summaries), {"summary", "references"})
            if instance.summarizer_id not in without
        ]
        scores = [row for row in read_metrics(judgments) if row.summarizer_id not in without]
        return JudgedTexts(instances, scores)


def _common_folder(paths: Sequence[Path]) -> Path:
    """Return the deepest folder that holds all files."""
    parents = [set(path.parents) for path in paths]
    return max(set.intersection(*parents), key=lambda path: len(path.parts))
