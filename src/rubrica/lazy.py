"""Names of a package that are imported on first use."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, addresses: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package: each name is imported from its address `module:attribute` on first use."""

    def load(name: str) -> Any:
        if name not in addresses:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = addresses[name].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *addresses})

    return load, names
