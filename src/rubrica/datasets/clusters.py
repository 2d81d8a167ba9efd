"""Clusters of inputs from files: `--cluster FIELD` or `--cluster id:REGEX`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rubrica.data.clusters import Clusters, cluster_pattern
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import holds_scores, read_score_fields
from rubrica.datasets.open import detect
from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.tables import JsonlReader, TableReader
from rubrica.errors import UsageError

Fields = tuple[str, int, Mapping[str, Any]]


def read_clusters(
    rule: str | None,
    files: Sequence[str],
    *,
    reader: DatasetReader | None = None,
    mapping: TableColumns | None = None,
) -> Clusters | None:
    """Return the clusters of the inputs in these files; None without a rule.

    A rule is `id:REGEX`, or a field of the rows. A field is read from the files once more, by the reader of the
    summaries, or with the columns of the scores (`mapping`), so that ids are the same.
    """
    if rule is None:
        return None
    pattern = cluster_pattern(rule)
    if pattern is not None:
        return Clusters.by_id(pattern)
    return Clusters.from_rows(rule, _rows(files, reader, mapping))


def _rows(
    files: Sequence[str], reader: DatasetReader | None, mapping: TableColumns | None
) -> Iterator[Fields]:
    for file in files:
        if file == "-" or extension(file) == ".txt":
            raise UsageError(
                f"--cluster: {'standard input' if file == '-' else file} has no fields to read; "
                "use a part of the instance id: --cluster id:REGEX"
            )
        if reader is None and holds_scores(file):
            yield from ((file, line, row) for line, row in read_score_fields(file, mapping))
            continue
        own = READERS.get(detect(file, ()))() if reader is None else reader
        if not isinstance(own, TableReader):
            # Rows of SacreROUGE's schema have their ids under these names.
            own = JsonlReader({"summary": "summary"})
        yield from ((file, line, row) for line, row in own.identified_rows(file))
