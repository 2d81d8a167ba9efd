"""The one door to the kernels: compiled where it was built, plain Python elsewhere.

`RUBRICA_CORE=python` forces the plain kernels, `RUBRICA_CORE=native` refuses to run without the
compiled ones. Both give equal results; `IMPLEMENTATION` says which is in use.
"""

from __future__ import annotations

import os
from typing import Literal

# The compiled twins of these are being written; until then the plain ones serve both.
from rubrica.core.kernels_py_rouge import (
    rouge155_bootstrap,
    rouge155_bootstrap_sums,
    rouge_counts,
    round5,
)
from rubrica.errors import MissingResourceError

IMPLEMENTATION: Literal["native", "python"]

_wanted = os.environ.get("RUBRICA_CORE", "")
if _wanted not in ("", "native", "python"):
    raise MissingResourceError(
        f"RUBRICA_CORE={_wanted!r} is not known; use 'native' or 'python', or unset it"
    )

if _wanted == "python":
    from rubrica.core.kernels_py import bootstrap_sums

    IMPLEMENTATION = "python"
else:
    try:
        from rubrica.core._native import bootstrap_sums  # noqa: TID251 (this is the door)

        IMPLEMENTATION = "native"
    except ImportError as missing:
        if _wanted == "native":
            raise MissingResourceError(
                "RUBRICA_CORE=native, but the compiled kernels are not installed; "
                "reinstall with a C++20 compiler present: pip install --force-reinstall rubrica"
            ) from missing
        from rubrica.core.kernels_py import bootstrap_sums

        IMPLEMENTATION = "python"

__all__ = [
    "IMPLEMENTATION",
    "bootstrap_sums",
    "rouge155_bootstrap",
    "rouge155_bootstrap_sums",
    "rouge_counts",
    "round5",
]
