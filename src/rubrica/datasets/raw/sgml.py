"""SGML and HTML of old corpora: tags without ends, attributes without quotes, read into plain nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from rubrica.errors import DataError

_BLANKS = re.compile(r"\s+")
# Python's parser looks at the rest of the text again for each tag and comment that does not end.
LONGEST_TAG = 20_000
# An element ends one of its own tag, so this is also the number of tags that are open at once.
DEEPEST = 200
_UNENDED = re.compile(rf"<[A-Za-z/!?][^>]{{{LONGEST_TAG}}}")


@dataclass(slots=True)
class Node:
    """An element: tag and attribute names in lower case, texts and elements inside, in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Node]:
        """Yield the elements of these tags at any depth, in the order of the text."""
        waiting: list[Node | str] = list(reversed(self.children))
        while waiting:
            child = waiting.pop()
            if isinstance(child, Node):
                if child.tag in tags:
                    yield child
                waiting.extend(reversed(child.children))

    def first(self, *tags: str) -> Node | None:
        """Return the first element of these tags, or None."""
        return next(self.all(*tags), None)

    def raw_text(self) -> str:
        """Return all text inside, unchanged."""
        pieces, waiting = [], list(reversed(self.children))
        while waiting:
            child = waiting.pop()
            if isinstance(child, str):
                pieces.append(child)
            else:
                waiting.extend(reversed(child.children))
        return "".join(pieces)

    def text(self) -> str:
        """Return all text inside, each run of blanks and line ends collapsed to one blank."""
        return squeezed(self.raw_text())


def squeezed(text: str) -> str:
    """Collapse each run of blanks and line ends to one blank, and strip the text."""
    return _BLANKS.sub(" ", text).strip()


def parse_sgml(text: str, file: str = "SGML") -> Node:
    """Return a root node with everything inside; `file` is the text's place in messages.

    Elements of the same tag do not nest: a second start tag ends the first. An end tag closes
    everything open inside its element; one without a start tag is ignored. Comments are left out.
    Only HTML's character entities are known. Unterminated tags and excessive depths are errors.
    """
    text = _without_comments(text)
    if match := _UNENDED.search(text):
        raise DataError(
            f"a tag of more than {LONGEST_TAG:,} letters: {match[0][:30]!r}...; is this SGML?",
            file=file,
            line=text.count("\n", 0, match.start()) + 1,
        )
    parser = _Builder(file)
    parser.feed(text)
    parser.close()
    return parser.root


def _without_comments(text: str) -> str:
    """Remove comments but keep their line ends, so that line numbers stay right."""
    pieces, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join(pieces) + text[at:].replace("<!--", "&lt;!--")


class _Builder(HTMLParser):
    # HTML's rules for what may hold no markup are not SGML's: topics have a <title>.
    CDATA_CONTENT_ELEMENTS = ()  # type: ignore[misc]
    RCDATA_CONTENT_ELEMENTS = ()  # type: ignore[misc]

    def __init__(self, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root, self._file = Node(""), file
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end(tag)
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        self._open.append(node)
        if len(self._open) > DEEPEST:
            raise DataError(
                f"more than {DEEPEST} tags open at once; is this SGML?",
                file=self._file,
                line=self.getpos()[0],
            )

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
