"""A little Markdown to HTML: headings, lists, emphasis, code and links to web pages; all else is text."""

from __future__ import annotations

import re
from html import escape

_HEADING = re.compile(r"^(#{1,4})\s+(.+?)\s*#*$")
_BULLET = re.compile(r"^\s*[-*+]\s+")
_NUMBER = re.compile(r"^\s*\d{1,9}[.)]\s+")
# Longest marks first; code before all others, because marks inside it are text.
_INLINE = re.compile(
    r"`([^`]+)`|\*\*(.+?)\*\*|(?<!\w)__(.+?)__(?!\w)|\*(.+?)\*|(?<!\w)_(.+?)_(?!\w)"
    r"|\[([^\]]+)\]\((https?://[^\s)]+)\)"
)


def to_html(text: str, level: int = 2) -> str:
    """Return a text as HTML. A top heading becomes one of `level`; raw HTML is shown as text."""
    blocks = [block for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")) if block.strip()]
    return "".join(_block(block.strip("\n"), level) for block in blocks)


def _block(block: str, level: int) -> str:
    lines = block.split("\n")
    if match := _HEADING.match(lines[0]):
        name = f"h{min(6, level - 1 + len(match[1]))}"
        rest = "\n".join(lines[1:])
        return f"<{name}>{_inline(match[2])}</{name}>" + (
            _block(rest, level) if rest.strip() else ""
        )
    for mark, name in ((_BULLET, "ul"), (_NUMBER, "ol")):
        if mark.match(lines[0]):
            return f"<{name}>{''.join(f'<li>{_inline(item)}</li>' for item in _items(lines, mark))}</{name}>"
    starts = [
        n for n, line in enumerate(lines) if n and (_BULLET.match(line) or _NUMBER.match(line))
    ]
    if starts:
        before, after = "\n".join(lines[: starts[0]]), "\n".join(lines[starts[0] :])
        return _block(before, level) + _block(after, level)
    return f'<p dir="auto">{_inline(" ".join(line.strip() for line in lines))}</p>'


def _items(lines: list[str], mark: re.Pattern[str]) -> list[str]:
    """Return the items of a list; other lines continue the item before them."""
    items: list[str] = []
    for line in lines:
        if mark.match(line):
            items.append(mark.sub("", line, count=1))
        else:
            items[-1] += f" {line.strip()}"
    return items


def _inline(text: str) -> str:
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        parts.append(escape(text[end : match.start()]))
        parts.append(_marked(match))
        end = match.end()
    return "".join(parts) + escape(text[end:])


def _marked(match: re.Match[str]) -> str:
    code, bold, bold_too, italic, italic_too, words, address = match.groups()
    if code:
        return f"<code>{escape(code)}</code>"
    if strong := bold or bold_too:
        return f"<strong>{_inline(strong)}</strong>"
    if emphasis := italic or italic_too:
        return f"<em>{_inline(emphasis)}</em>"
    return f'<a href="{escape(address)}" rel="noreferrer" target="_blank">{_inline(words)}</a>'
