"""Pages as files: nothing in the data can leave its place, and every part is vouched for."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubrica.reports
from rubrica.reports.page import bundle, imported_modules, inert_json, page

WEB = Path(rubrica.reports.__file__).with_name("web")
SCRIPTS = sorted(file.parent.name for file in WEB.glob("*/page.js"))
MODULES = sorted(file.relative_to(WEB).as_posix() for file in WEB.rglob("*.js"))
DECLARED = re.compile(
    r"^(?:export )?(?:function|const|let|class) (?:\{ (.*) \}|(\w+))", re.MULTILINE
)


@given(st.text())
def test_json_comes_back_and_holds_no_tag(text: str) -> None:
    written = inert_json({"text": text})
    assert "<" not in written
    assert json.loads(written) == {"text": text}


def test_undefined_numbers_become_null() -> None:
    assert inert_json([math.nan, 1.5]) == "[null,1.5]"


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_policy_has_the_hash_of_every_script_and_style(script: str) -> None:
    styles = [script] if (WEB / script / "page.css").exists() else []
    html = page("<b>&", {"x": "</script>"}, script=script, styles=styles).decode()
    assert "<title>&lt;b&gt;&amp;</title>" in html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    parts = re.findall(
        r"<(?:script|script type=\"module\"|style)>(.*?)</(?:script|style)>", html, re.S
    )
    assert len(parts) == 3
    for part in parts:
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_bundle_has_no_imports_left_and_no_name_twice(script: str) -> None:
    source = bundle(f"{script}/page")
    assert not re.search(r"^(import|export) ", source, re.MULTILINE)
    names = [
        name for pair in DECLARED.findall(source) for name in ", ".join(pair).split(", ") if name
    ]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice


@pytest.mark.parametrize("name", MODULES)
def test_scripts_write_text_only_as_text(name: str) -> None:
    source = WEB.joinpath(name).read_text("utf-8")
    for banned in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
    ):
        assert banned not in source


@pytest.mark.parametrize("name", MODULES)
def test_modules_import_what_they_use_and_no_more(name: str) -> None:
    source = WEB.joinpath(name).read_text("utf-8")
    imported = re.findall(r"^import \{([^}]*)\} from", source, re.M)
    for names, module in zip(imported, imported_modules(name, source), strict=True):
        lines = re.findall(
            r"^export (?:function|const) (?:\{ (.*) \}|(\w+))",
            WEB.joinpath(module).read_text("utf-8"),
            re.M,
        )
        exported = {one for pair in lines for one in ", ".join(pair).split(", ")}
        for one in re.findall(r"\w+", names):
            assert one in exported, f"{module} does not export {one}"
            assert len(re.findall(rf"\b{one}\b", source)) > 1, f"{one} is imported and not used"
