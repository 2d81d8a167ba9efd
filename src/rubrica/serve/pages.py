"""The pages, as HTML: all text is escaped; scripts only add shortcuts and saving."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from rubrica.serve.store import Assigned, Place

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="forgery-token" content="{token}">
<title>{title}</title>
<link rel="stylesheet" href="/static/base.css">
<link rel="stylesheet" href="/static/annotate.css">
{script}</head>
<body{data}>
<a class="skip" href="#main">Skip to the task</a>
{body}
<p id="said" class="unseen" role="status"></p>
</body>
</html>
"""


def page(title: str, body: str, *, token: str = "", script: str = "", data: str = "") -> str:
    """Return a complete page."""
    tag = f'<script type="module" src="/static/{script}"></script>\n' if script else ""
    return _PAGE.format(title=escape(title), body=body, token=escape(token), script=tag, data=data)


def message_page(title: str, paragraphs: Sequence[str], link: tuple[str, str] | None = None) -> str:
    """Return a page with a message."""
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    more = (
        f'<p><a class="button" href="{escape(link[0])}">{escape(link[1])}</a></p>' if link else ""
    )
    body = f'<header>{_brand()}</header><main id="main" class="message"><h1>{escape(title)}</h1>{text}{more}</main>'
    return page(title, body)


def instructions_page(
    title: str, paragraphs: Sequence[str], keys: Sequence[tuple[str, str]]
) -> str:
    """Return the page with the instructions and the keyboard shortcuts."""
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    rows = "".join(f"<div><dt>{_keys(k)}</dt><dd>{escape(what)}</dd></div>" for k, what in keys)
    body = (
        f'<header>{_brand()}</header><main id="main" class="message"><h1>{escape(title)}</h1>{text}'
        f'<h2>Keys</h2><dl class="keys">{rows}</dl>'
        '<p><a class="button" href="/next" autofocus>Begin</a></p></main>'
    )
    return page(title, body)


def task_page(assigned: Assigned, place: Place, done: int, total: int, token: str) -> str:
    """Return the page of a task: a summary with its statements, or a text to write units from."""
    item = assigned.item
    kind = "rate" if item.kind == "rate" else "write"
    heading = (
        "Which statements does the text make?" if kind == "rate" else "Write what the text says"
    )
    answered = len(assigned.answers)
    body = f"""<header class="task-head">
{_brand()}
<h1>{escape(heading)}</h1>
<p class="facts"><span>{"Practice task" if item.qualification else "Task"} {place.number} of {total}</span>
<span aria-hidden="true">·</span> <span>{done} submitted</span>
<span aria-hidden="true">·</span> <span id="count">{_count(kind, answered, len(item.statements))}</span>
<span aria-hidden="true">·</span> <span id="saved" class="saved">Saved</span></p>
<progress max="{total}" value="{done}" aria-label="Tasks submitted"></progress>
</header>
<main id="main" class="split">
<section class="panel source" aria-labelledby="text-title" tabindex="0">
<h2 id="text-title">Text</h2>
<div class="text"><p>{escape(item.shown) or "<em>(the text is empty)</em>"}</p></div>
</section>
<section class="work" aria-labelledby="work-title">
<h2 id="work-title">{"Statements" if kind == "rate" else "Statements of one fact each"}</h2>
{_rating(assigned) if kind == "rate" else _writing(assigned)}
<div class="actions">
<button type="button" class="quiet" id="undo">Undo <kbd>{"U" if kind == "rate" else "Alt+U"}</kbd></button>
{_previous(place)}
<button type="button" class="button" id="submit">Submit <kbd>{"Enter" if kind == "rate" else "Ctrl+Enter"}</kbd></button>
</div>
<p id="trouble" class="trouble" role="alert"></p>
<p class="hints">{_hints(kind)}</p>
</section>
</main>"""
    data = f' data-position="{assigned.position}" data-task="{assigned.task}" data-kind="{kind}"'
    return page(
        f"Task {place.number} of {total}", body, token=token, script=f"{kind}.js", data=data
    )


def _count(kind: str, answered: int, statements: int) -> str:
    return f"{answered} of {statements} marked" if kind == "rate" else f"{answered} written"


def _previous(place: Place) -> str:
    if place.previous is None:
        return ""
    return (
        f'<a class="quiet-link" href="/task/{place.previous}">Back to task {place.number - 1}</a>'
    )


def _rating(assigned: Assigned) -> str:
    rows = []
    for place, statement in enumerate(assigned.item.statements):
        chosen = assigned.answers.get(place)
        buttons = "".join(
            f'<label><input type="radio" name="s{place}" value="{value}"'
            f"{' checked' if chosen == value else ''}><span>{label}</span></label>"
            for value, label in (("p", "Present"), ("n", "Not present"))
        )
        rows.append(
            f'<li class="statement" data-place="{place}" tabindex="-1"><fieldset>'
            f'<legend class="text">{escape(statement["text"])}</legend>'
            f'<div class="segments">{buttons}</div></fieldset></li>'
        )
    return f'<ol class="statements">{"".join(rows)}</ol>'


def _writing(assigned: Assigned) -> str:
    slots = max(len(assigned.item.statements), 1 + max(assigned.answers, default=-1))
    rows = "".join(
        f'<li class="slot"><label class="unseen" for="w{n}">Statement {n + 1}</label>'
        f'<input id="w{n}" data-place="{n}" autocomplete="off" maxlength="500" '
        f'value="{escape(assigned.answers.get(n, ""))}"></li>'
        for n in range(slots)
    )
    more = '<p><button type="button" class="quiet" id="more">Another line</button></p>'
    return f'<ol class="slots">{rows}</ol>{more}'


def _hints(kind: str) -> str:
    if kind == "rate":
        pairs = [
            ("P", "present"),
            ("N", "not present"),
            ("J", "next"),
            ("K", "previous"),
            ("U", "undo"),
        ]
    else:
        pairs = [("Enter", "next line"), ("Ctrl+Enter", "submit"), ("Alt+U", "undo")]
    return " ".join(f"<span>{_keys(key)} {escape(action)}</span>" for key, action in pairs)


def _keys(text: str) -> str:
    return " ".join(f"<kbd>{escape(key)}</kbd>" for key in text.split())


def _brand() -> str:
    return '<p class="brand"><span class="mark" aria-hidden="true">¶</span> Rubrica</p>'
