"""A drop-in for the package `sacrerouge` 0.2.5: its modules, classes, functions and command lines, on Rubrica's metrics.

    import rubrica.compat.sacrerouge; rubrica.compat.sacrerouge.install()

After that line `import sacrerouge`, and every module below it, gives this package. Numbers are those of SacreROUGE;
docs/sacrerouge.md lists what differs."""

from rubrica.compat.sacrerouge.arguments import build_argument_parser as build_argument_parser
from rubrica.compat.sacrerouge.modules import install as install

__all__ = ["__version__", "build_argument_parser", "install"]

__version__: str
