"""Mechanical Turk: a task file (CSV) with the layout of its project (HTML), and the results (CSV)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from html import escape, unescape
from pathlib import Path

from rubrica.data.files import atomic_output
from rubrica.errors import DataError
from rubrica.study.exchange.answers import ToolResponse
from rubrica.study.exchange.campaign import Campaign
from rubrica.study.exchange.slots import Layout, Slot, layout_of
from rubrica.study.exchange.turk_layout import project_layout
from rubrica.study.exchange.values import as_time, time_iso
from rubrica.study.sheets import TURK_COLUMNS, read_sheet, write_sheet

_TASK = "task"
# Its times are local: `Mon Nov 16 09:10:30 PST 2026`.
_TIME = re.compile(r"\w{3} (\w{3} \d{1,2} \d\d:\d\d:\d\d) (PST|PDT|UTC|GMT) (\d{4})", re.ASCII)
_HOURS = {"PST": -8, "PDT": -7}


def write(campaign: Campaign, folder: Path) -> Campaign:
    """Write `tasks.csv` and `layout.html`, and the answers as `results.csv`."""
    layout = layout_of(campaign)
    if layout.spans:
        raise DataError("Mechanical Turk's layouts cannot mark errors in texts; use another tool")
    rows = {
        name: {_TASK: name} | {field: _as_html(text) for field, text in layout.texts(item).items()}
        for name, item in campaign.tasks.items()
    }
    columns = [_TASK, *(name for name, _ in layout.fields)]
    write_sheet(folder / "tasks.csv", columns, rows.values())
    with atomic_output(folder / "layout.html") as stream:
        stream.write(_html(layout).encode())
    results = [*TURK_COLUMNS, *(f"Input.{name}" for name in columns)]
    results += [f"Answer.{slot.name}" for slot in layout.slots]
    answered = [
        {
            "HITId": r.task,
            "AssignmentId": f"{r.task}/{r.annotator}",
            "WorkerId": r.annotator,
            "AssignmentStatus": "Submitted",
            "AcceptTime": "" if r.opened is None else time_iso(r.opened),
            "SubmitTime": "" if r.submitted is None else time_iso(r.submitted),
        }
        | {f"Input.{name}": text for name, text in rows[r.task].items()}
        | {f"Answer.{s.name}": s.label_of(s.answer(r) or "") for s in layout.slots if s.answer(r)}
        for r in campaign.responses
    ]
    if answered:
        write_sheet(folder / "results.csv", results, answered)
    return campaign


def _as_html(text: str) -> str:
    """Return a text as Mechanical Turk inserts it, in one line and never a formula."""
    html = escape(text, quote=False).replace("\n", "&#10;").replace("\r", "&#13;")
    return f"&#{ord(html[0])};{html[1:]}" if html[:1] in tuple("=+-@'\t") else html


def _html(layout: Layout) -> str:
    form = layout.campaign.form
    texts = [
        f'<h2>{escape(heading)}</h2>\n<div class="text" dir="auto">${{{name}}}</div>'
        for name, heading in layout.headings
    ]
    content = "\n".join([*texts, *map(_fieldset, layout.slots)])
    return project_layout(
        form.heading or form.default_heading, layout.campaign.instructions, content
    )


def _fieldset(slot: Slot) -> str:
    question = slot.question
    required = " required" if slot.required else ""
    title = f"${{{slot.field}}}" if slot.field else escape(question.note or slot.title)
    if question.control == "text":
        control = (
            f'<textarea name="{slot.name}" rows="3" aria-label="{title}"{required}></textarea>'
        )
    elif question.control == "slider":
        bounds = f'min="{question.low}" max="{question.high}" step="1"'
        control = (
            f'<input type="number" name="{slot.name}" {bounds} aria-label="{title}"{required}>'
        )
    else:
        control = "\n".join(
            f'<label><input type="radio" name="{slot.name}" value="{escape(option.label)}"{required}> '
            f"{escape(option.label)}</label>"
            for option in question.options
        )
    return f'<fieldset>\n<legend dir="auto">{title}</legend>\n{control}\n</fieldset>'


def read(path: str, campaign: Campaign) -> Iterator[ToolResponse]:
    """Yield the answers of a file of results; rejected ones do not count."""
    columns, rows = read_sheet(path, ["WorkerId", f"Input.{_TASK}"])
    answers = {name.removeprefix("Answer."): name for name in columns if name.startswith("Answer.")}
    inputs = {name.removeprefix("Input."): name for name in columns if name.startswith("Input.")}
    for line, row in rows:
        if row.get("AssignmentStatus") == "Rejected":
            continue
        texts = {name: unescape(row[column]) for name, column in inputs.items()}
        submitted = _time(row.get("SubmitTime", ""))
        opened = _time(row.get("AcceptTime", ""))
        values = {name: row[column] for name, column in answers.items()}
        yield ToolResponse(
            texts.pop(_TASK), row["WorkerId"], values, (), opened, submitted, texts, path, line
        )


def _time(text: str) -> float | None:
    """Return the seconds since 1970 of a time in Mechanical Turk's format, or in ISO 8601."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return as_time(text)
    zone = timezone(timedelta(hours=_HOURS.get(match[2], 0)))
    try:
        moment = datetime.strptime(f"{match[1]} {match[3]}", "%b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return as_time(moment.replace(tzinfo=zone).timestamp())
