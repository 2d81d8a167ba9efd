"""Check what an sdist and a wheel contain: every file of the package, the native module, and nothing else.

python tools/check_dist.py DIST
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src"
# What the sdist needs besides the package, and what it must not have.
NEEDED = (
    "LICENSE",
    "NOTICE",
    "README.md",
    "pyproject.toml",
    "CMakeLists.txt",
    "native/src/bindings.cpp",
)
UNWANTED = ("benchmarks/", ".github/", "build/", ".venv/")


def package_files() -> set[str]:
    """Return the files of the package, as an installation names them."""
    ignored = {".so", ".pyc"}
    files = (path for path in (PACKAGE / "rubrica").rglob("*") if path.is_file())
    return {p.relative_to(PACKAGE).as_posix() for p in files if p.suffix not in ignored}


def pages() -> set[str]:
    """Return the pages that `rubrica docs` shows, as an installation names them."""
    docs = ROOT / "docs"
    files = [*docs.glob("*.md"), *docs.glob("metrics/*.md"), *docs.glob("datasets/*.md")]
    return {f"rubrica/docs/{path.relative_to(docs).as_posix()}" for path in files}


def wheel_faults(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    inside = {name for name in names if ".dist-info/" not in name}
    expected = package_files() | pages()
    native = {name for name in inside if name.startswith("rubrica/core/_native.")} - expected
    faults = [f"{wheel.name} lacks {name}" for name in sorted(expected - inside)]
    faults += [f"{wheel.name} has {name}" for name in sorted(inside - native - expected)]
    return faults + [f"{wheel.name} has no native module"] * (not native)


def sdist_faults(sdist: Path) -> list[str]:
    """Return what is wrong with an sdist."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {*NEEDED, *(f"src/{name}" for name in package_files())}
    faults = [f"{sdist.name} lacks {name}" for name in sorted(needed - names)]
    return faults + [f"{sdist.name} has {n}" for n in sorted(names) if n.startswith(UNWANTED)]


def main() -> int:
    """Check both; print their sizes, or what is wrong."""
    folder = Path(sys.argv[1])
    wheels, sdists = sorted(folder.glob("rubrica-*.whl")), sorted(folder.glob("rubrica-*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        print(f"{folder} needs one wheel and one sdist", file=sys.stderr)
        return 1
    faults = wheel_faults(wheels[0]) + sdist_faults(sdists[0])
    print(*faults, sep="\n", end="\n" * bool(faults), file=sys.stderr)
    for path in (*wheels, *sdists):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
