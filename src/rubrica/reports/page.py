"""A page: one HTML file that holds its data, styles and scripts, and asks nobody for anything.

The scripts are small ES modules in `web/`. A page needs one file, so `bundle` puts a module after
those it imports, in one scope: names are unique across `web/`, which a test checks.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import msgspec

from rubrica import __version__

_IMPORT = re.compile(r'^import [^;]*? from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_SHEET = ("base",)

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
<noscript>This page draws its data with JavaScript, which is switched off here.</noscript>
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
    """The page that `web/SCRIPT.js` draws from `data`: anything msgspec makes JSON of.

    `libraries` are sources of other people's modules, which run before the page's own.

    Undefined numbers (NaN) become null. The text of `data` may be hostile: in the file it stands as
    JSON without `<`, and scripts put it into the page as text only.
    """
    theme = _read("theme-first.js")
    style = "\n".join(_read(f"{name}.css") for name in (*_SHEET, *styles))
    made = bundle(script)
    for part in (theme, made, style, *libraries):
        assert not re.search("</(script|style)", part, re.IGNORECASE)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, (theme, *libraries, made)))}",
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
        libraries="".join(f'<script type="module">{one}</script>\n' for one in libraries),
        script=made,
    ).encode()


def inert_json(data: Any) -> str:
    """JSON in which no HTML can begin or end: `<` is written as its escape."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c")


def bundle(name: str) -> str:
    """A module of `web/` and all it imports as one script, each once and after what it needs."""
    parts: dict[str, str] = {}

    def add(one: str) -> None:
        if one in parts:
            return
        source = _read(f"{one}.js")
        parts[one] = ""  # holds the place: modules that import each other end here
        for needed in _IMPORT.findall(source):
            add(needed)
        del parts[one]
        parts[one] = _EXPORT.sub("", _IMPORT.sub("", source))

    add(name)
    return '"use strict";\n' + "\n".join(parts.values())


def _read(name: str) -> str:
    return files("rubrica.reports").joinpath("web", name).read_text("utf-8")


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return f"'sha256-{digest}'"
