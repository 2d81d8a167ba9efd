"""`ScoreTable`: scores as systems x inputs x measures, the input of all statistics; NaN where absent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.aliases import find_measure
from rubrica.data.frames import frame_of, parts_of_array, parts_of_frame
from rubrica.data.metrics import Metrics, MetricsDict, exact_mean
from rubrica.errors import DataError, MismatchError, UnknownNameError

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Scores by system, input and measure; `values[s, i, m]` is NaN where there is none.

    `lower_is_better` are the measures whose rows say so.
    """

    systems: tuple[str, ...]
    inputs: tuple[str, ...]
    measures: tuple[str, ...]
    values: NDArray[np.float64]
    lower_is_better: Collection[str] = ()

    @classmethod
    def from_metrics(
        cls, rows: Iterable[Metrics], measures: Sequence[str] | None = None
    ) -> ScoreTable:
        """Return a table of the rows; lists count as their mean. Two rows of one summary raise an error.

        `measures` are names as people write them (`rouge-1_f1`, `rouge-1.f1`); by default all, dotted.
        Systems and inputs keep the order in which they first appear.
        """
        row_list = list(rows)
        systems = {row.summarizer_id: None for row in row_list}
        inputs = {row.instance_id: None for row in row_list}
        by_shape = {tuple(path for path, _ in row.metrics.leaves()): None for row in row_list}
        dotted_names = {".".join(path): None for shape in by_shape for path in shape}
        names = tuple(dotted_names) if measures is None else tuple(measures)
        values = np.full((len(systems), len(inputs), len(names)), np.nan)
        at_system = {name: number for number, name in enumerate(systems)}
        at_input = {name: number for number, name in enumerate(inputs)}
        seen: set[tuple[str, str]] = set()
        measured: set[int] = set()
        # Rows of one shape have their measures at the same paths, which are searched once.
        shapes: dict[tuple[Path, ...], list[tuple[int, Path]]] = {}
        for row in row_list:
            if row.key in seen:
                raise MismatchError(f"two rows of scores for {row.key}; merge or remove one")
            seen.add(row.key)
            leaves = dict(row.metrics.leaves())
            shape = tuple(leaves)
            if shape not in shapes:
                shapes[shape] = _places(row.metrics, names)
                measured |= {m for m, _ in shapes[shape]}
            cell = values[at_system[row.summarizer_id], at_input[row.instance_id]]
            for m, path in shapes[shape]:
                value = leaves[path]
                if value is not None:
                    cell[m] = exact_mean(value) if isinstance(value, list) else value
        for m, name in enumerate(names):
            if m not in measured:
                raise UnknownNameError("measure", name, dotted_names)
        return cls(tuple(systems), tuple(inputs), names, values)

    @classmethod
    def from_pandas(cls, frame: Any, measures: Sequence[str] | None = None) -> ScoreTable:
        """Return a table of a long frame: columns `instance_id`, `summarizer_id` and the measures.

        By default every other column but `summarizer_type` is a measure. Missing values are NaN;
        ids become text; two rows of one summary raise an error.
        """
        return cls(*parts_of_frame(frame, measures))

    @classmethod
    def from_polars(cls, frame: Any, measures: Sequence[str] | None = None) -> ScoreTable:
        """Like `from_pandas`; nulls are NaN."""
        return cls(*parts_of_frame(frame, measures))

    @classmethod
    def from_array(
        cls,
        values: ArrayLike,
        *,
        systems: Sequence[str] | None = None,
        inputs: Sequence[str] | None = None,
        measures: Sequence[str] | None = None,
    ) -> ScoreTable:
        """Return a table of a copied array, systems x inputs (x measures); default names are `system-1`, ..."""
        return cls(*parts_of_array(values, systems, inputs, measures))

    def to_pandas(self) -> Any:
        """Return a long pandas frame, one row per summary that has a score; needs pandas."""
        return frame_of("pandas", self.systems, self.inputs, self.measures, self.values)

    def to_polars(self) -> Any:
        """Like `to_pandas`, for polars."""
        return frame_of("polars", self.systems, self.inputs, self.measures, self.values)

    def matrix(self, measure: str) -> NDArray[np.float64]:
        """Return systems x inputs of one measure, named as in `measures` or with `_` for `.`."""
        for number, name in enumerate(self.measures):
            if measure in (name, name.replace(".", "_")):
                return self.values[:, :, number]
        if (alias := find_measure(measure, self.measures)) is not None:
            return self.values[:, :, self.measures.index(alias)]
        raise UnknownNameError("measure", measure, self.measures)


def _places(metrics: MetricsDict, names: Sequence[str]) -> list[tuple[int, Path]]:
    """Return the number and path of each measure that a row has."""
    leaves = {path: None for path, _ in metrics.leaves()}
    by_name = {".".join(path): path for path in reversed(leaves)}
    places = []
    for m, name in enumerate(names):
        # Nearly always the dotted name of a value; other spellings are searched.
        path = by_name.get(name) if name not in metrics else None
        path = path or metrics.find(name)
        if path not in leaves and (measure := find_measure(name, by_name)) is not None:
            path = by_name[measure]
        if path is None:
            continue
        if path not in leaves:
            inside = [
                dotted for dotted, leaf_path in by_name.items() if leaf_path[: len(path)] == path
            ]
            raise DataError(
                f"{name!r} holds several measures; name one of {', '.join(sorted(inside))}"
            )
        places.append((m, path))
    return places
