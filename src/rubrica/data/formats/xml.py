"""Read untrusted XML into plain elements, without custom entities or external resources."""

from __future__ import annotations

from html.entities import html5
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from rubrica.errors import DataError

# Deeper than any format read here; a tree of this depth is made to break programs.
DEEPEST = 200


def parse_xml(data: str | bytes, file: str) -> Element:
    """Return the root element; malformed XML raises a `DataError` with its line.

    Entities that the file declares itself are refused (they can blow up, or read other files); an
    outside DTD is not fetched, and of undeclared entities only those of HTML are known.
    """
    parser = expat.ParserCreate("utf-8" if isinstance(data, str) else None)
    builder = TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise DataError(
                f"elements nested deeper than {DEEPEST}", file=file, line=parser.CurrentLineNumber
            )
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def skipped(name: str, is_parameter: bool) -> None:
        character = html5.get(f"{name};")
        if character is None and not is_parameter:
            raise DataError(
                f"an entity &{name}; that is not declared", file=file, line=parser.CurrentLineNumber
            )
        builder.data(character or "")

    def refuse(*_: object) -> NoReturn:
        raise DataError(
            "declares entities of its own; they are refused, because they can fill the memory or "
            "read other files",
            file=file,
            line=parser.CurrentLineNumber,
        )

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = skipped
    try:
        parser.Parse(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, True)
    except expat.ExpatError as error:
        raise DataError(
            f"not well-formed XML: {expat.ErrorString(error.code)}", file=file, line=error.lineno
        ) from error
    except (ValueError, LookupError) as error:
        raise DataError(f"XML in an encoding that cannot be read: {error}", file=file) from error
    return builder.close()


def text_of(element: Element) -> str:
    """Return all text below an element, unchanged."""
    return "".join(element.itertext())
