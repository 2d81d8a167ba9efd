"""Write the stubs of packages that load their names on first use, so that editors and type checkers know them.

    python tools/write_stubs.py [--check]

With --check nothing is written; the exit code says whether the stubs are up to date.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import rubrica


def lazy_packages() -> Iterator[ModuleType]:
    """Yield the packages that load their names on first use."""
    yield rubrica
    for info in pkgutil.walk_packages(rubrica.__path__, "rubrica."):
        if info.ispkg:
            package = importlib.import_module(info.name)
            if "__getattr__" in vars(package):
                yield package


def stub(package: ModuleType) -> str:
    """Return the text of a package's stub."""
    load = getattr(package, "_load", package.__getattr__)
    addresses = inspect.getclosurevars(load).nonlocals["addresses"]
    lines = [f'"""{(package.__doc__ or "").strip()}"""', ""]
    for name, address in sorted(addresses.items(), key=lambda item: item[1].split(":")):
        module, _, attribute = address.partition(":")
        lines.append(f"from {module} import {attribute} as {name}")
    for name in sorted(set(getattr(package, "__all__", ())) & set(vars(package)) - set(addresses)):
        if not name.startswith("__"):
            lines.append(f"from {vars(package)[name].__module__} import {name} as {name}")
    # The site lists what a stub exports.
    exported = sorted(getattr(package, "__all__", addresses))
    lines += ["", f"__all__ = {json.dumps(exported)}", ""]
    for name, value in vars(package).items():
        if name == "__version__" or (name.isupper() and not name.startswith("_")):
            kind = "dict[str, str]" if isinstance(value, dict) else type(value).__name__
            lines.append(f"{name}: {kind}")
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Write the stubs, or check them."""
    outdated = []
    for package in lazy_packages():
        assert package.__file__ is not None
        path, text = Path(package.__file__).with_suffix(".pyi"), stub(package)
        if not path.exists() or path.read_text("utf-8") != text:
            outdated.append(package.__name__)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, "utf-8")
    if outdated and "--check" in sys.argv[1:]:
        print(
            f"out of date: {', '.join(outdated)}; run python tools/write_stubs.py", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
