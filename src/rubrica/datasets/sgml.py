"""SGML and HTML of old corpora: tags without ends, attributes without quotes, read into plain nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_BLANKS = re.compile(r"\s+")


@dataclass(slots=True)
class Node:
    """An element: tag and attribute names in lower case, texts and elements inside, in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Node]:
        """The elements of these tags at any depth, in the order of the text."""
        waiting: list[Node | str] = list(reversed(self.children))
        while waiting:
            one = waiting.pop()
            if isinstance(one, Node):
                if one.tag in tags:
                    yield one
                waiting.extend(reversed(one.children))

    def first(self, *tags: str) -> Node | None:
        """The first of these, or None."""
        return next(self.all(*tags), None)

    def raw_text(self) -> str:
        """All text inside, as it stands."""
        pieces, waiting = [], list(reversed(self.children))
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                pieces.append(one)
            else:
                waiting.extend(reversed(one.children))
        return "".join(pieces)

    def text(self) -> str:
        """All text inside, every run of blanks and line ends one blank."""
        return squeezed(self.raw_text())


def squeezed(text: str) -> str:
    """Every run of blanks and line ends one blank, none at the ends."""
    return _BLANKS.sub(" ", text).strip()


def parse_sgml(text: str) -> Node:
    """A root node with everything inside.

    No element stands inside one of the same tag: a second start tag ends the first. An end tag ends
    all that is open inside it; one without a start is passed over. Only HTML's own character
    entities are known.
    """
    parser = _Builder()
    parser.feed(text)
    parser.close()
    return parser.root


class _Builder(HTMLParser):
    # HTML's rules for what may hold no markup are not SGML's: topics have a <title>.
    CDATA_CONTENT_ELEMENTS = ()  # type: ignore[misc]
    RCDATA_CONTENT_ELEMENTS = ()  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end(tag)
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end(tag)
        self._open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self._end(tag)

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)

    def _end(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].tag == tag:
                del self._open[depth:]
                return
