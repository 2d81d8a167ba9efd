"""Score tables from and to data frames and arrays; pandas and polars are used only if present.

The long format: one row per summary, columns `instance_id`, `summarizer_id` and one per measure.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rubrica.errors import DataError, MismatchError, MissingResourceError, UnknownNameError

IDS = ("instance_id", "summarizer_id")
_NOT_MEASURES = (*IDS, "summarizer_type")

Parts = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], NDArray[np.float64]]


def parts_of_frame(frame: Any, measures: Sequence[str] | None) -> Parts:
    """Return the systems, inputs, measures and values of a pandas or polars frame."""
    columns = [str(name) for name in frame.columns]
    for name in (*IDS, *(measures or ())):
        if name not in columns:
            raise UnknownNameError("column", name, columns)
    chosen = [n for n in columns if n not in _NOT_MEASURES] if measures is None else list(measures)
    ids = [frame[name].to_list() for name in IDS]
    for name, values in zip(IDS, ids, strict=True):
        if any(value is None or value != value for value in values):
            raise DataError(f"column {name!r} has rows without an id")
    inputs, systems = ([str(value) for value in values] for values in ids)
    at_input = {name: number for number, name in enumerate(dict.fromkeys(inputs))}
    at_system = {name: number for number, name in enumerate(dict.fromkeys(systems))}
    rows, places = [at_system[name] for name in systems], [at_input[name] for name in inputs]
    seen: set[tuple[int, int]] = set()
    for key, summary in zip(
        zip(rows, places, strict=True), zip(inputs, systems, strict=True), strict=True
    ):
        if key in seen:
            raise MismatchError(f"two rows of scores for {summary}; merge or remove one")
        seen.add(key)
    values = np.full((len(at_system), len(at_input), len(chosen)), np.nan)
    for number, name in enumerate(chosen):
        values[rows, places, number] = _numbers(frame[name].to_list(), name)
    return tuple(at_system), tuple(at_input), tuple(chosen), values


def parts_of_array(
    values: ArrayLike,
    systems: Sequence[str] | None,
    inputs: Sequence[str] | None,
    measures: Sequence[str] | None,
) -> Parts:
    """Return the same for an array, systems x inputs (x measures); ids default to numbers from 1."""
    array = np.array(values, dtype=np.float64)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise DataError(f"expected systems x inputs (x measures), found {array.ndim} dimensions")
    names = []
    for kind, supplied, count in zip(
        ("system", "input", "measure"), (systems, inputs, measures), array.shape, strict=True
    ):
        plain = [f"{kind}-{number + 1}" for number in range(count)]
        ids = tuple(plain if supplied is None else map(str, supplied))
        if len(ids) != count or len(set(ids)) != count:
            raise MismatchError(f"need {count} different {kind} names, found {len(set(ids))}")
        names.append(ids)
    return names[0], names[1], names[2], array


def frame_of(
    package: str,
    systems: Sequence[str],
    inputs: Sequence[str],
    measures: Sequence[str],
    values: NDArray[np.float64],
) -> Any:
    """Return a frame with one row per summary that has any score, input by input."""
    try:
        module = importlib.import_module(package)
    except ImportError as missing:
        raise MissingResourceError(
            f"{package} is not installed; pip install {package}"
        ) from missing
    present = ~np.isnan(values).all(axis=2) if len(measures) else np.ones(values.shape[:2], bool)
    places, rows = np.nonzero(present.T)
    columns: dict[str, Any] = {
        "instance_id": [inputs[i] for i in places.tolist()],
        "summarizer_id": [systems[s] for s in rows.tolist()],
    }
    for number, name in enumerate(measures):
        columns[name] = values[rows, places, number]
    return module.DataFrame(columns)


def _numbers(column: list[Any], name: str) -> NDArray[np.float64]:
    for value in column:
        if isinstance(value, (str, list, dict)):
            raise DataError(
                f"column {name!r} holds {value!r}, not numbers; name the measure columns"
            )
    try:
        return np.array([np.nan if value is None else value for value in column], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"column {name!r} does not hold numbers: {error}") from error
