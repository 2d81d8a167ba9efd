"""Write the tree and the layers in CONTRIBUTING.md from the packages' docstrings and from pyproject.toml.

    python tools/write_tree.py [--check]

With --check nothing is written; the exit code says whether the page is up to date.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rubrica"
PAGE = ROOT / "CONTRIBUTING.md"


def layers() -> list[list[str]]:
    """Return the layers of import-linter's contract, the highest first; each is a list of module names."""
    with open(ROOT / "pyproject.toml", "rb") as stream:
        contract = tomllib.load(stream)["tool"]["importlinter"]["contracts"][0]
    return [re.findall(r"\w+", layer) for layer in contract["layers"]]


def purpose(module: Path) -> str:
    """Return the first sentence of a module's docstring, without its full stop."""
    docstring = ast.get_docstring(ast.parse(module.read_text("utf-8"))) or ""
    return docstring.partition("\n")[0].rstrip(".")


def tree() -> Iterator[str]:
    """Yield the lines of the tree: packages from the lowest layer to the highest, with their subpackages."""
    yield "src/rubrica/"
    for layer in reversed(layers()):
        for name in layer:
            package = PACKAGE / name / "__init__.py"
            if not package.exists():
                yield f"  {name + '.py':<18}{purpose(PACKAGE / f'{name}.py')}"
                continue
            yield f"  {name + '/':<18}{purpose(package)}"
            for inner in sorted(package.parent.glob("*/__init__.py")):
                yield f"    {inner.parent.name + '/':<16}{purpose(inner)}"


def sections() -> dict[str, str]:
    """Return what belongs between the page's markers."""
    order = "\n".join(" | ".join(layer) for layer in layers())
    return {"tree": "\n".join(tree()), "layers": order}


def filled(page: str) -> str:
    """Return the page with its generated sections replaced."""
    for name, text in sections().items():
        section = re.search(rf"<!-- {name}: .*? -->\n\n```text\n(.*?)\n```", page, flags=re.DOTALL)
        if section is None:
            raise SystemExit(f"{PAGE.name} has no section {name!r}")
        page = page[: section.start(1)] + text + page[section.end(1) :]
    return page


def main() -> int:
    """Write the page, or check it."""
    page = PAGE.read_text("utf-8")
    current = filled(page)
    if "--check" in sys.argv[1:]:
        if page != current:
            print(f"{PAGE.name} is out of date: run python tools/write_tree.py", file=sys.stderr)
        return int(page != current)
    PAGE.write_text(current, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
