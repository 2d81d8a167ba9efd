"""What the hooks of the documentation's site change in pages."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import rubrica
from support.blocks import ROOT

HOOKS = runpy.run_path(str(ROOT / "tools" / "site_hooks.py"))


def test_code_in_tables_shows_no_escapes_and_options_stay_in_one_line() -> None:
    html = HOOKS["on_page_content"](r"<td><code>--tags strict\|repair</code> and a\|b</td>")
    assert html == (
        r'<td><code><span class="option">--tags</span> strict|repair</code> and a\|b</td>'
    )
    # Words with hyphens are no options, and blocks have markup of their own.
    for same in ("<code>meta-evaluate</code>", '<code><span class="k">a -b</span></code>'):
        assert HOOKS["on_page_content"](same) == same


def test_links_lead_to_pages_of_the_site() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_path="index.md"))
    text = "[one](notebooks/which-model.ipynb), [two](compare.md#clusters), [three](../LICENSE)"
    shown = HOOKS["on_page_markdown"](text, page)
    assert shown == "[one](notebooks/which-model.md), [two](compare.md#clusters), three"


def test_sessions_are_highlighted_as_such() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_path="index.md"))
    text = "    ```python\n    >>> 1\n    1\n    ```\n\n```python\nx = 1\n```\n\n```text\n$ rubrica\n```\n"
    shown = HOOKS["on_page_markdown"](text, page)
    expected = text.replace("python\n    >>>", "pycon\n    >>>").replace("```text", "```console")
    assert shown == expected


def test_every_page_names_the_version_and_the_index_of_a_folder_is_sorted_by_name() -> None:
    config = HOOKS["on_config"]({"nav": [{"Metrics": ["metrics/README.md"]}, *every_page()]})
    assert config["copyright"] == f"Rubrica {rubrica.__version__}"
    names = [next(iter(page)) for page in config["nav"][0]["Metrics"][1:]]
    assert names.index("bewte") < names.index("bewte-ud") < names.index("blanc")


def every_page() -> list[str]:
    """Return the pages that the navigation must have."""
    return sorted(page.name for page in (ROOT / "docs").glob("*.md"))
