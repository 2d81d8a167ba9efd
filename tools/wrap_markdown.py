"""Wrap the prose of Markdown files at 120 characters; code, tables, headings and links are left as they are.

    python tools/wrap_markdown.py [--check] [FILE ...]     (default: every page of the repository)

Only paragraphs and list items with a line that is too long are wrapped. With --check nothing is written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 120
_ITEM = re.compile(r"^(\s*)([-*]|\d+\.) ")
_APART = re.compile(r"^\s*(\||#|<(?!https?:)|>|```|\[[^\]]+\]:|---|$)")


def pages() -> list[Path]:
    """Return the pages of the repository."""
    return sorted(
        [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    )


def blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield groups of lines, and whether a group is prose that may be wrapped."""
    group: list[str] = []
    code = False
    for line in lines:
        fence = line.lstrip().startswith("```")
        apart = code or fence or _APART.match(line) is not None
        if group and (apart or _ITEM.match(line)):
            yield True, group
            group = []
        if apart:
            yield False, [line]
        else:
            group.append(line)
        code ^= fence
    if group:
        yield True, group


def wrapped(group: list[str]) -> list[str]:
    """Return a paragraph or list item in lines that are short enough, where its words allow it."""
    if all(len(line) <= WIDTH for line in group):
        return group
    item = _ITEM.match(group[0])
    indent = " " * (len(item[0]) if item else len(group[0]) - len(group[0].lstrip()))
    lines, line = [], item[0].rstrip() if item else indent.rstrip()
    text = " ".join(part.strip() for part in group)
    for word in _words(text[len(item[0].lstrip()) :] if item else text):
        joined = f"{line} {word}" if line.strip() else indent + word
        if len(joined) > WIDTH and line.strip():
            lines.append(line)
            joined = indent + word
        line = joined
    return [*lines, line]


def _words(text: str) -> list[str]:
    """Return the words; code stays whole, and nothing that would start a list or heading starts a line."""
    words = re.findall(r"(?:`[^`]*`|[^\s`])+", text)
    joined: list[str] = []
    for word in words:
        if joined and re.fullmatch(r"[-*+#>]+|\d+[.)]", word):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined


def long_lines(text: str) -> list[int]:
    """Return the numbers of lines of prose that are too long."""
    numbers, number = [], 0
    for prose, group in blocks(text.splitlines()):
        numbers += [number + n for n, line in enumerate(group, 1) if prose and len(line) > WIDTH]
        number += len(group)
    return numbers


def main() -> int:
    """Wrap the files, or list lines that are too long."""
    words = sys.argv[1:]
    files = [Path(word) for word in words if word != "--check"] or pages()
    failed = False
    for file in files:
        text = file.read_text("utf-8")
        if "--check" in words:
            for number in long_lines(text):
                print(f"{file}:{number}: longer than {WIDTH} characters", file=sys.stderr)
                failed = True
            continue
        lines = [
            line
            for prose, group in blocks(text.splitlines())
            for line in (wrapped(group) if prose else group)
        ]
        file.write_text("\n".join(lines) + "\n", "utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
