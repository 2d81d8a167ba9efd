"""`--include-packages`: user packages whose import registers metrics and readers."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable

from rubrica.errors import MissingResourceError


def search_working_directory() -> None:
    """Let modules of the working directory be found, as `python script.py` lets its neighbours."""
    if "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, ".")
    # What "." holds may be remembered from another moment, or from another working directory.
    importlib.invalidate_caches()


def import_packages(names: Iterable[str]) -> None:
    """Import packages or modules with all their submodules; the working directory is searched too."""
    search_working_directory()
    for name in names:
        try:
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}."):
                importlib.import_module(module.name)
        except (Exception, SystemExit) as error:
            remedy = "run from the folder that holds it, or install it"
            if not isinstance(error, ModuleNotFoundError):
                remedy = "the package itself fails; fix it first"
            elif error.name not in (name, name.partition(".")[0]):
                remedy = f"it needs {error.name!r}; install that"
            raise MissingResourceError(
                f"--include-packages {name}: cannot be imported ({type(error).__name__}: {error}); "
                f"{remedy}"
            ) from error
