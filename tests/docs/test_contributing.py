"""The tree of modules stays one that a contributor can find their way in."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_no_folder_holds_more_than_thirty_modules() -> None:
    """About 25 is the goal; a folder that grows beyond 30 needs rooms of its own."""
    folders = [path.parent for path in (ROOT / "src").rglob("*.py")]
    crowded = {str(folder.relative_to(ROOT)) for folder in folders if folders.count(folder) > 30}
    assert not crowded


def test_only_the_command_line_names_its_modules() -> None:
    package = ROOT / "src" / "rubrica"
    naming = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "cli" not in path.relative_to(package).parts and "rubrica.cli" in path.read_text("utf-8")
    ]
    assert naming == ["__main__.py"]
