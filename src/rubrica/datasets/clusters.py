"""Clusters of inputs from files: `--cluster FIELD` or `--cluster id:REGEX`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import msgspec

from rubrica.data.clusters import (
    Clusters,
    cluster_pattern,
    hold_clusters,
    suggested_pattern,
    warn_of_rule,
)
from rubrica.data.files import read_lines
from rubrica.data.scores.columns import TableColumns
from rubrica.data.scores.rows import holds_scores, read_score_fields
from rubrica.datasets.open import detect
from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.datasets.readers.inputs import extension
from rubrica.datasets.readers.tables import JsonlReader, TableReader
from rubrica.errors import RubricaError, UsageError

Fields = tuple[str, int, Mapping[str, Any]]

# Names of fields that several inputs share.
_FIELDS = {"topic", "topic_id", "cluster", "cluster_id", "docset", "docset_id", "event", "event_id"}
_FIRST_ROWS = 1000


def read_clusters(
    rule: str | None,
    files: Sequence[str],
    *,
    reader: DatasetReader | None = None,
    mapping: TableColumns | None = None,
) -> Clusters | None:
    """Return the clusters of the inputs in these files; None without a rule, with a warning if a field looks like one.

    A rule is `id:REGEX`, or a field of the rows. A field is read from the files once more, by the reader of the
    summaries, or with the columns of the scores (`mapping`), so that ids are the same.
    """
    if rule is None:
        _warn_of_field(files)
        return None
    pattern = cluster_pattern(rule)
    if pattern is not None:
        return Clusters.by_id(pattern)
    return Clusters.from_rows(rule, _rows(files, reader, mapping))


def _warn_of_field(files: Sequence[str]) -> None:
    """Warn where the first rows have a field such as `topic` that inputs share; their ids may say it, too."""
    values: dict[str, dict[str, str]] = {}
    for file in files:
        # Pipes can be read only once.
        if not os.path.isfile(file):
            continue
        with suppress(RubricaError, msgspec.MsgspecError, RecursionError):
            for _, line in islice(read_lines(file), _FIRST_ROWS):
                row = msgspec.json.decode(line, type=dict[str, Any])
                for field in _FIELDS & row.keys():
                    if isinstance(row[field], (str, int)):
                        inputs = values.setdefault(field, {})
                        inputs[str(row.get("instance_id"))] = str(row[field])
    for field, inputs in sorted(values.items()):
        if hold_clusters(inputs.values()) and not suggested_pattern(list(inputs)):
            warn_of_rule(f"rows with the same {field!r}", f'clusters="{field}"')
            return


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
