"""Vega-Lite for pages: one script from the package that bundles it, so no network is needed."""

from __future__ import annotations

from functools import cache

from rubrica.errors import MissingResourceError


@cache
def vega_library() -> str:
    """Return the source of a module that defines `window.vegaEmbed` (0.9 MB, BSD-3-Clause)."""
    try:
        import vl_convert
    except ImportError as error:
        raise MissingResourceError(
            f"charts need vl-convert-python ({error}); pip install 'rubrica[plots]'"
        ) from error
    # Its stub lacks the default.
    source: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return source
