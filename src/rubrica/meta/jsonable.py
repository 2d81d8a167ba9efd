"""Results as plain data: what JSON can hold, with `null` where something is undefined."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from rubrica.signature import Signature


def plain(value: Any, *, without: Collection[str] = ()) -> Any:
    """Frozen results as dictionaries, arrays as lists, signatures as their line, NaN as None.

    Fields named in `without` are left out, at every depth.
    """
    if isinstance(value, Signature):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value) if item.name not in without]
        return {name: plain(getattr(value, name), without=without) for name in names}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), without=without)
    if isinstance(value, np.generic):
        return plain(value.item(), without=without)
    if isinstance(value, Mapping):
        return {str(key): plain(item, without=without) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, without=without) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
