"""A batch of rows as columns, and scores as columns: no Python object per row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubrica.data.metrics import MetricsDict
from rubrica.data.value_table import Path


class Texts(Protocol):
    """A text per row."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: SupportsIndex) -> str: ...

    def __iter__(self) -> Iterator[str]: ...

    def non_ascii(self) -> list[str]:
        """Return the texts that are not ASCII."""
        ...

    def unique(self) -> tuple[Self, NDArray[np.int64]]:
        """Return the distinct texts in order of appearance, and the place of each text among them."""
        ...


class ListsOfTexts(Protocol):
    """A list of texts per row."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: SupportsIndex) -> list[str]: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where the texts of each row end among all texts."""
        ...

    @property
    def texts(self) -> Texts:
        """All texts of all rows."""
        ...


Column: TypeAlias = Texts | ListsOfTexts


@dataclass(frozen=True, slots=True)
class ColumnBatch:
    """Rows that follow each other in a file: a column per field."""

    file: str
    # The number of the first row's line.
    first: int
    instance_ids: Texts
    summarizer_ids: Texts
    summarizer_types: Texts
    fields: Mapping[str, Column]

    def __len__(self) -> int:
        return len(self.instance_ids)

    def reference_counts(self) -> NDArray[np.int64] | None:
        """Return the number of references of each row; None where rows have no such field."""
        references = self.fields.get("references")
        return None if references is None else list_lengths(references)  # type: ignore[arg-type]


def list_lengths(lists: ListsOfTexts) -> NDArray[np.int64]:
    """Return the number of texts in each row."""
    return np.diff(lists.ends, prepend=0)


@dataclass(frozen=True, slots=True)
class ColumnScores:
    """The scores of one metric: a row per summary and a column per measure."""

    paths: list[Path]
    values: NDArray[np.float64]
    # The same as nested dicts, for Python code.
    to_dicts: Callable[[], list[MetricsDict]]
    # What single rows add to signatures; empty where no row adds anything.
    facts: Sequence[Mapping[str, str]] = ()
