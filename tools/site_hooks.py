"""What MkDocs needs to know about our pages: lists of pages, pages from elsewhere, and links that leave docs/."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
# Sections that list every page of their folder after the index.
FOLDERS = {"Metrics": "metrics", "Data sets": "datasets"}
_CODE = re.compile(r"<code>([^<]*)</code>")
_OPTION = re.compile(r"(?<![\w-])--?[\w-]+")
_PYTHON_SESSION = re.compile(r"^( *```)(?:python|text)(\n *>>> )", re.MULTILINE)
_SHELL_SESSION = re.compile(r"^( *```)text(\n *\$ )", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)*[^)\s#]*)(#[^)\s]*)?\)")


def version() -> str:
    """Return the version that the pages describe."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def on_config(config: Any) -> Any:
    """Add the pages of the folders to the navigation, and the version to the foot of every page.

    All links are relative, so a folder of a web server can hold the site of one version beside others.

    Raises:
        ValueError: A page of docs/ is not in the navigation.
    """
    for section in config["nav"]:
        for title, folder in FOLDERS.items():
            if title in section:
                pages = sorted((DOCS / folder).glob("*.md"), key=lambda page: page.stem.lower())
                section[title] += [
                    {page.stem: f"{folder}/{page.name}"}
                    for page in pages
                    if page.name != "README.md"
                ]
    config["copyright"] = f"Rubrica {version()}"
    listed = set(re.findall(r"[\w./+-]+\.md", str(config["nav"])))
    if missing := sorted({page.name for page in DOCS.glob("*.md")} - listed):
        raise ValueError(f"mkdocs.yml: not in the navigation: {', '.join(missing)}")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook, and the guide for contributors."""
    from mkdocs.structure.files import File

    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        files.append(
            File.generated(config, f"notebooks/{path.stem}.md", content=notebook_page(notebook))
        )
    files.append(File.generated(config, "contributing.md", content=contributing_page()))
    return files


def contributing_page() -> str:
    """Return CONTRIBUTING.md with the links of a page in docs/."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text("utf-8")
    text = re.sub(r"\]\((?!docs/|[a-z]+:|#)", "](../", text)
    return text.replace("](docs/", "](")


def notebook_page(notebook: dict[str, Any]) -> str:
    """Return a notebook with its outputs as Markdown."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts.append(f"```python\n{source}\n```")
            parts += [text for output in cell["outputs"] for text in _output(output)]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> Iterator[str]:
    data = output.get("data", {"text/plain": output.get("text", "")})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # Without blank lines, which would end the HTML for Markdown.
            lines = "".join(data[kind]).splitlines()
            yield "\n".join(["<div>", *filter(str.strip, lines), "</div>"])
            return
    text = "".join(data.get("text/plain", "")).rstrip("\n")
    if text:
        yield f"```text\n{text}\n```"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link notebooks to their pages, show links that leave docs/ as text, and mark blocks that are sessions."""
    folder = (DOCS / page.file.src_path).parent

    def replace(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = (folder / target).resolve()
        if path.suffix == ".ipynb" and path.parent == DOCS / "notebooks":
            return f"[{text}]({target.removesuffix('.ipynb')}.md{match[3] or ''})"
        return match[0] if path.is_relative_to(DOCS) and path.suffix != ".py" else text

    # Prompts and output of a session are then marked as such, and the button that copies code leaves them out.
    markdown = _PYTHON_SESSION.sub(r"\1pycon\2", _SHELL_SESSION.sub(r"\1console\2", markdown))
    return _LINK.sub(replace, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Show `|` in the code of tables, which Markdown escapes there, and never break a line inside an option."""

    def replace(match: re.Match[str]) -> str:
        code = _OPTION.sub(r'<span class="option">\g<0></span>', match[1].replace(r"\|", "|"))
        return f"<code>{code}</code>"

    return _CODE.sub(replace, html)
