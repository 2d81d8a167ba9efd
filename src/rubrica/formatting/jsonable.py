"""Results as plain data: what JSON can hold, with `null` where something is undefined."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from rubrica.signature import Signature


def to_jsonable(value: Any, *, without: Collection[str] = ()) -> Any:
    """Return results as dictionaries, arrays as lists, signatures as their line, and NaN as None.

    Fields named in `without` are left out, at every depth.
    """
    if isinstance(value, Signature):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value) if item.name not in without]
        return {name: to_jsonable(getattr(value, name), without=without) for name in names}
    if isinstance(value, np.ndarray):
        return to_jsonable(value.tolist(), without=without)
    if isinstance(value, np.generic):
        return to_jsonable(value.item(), without=without)
    if isinstance(value, Mapping):
        return {str(key): to_jsonable(item, without=without) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_jsonable(item, without=without) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


plain = to_jsonable  # its name in 0.1
