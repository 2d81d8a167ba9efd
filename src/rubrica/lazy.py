"""Names of a package that are imported when they are first asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, addresses: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`: name -> what stands at its address `module:attribute`."""

    def load(name: str) -> Any:
        if name not in addresses:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = addresses[name].partition(":")
        return getattr(importlib.import_module(module), attribute)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *addresses})

    return load, names
