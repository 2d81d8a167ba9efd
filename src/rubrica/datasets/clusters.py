"""Clusters of inputs from files: `--cluster FIELD` or `--cluster id:REGEX`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rubrica.data.clusters import Clusters, cluster_pattern
from rubrica.datasets.open import detect
from rubrica.datasets.readers.base import READERS
from rubrica.datasets.readers.fields import USUAL_NAMES
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.tables import JsonlReader, TableReader
from rubrica.errors import UsageError


def read_clusters(rule: str | None, files: Sequence[str]) -> Clusters | None:
    """Return the clusters of the inputs in these files; None without a rule.

    A rule is `id:REGEX`, or a field of the rows. A field is read from the files once more.
    """
    if rule is None:
        return None
    pattern = cluster_pattern(rule)
    return (
        Clusters.by_id(pattern) if pattern is not None else Clusters.from_rows(rule, _rows(files))
    )


def _rows(files: Sequence[str]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for file in files:
        ending = extension(file)
        if file == "-" or ending in (".txt", ".eval"):
            raise UsageError(
                f"--cluster: {'standard input' if file == '-' else file} has no fields to read; "
                "use a part of the instance id: --cluster id:REGEX"
            )
        reader = READERS.get(detect(file, ()))()
        if not isinstance(reader, TableReader):
            reader = JsonlReader()
        for number, (line, values) in enumerate(reader.rows(file), 1):
            named = (values[name] for name in USUAL_NAMES["instance_id"].split() if name in values)
            yield file, line, {**values, "instance_id": next(named, number)}
