"""A drop-in for the package `sacrerouge` 0.2.5: its modules, classes, functions and command lines, on Rubrica's metrics.

    import rubrica.compat.sacrerouge; rubrica.compat.sacrerouge.install()

After that line `import sacrerouge`, and every module below it, gives this package. Numbers are those of SacreROUGE;
docs/sacrerouge.md lists what differs.
"""

from __future__ import annotations

from rubrica.compat.sacrerouge.modules import install
from rubrica.lazy import lazy_names

# The version whose interface this is.
__version__ = "0.2.5"

_PUBLIC = {"build_argument_parser": "rubrica.compat.sacrerouge.arguments:build_argument_parser"}

__all__ = ["__version__", "build_argument_parser", "install"]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
