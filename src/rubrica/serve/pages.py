"""Pages as HTML: all text is escaped; scripts only add shortcuts and saving."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from rubrica.serve.markdown import to_html
from rubrica.study.forms.base import Form, Item

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="forgery-token" content="{token}">
<title>{title}</title>
<link rel="stylesheet" href="/static/base.css">
"""
_PAGE = (
    HEAD
    + """<link rel="stylesheet" href="/static/annotate.css">
{style}{script}</head>
<body{data}>
<a class="skip" href="#main">Skip to the task</a>
{body}
<p id="said" class="unseen" role="status"></p>
</body>
</html>
"""
)


def page(
    title: str, body: str, *, token: str = "", script: str = "", style: str = "", data: str = ""
) -> str:
    """Return a complete page."""
    sheet = f'<link rel="stylesheet" href="/static/{style}">\n' if style else ""
    tag = f'<script type="module" src="/static/{script}"></script>\n' if script else ""
    return _PAGE.format(
        title=escape(title), body=body, token=escape(token), script=tag, style=sheet, data=data
    )


def message_page(title: str, paragraphs: Sequence[str], link: tuple[str, str] | None = None) -> str:
    """Return a page with a message."""
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    more = (
        f'<p><a class="button" href="{escape(link[0])}">{escape(link[1])}</a></p>' if link else ""
    )
    return page(title, framed(f"<h1>{escape(title)}</h1>{text}{more}"))


def framed(content: str, style: str = "message") -> str:
    """Return content with the header of every page."""
    return f'<header>{brand()}</header><main id="main" class="{style}">{content}</main>'


def instructions_page(title: str, instructions: str, form: Form) -> str:
    """Return the page with the instructions and the keyboard shortcuts."""
    content = (
        f"<h1>{escape(title)}</h1>{guide(instructions, form)}"
        '<p><a class="button" href="/next" autofocus>Begin</a></p>'
    )
    return page(title, framed(content))


def feedback_page(item: Item, answers: Mapping[int, str]) -> str:
    """Return the page that compares the answers to a practice task with the right ones."""
    rows = []
    for place, statement in enumerate(item.statements):
        known, answer = statement.get("known"), answers.get(place)
        if known:
            verdict = "right" if answer == known else "not right"
            rows.append(
                f"<tr><td>{escape(statement['text'])}</td><td>{_ANSWERS.get(answer or '', '–')}</td>"
                f"<td>{_ANSWERS.get(known, escape(known))}</td><td>{verdict}</td></tr>"
            )
    content = (
        f"<h1>Practice: the answers</h1><p>{escape(item.shown)}</p>"
        '<div class="scroller" tabindex="0"><table><thead><tr><th>Statement</th><th>Your answer</th>'
        f"<th>Right answer</th><th>Verdict</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        '<p><a class="button" href="/next" autofocus>Go on</a></p>'
    )
    return page("Practice: the answers", framed(content))


_ANSWERS = {"p": "present", "n": "not present"}


def guide(instructions: str, form: Form, level: int = 2) -> str:
    """Return the instructions and the keys; headings begin at `level`."""
    text = instructions or form.instructions or "\n\n".join(form.guide)
    unsure = (("X", "you cannot decide: mark it as unsure"),) if form.unsure else ()
    rows = "".join(
        f"<div><dt>{keys(key)}</dt><dd>{escape(what)}</dd></div>"
        for key, what in (*form.keys, *unsure, *form.moving_keys)
    )
    return f'{to_html(text, level)}<h{level}>Keys</h{level}><dl class="keys">{rows}</dl>'


def keys(text: str) -> str:
    """Return the names of keys as keys; "to" stays a word."""
    return " ".join("to" if key == "to" else f"<kbd>{escape(key)}</kbd>" for key in text.split())


def brand() -> str:
    """Return the mark at the top of every page."""
    return '<p class="brand"><span class="mark" aria-hidden="true">¶</span> Rubrica</p>'
