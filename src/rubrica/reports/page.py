"""A page: one HTML file that holds its data, styles and scripts and loads nothing else.

The scripts are small ES modules in `web/`, those of one page in a folder. `bundle` joins a module and its imports in one scope, imports
first. Names are therefore unique across `web/`; a test checks this.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import posixpath
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from rubrica import __version__
from rubrica.data.files import atomic_output
from rubrica.errors import MissingResourceError, UsageError

_IMPORT = re.compile(r'^import [^;]*? from "(\.[./\w-]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Rubrica {version}">
<title>{title}</title>
<script>{theme}</script>
<style>{style}</style>
</head>
<body>
<noscript>This page needs JavaScript, which is switched off in this browser.</noscript>
<script type="application/json" id="data">{data}</script>
{libraries}<script type="module">{script}</script>
</body>
</html>
"""


def page(
    title: str,
    data: Any,
    *,
    script: str,
    styles: Sequence[str] = (),
    libraries: Sequence[str] = (),
) -> bytes:
    """Return the page that `web/SCRIPT/page.js` draws from `data`, which msgspec encodes as JSON.

    `libraries` are sources of third-party modules, which run before the page's own.

    Undefined numbers (NaN) become null. `data` may hold hostile text: the file stores it as JSON
    without `<`, and scripts insert it into the page as text only.
    """
    theme = _read("theme-first.js")
    style = "\n".join(map(_read, ("base.css", *(f"{name}/page.css" for name in styles))))
    code = bundle(f"{script}/page")
    for part in (theme, code, style, *libraries):
        assert not re.search("</(script|style)", part, re.IGNORECASE)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, (theme, *libraries, code)))}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _PAGE.format(
        policy=policy,
        version=__version__,
        title=html.escape(title),
        theme=theme,
        style=style,
        data=inert_json(data),
        libraries="".join(f'<script type="module">{source}</script>\n' for source in libraries),
        script=code,
    ).encode()


def with_links(content: bytes, links: str) -> bytes:
    """Return a page with links, which are HTML, to others; the page's script moves them into its head."""
    begin = b'<script type="application/json" id="data">'
    return content.replace(begin, links.encode() + b"\n" + begin, 1)


def write_page(path: str, content: bytes) -> None:
    """Write a page to a file that appears whole or not at all."""
    if os.path.isdir(path):
        raise UsageError(f"{path!r} is a folder; name a file in it")
    with atomic_output(path) as stream:
        stream.write(content)


def inert_json(data: Any) -> str:
    """Return JSON in which no HTML can begin or end: `<` is escaped."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c")


def bundle(name: str) -> str:
    """Return a module of `web/` and all its imports as one script, each once, imports first."""
    parts: dict[str, str] = {}

    def add(module: str) -> None:
        if module in parts:
            return
        source = _read(module)
        parts[module] = ""  # placeholder: stops at modules that import each other
        for needed in imported_modules(module, source):
            add(needed)
        del parts[module]
        parts[module] = _EXPORT.sub("", _IMPORT.sub("", source))

    add(f"{name}.js")
    return '"use strict";\n' + "\n".join(parts.values())


def imported_modules(module: str, source: str) -> list[str]:
    """Return the modules that a module imports, as paths below `web/`."""
    folder = posixpath.dirname(module)
    return [posixpath.normpath(posixpath.join(folder, path)) for path in _IMPORT.findall(source)]


def _read(name: str) -> str:
    return files("rubrica.reports").joinpath("web", name).read_text("utf-8")


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@cache
def vega_library() -> str:
    """Return the source of Vega-Lite, a module that defines `window.vegaEmbed` (0.9 MB, BSD-3-Clause)."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingResourceError(
            f"charts need vl-convert-python ({error}); pip install 'rubrica[plots]'"
        ) from error
    # Its stub lacks the default.
    source: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return source


def utf16_places(text: str) -> list[int] | None:
    """Return the UTF-16 position of each position in a text and of its end; None if all are equal.

    Python counts code points, JavaScript UTF-16 units.
    """
    if not text or max(text) <= "\uffff":
        return None
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places
