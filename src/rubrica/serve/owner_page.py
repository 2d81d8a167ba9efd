"""The owner's page as HTML: all text is escaped; the script adds pausing, reassigning and refreshing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from rubrica.serve.exports import EXPORTS
from rubrica.serve.monitor import Status
from rubrica.serve.pages import brand, page
from rubrica.study.forms.agreement import Disagreement


def owner_page(
    status: Status, tasks: Mapping[tuple[str, str], int], names: Sequence[str], token: str, *,
    pseudonyms: bool,
) -> str:  # fmt: skip
    """Return the page; `tasks` are the numbers of tasks by input and system, for reassigning."""
    share = status.submitted / status.assigned if status.assigned else 0.0
    state = "Paused" if status.paused else "Running"
    body = f"""<header class="task-head">
{brand()}
<h1 dir="auto">{escape(status.title)}</h1>
<p class="facts"><span id="state">{state}</span> <span aria-hidden="true">·</span>
<span>{status.submitted:,} of {status.assigned:,} assignments submitted ({share:.0%})</span>
<span aria-hidden="true">·</span> <span>{status.judged:,} of {status.tasks:,} tasks have a judgment</span></p>
<progress max="{max(1, status.assigned)}" value="{status.submitted}" aria-label="Assignments submitted"></progress>
</header>
<main id="main">
<div class="actions">
<button type="button" class="button" id="pause" data-paused="{int(status.paused)}">{"Resume" if status.paused else "Pause"} the study</button>
<label class="check"><input type="checkbox" id="refresh" checked> Refresh every 15 seconds</label>
<a class="quiet-link" href="/dashboard{"" if pseudonyms else "?pseudonyms=1"}">{"Show names" if pseudonyms else "Show pseudonyms"}</a>
</div>
<p id="trouble" class="trouble" role="alert"></p>
{_agreement(status)}
{_annotators(status)}
{_disagreements(status, tasks, names)}
{_flags(status)}
<section><h2>Exports</h2><ul class="exports">{_exports(pseudonyms)}</ul></section>
</main>"""
    return page(status.title, body, token=token, script="owner.js", style="owner.css")


def _table(
    caption: str, headers: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1
) -> str:
    """Return a table whose first `words` columns are text; cells are HTML already."""
    head = "".join(
        f'<th scope="col"{" class=number" if at >= words else ""}>{escape(name)}</th>'
        for at, name in enumerate(headers)
    )
    lines = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(
            f"<td{' class=number' if at >= words else ''}>{cell}</td>"
            for at, cell in enumerate(row[1:], 1)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroller" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f'<caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _name(text: str) -> str:
    return f"<bdi>{escape(text)}</bdi>"


def _agreement(status: Status) -> str:
    rows = [
        [
            _name(a.question),
            _number(a.alpha),
            "–" if a.lower is None else f"{_number(a.lower)} to {_number(a.upper)}",
            f"{a.units:,}",
        ]
        for a in status.agreement
    ]
    headers = ["question", "alpha", "95% interval", "units"]
    content = (
        _table("Agreement", headers, rows) if rows else "<p>No task has two judgments yet.</p>"
    )
    note = "Krippendorff's alpha over units that at least two annotators labelled: 1 is perfect, 0 is chance."
    return f'<section><h2>Agreement</h2><p class="note">{note}</p>{content}</section>'


def _annotators(status: Status) -> str:
    rows = [
        [
            _name(who.name), who.state, escape(who.suspicion) or "–",
            f"{who.submitted:,} of {who.tasks:,}", _number(who.seconds, 0),
            _number(who.seconds_per_question, 1), _number(who.agreement), _number(who.attention),
            f"{who.payment:.2f}", f"{who.bonus:.2f}",
        ]
        for who in status.annotators
    ]  # fmt: skip
    headers = ["annotator", "state", "suspicious by", "submitted", "seconds per task",
               "per question", "agreement", "checks right", "payment", "bonus"]  # fmt: skip
    return f"<section><h2>Annotators</h2>{_table('Annotators', headers, rows, 3)}</section>"


def _disagreements(
    status: Status, tasks: Mapping[tuple[str, str], int], names: Sequence[str]
) -> str:
    if not status.disagreements:
        return "<section><h2>Disagreements</h2><p>None so far.</p></section>"
    rows = [
        [
            _name(d.unit[0]), _name(d.unit[1]), _name(d.unit[2]),
            "; ".join(f"{_name(who)}: {_name(str(label))}" for who, label in d.labels.items()),
            _ask(d, tasks, names), f"{d.spread:.2f}",
        ]
        for d in status.disagreements
    ]  # fmt: skip
    headers = ["input", "system", "question", "answers", "ask another annotator", "difference"]
    note = "The largest differences first. Ask one more annotator to decide."
    table = _table("Disagreements", headers, rows, 5)
    return f'<section><h2>Disagreements</h2><p class="note">{note}</p>{table}</section>'


def _ask(d: Disagreement, tasks: Mapping[tuple[str, str], int], names: Sequence[str]) -> str:
    task = tasks.get((d.unit[0], d.unit[1]))
    others = [name for name in names if name not in d.labels]
    if task is None or not others:
        return "–"
    options = "".join(f"<option>{escape(name)}</option>" for name in others)
    label = f"Annotator for {d.unit[0]}, {d.unit[1]}"
    return (
        f'<span class="ask"><select aria-label="{escape(label)}">{options}</select>'
        f'<button type="button" class="quiet assign" data-task="{task}">Ask</button></span>'
    )


def _flags(status: Status) -> str:
    if not status.flags:
        return ""
    rows = [[_name(event), _name(who), _name(text) or "–"] for event, who, text in status.flags]
    table = _table("Flags and comments", ["input", "annotator", "comment"], rows, 3)
    return f"<section><h2>Flags and comments</h2>{table}</section>"


def _exports(pseudonyms: bool) -> str:
    query = "?pseudonyms=1" if pseudonyms else ""
    return "".join(
        f'<li><a href="/dashboard/export/{name}{query}" download>{name}</a></li>'
        for name in EXPORTS
    )
