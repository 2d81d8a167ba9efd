"""The page of a task: texts to read on one side, questions to answer on the other."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from rubrica.formatting.words import counted
from rubrica.serve.pages import brand, guide, keys, page
from rubrica.serve.study_database import Assigned, Place
from rubrica.study.forms.base import Form, Question
from rubrica.study.forms.spans import Spans
from rubrica.study.forms.units import Writing


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an annotator is: the place of this task, and how many are submitted, of all."""

    place: Place
    done: int
    total: int


def task_page(
    form: Form, assigned: Assigned, progress: Progress, token: str, instructions: str = ""
) -> str:
    """Return the page of a task."""
    item, place = assigned.item, progress.place
    panels = form.panels(item)
    body = f"""<header class="task-head">
{brand()}
<h1 dir="auto">{escape(form.heading or form.default_heading)}</h1>
<p class="facts"><span>{"Practice task" if item.qualification else "Task"} {place.number} of {progress.total}</span>
<span aria-hidden="true">·</span> <span>{progress.done} submitted</span>
<span aria-hidden="true">·</span> <span id="count">{_count(form, assigned)}</span>
<span aria-hidden="true">·</span> <span id="saved" class="saved">Saved</span></p>
<progress max="{progress.total}" value="{progress.done}" aria-label="Tasks submitted"></progress>
</header>
<main id="main" class="split{"" if panels else " single"}">
{_sources(panels)}<section class="work" aria-labelledby="work-title">
<h2 id="work-title">{_work_title(form)}</h2>
{_work(form, assigned)}
{_remarks(assigned) if form.comments else ""}
<div class="actions">
<button type="button" class="quiet" id="undo">Undo {keys(_key_of(form, "undo"))}</button>
<button type="button" class="quiet" id="help">Instructions {keys(_key_of(form, "instructions"))}</button>
{_previous(place)}
<button type="button" class="button" id="submit">Submit {keys(_key_of(form, "submit"))}</button>
</div>
<p id="trouble" class="trouble" role="alert"></p>
<p class="hints">{_hints(form)}</p>
</section>
</main>
<dialog id="instructions" aria-labelledby="instructions-title"><h2 id="instructions-title">Instructions</h2>
{guide(instructions, form, 3)}
<p><button type="button" class="button" id="close">Close <kbd>Esc</kbd></button></p></dialog>"""
    noun, answered = form.nouns
    data = (
        f' data-position="{assigned.position}" data-task="{assigned.task}" data-kind="{form.kind}"'
        f' data-noun="{noun}" data-answered="{answered}"'
    )
    title = f"Task {place.number} of {progress.total}"
    return page(title, body, token=token, script=form.script, data=data)


def _key_of(form: Form, word: str) -> str:
    return next((key for key, action in form.moving_keys if word in action), "")


def _count(form: Form, assigned: Assigned) -> str:
    answered = len(assigned.answers)
    if isinstance(form, Writing):
        return f"{answered} written"
    if isinstance(form, Spans):
        return f"{counted(len(form.spans(assigned.answers)), 'error')} marked"
    return f"{answered} of {len(form.questions(assigned.item))} {form.nouns[1]}"


def _work_title(form: Form) -> str:
    if isinstance(form, Writing):
        return "Statements of one fact each"
    return "Summary" if isinstance(form, Spans) else f"{form.nouns[0].title()}s"


def _sources(panels: list[tuple[str, str]]) -> str:
    if not panels:
        return ""
    texts = "".join(
        f'<h2 id="text-{number}">{escape(heading)}</h2><div class="text">'
        f'<p dir="auto">{escape(text) or "<em>(the text is empty)</em>"}</p></div>'
        for number, (heading, text) in enumerate(panels)
    )
    return (
        f'<section class="panel source" aria-labelledby="text-0" tabindex="0">{texts}</section>\n'
    )


def _work(form: Form, assigned: Assigned) -> str:
    if isinstance(form, Writing):
        return _writing(assigned)
    marking = _marking(form, assigned) if isinstance(form, Spans) else ""
    rows = "".join(
        f'<li class="statement {question.control}" data-place="{place}" tabindex="-1">'
        f"{_control(question, place, assigned.answers.get(place))}</li>"
        for place, question in enumerate(form.questions(assigned.item))
    )
    return marking + (f'<ol class="statements">{rows}</ol>' if rows else "")


def _control(question: Question, place: int, value: str | None) -> str:
    label = f'<span dir="auto">{escape(question.label)}</span>'
    note = (
        f'<span class="small faded" dir="auto">{escape(question.note)}</span>'
        if question.note
        else ""
    )
    if question.control == "text":
        hint = " (may stay empty)" if question.optional else ""
        return (
            f'<label for="q{place}" class="text">{label}{note}{hint}</label>'
            f'<textarea id="q{place}" rows="4" maxlength="5000" dir="auto"'
            f"{' data-optional' if question.optional else ''}>{escape(value or '')}</textarea>"
        )
    if question.control == "slider":
        return _slider(question, place, value, label + note)
    many = " many" if len(question.options) > 3 else ""
    buttons = "".join(
        f'<label><input type="radio" name="s{place}" value="{escape(option.value)}" data-key="{escape(option.key)}"'
        f'{" checked" if value == option.value else ""}><span dir="auto">{escape(option.label)}</span></label>'
        for option in question.options
    )
    return (
        f'<fieldset class="{many.strip()}"><legend class="text">{label}{note}</legend>'
        f'<div class="segments">{buttons}</div></fieldset>'
    )


def _slider(question: Question, place: int, value: str | None, label: str) -> str:
    low, high = question.low, question.high
    middle = value or str((low + high) // 2)
    ends = question.ends or (str(low), str(high))
    return (
        f'<label for="q{place}" class="text">{label}</label><div class="range">'
        f'<input type="range" id="q{place}" min="{low}" max="{high}" value="{middle}"'
        f"{'' if value else ' data-empty'}>"
        f'<input type="number" min="{low}" max="{high}" value="{value or ""}" '
        f'aria-label="{escape(question.label)}, as a number" inputmode="numeric"></div>'
        f'<div class="ends small faded" aria-hidden="true"><span>{low} {escape(ends[0])}</span>'
        f"<span>{high} {escape(ends[1])}</span></div>"
    )


def _marking(form: Spans, assigned: Assigned) -> str:
    """Return the words to choose from, the choices for an error, and the list of errors."""
    text, parts, end = assigned.item.shown, [], 0
    for number, (start, stop) in enumerate(form.words(assigned.item)):
        parts.append(escape(text[end:start]))
        parts.append(
            f'<span class="word" role="option" aria-selected="false" id="w{number}" data-start="{start}" '
            f'data-end="{stop}" tabindex="{0 if number == 0 else -1}">{escape(text[start:stop])}</span>'
        )
        end = stop
    words = (
        '<div class="panel text words" role="listbox" aria-multiselectable="true" dir="auto" '
        f'aria-label="Words of the summary">{"".join(parts)}{escape(text[end:])}</div>'
        if parts
        else '<p class="panel"><em>(the text is empty)</em></p>'
    )
    choices = "".join(
        f'<fieldset class="many"><legend>{legend}</legend><div class="segments">'
        + "".join(
            f'<label><input type="radio" name="{name}" value="{escape(value)}"'
            f'{" checked" if number == 0 else ""}><span dir="auto">{escape(value)}</span></label>'
            for number, value in enumerate(values)
        )
        + "</div></fieldset>"
        for name, legend, values in (
            ("category", "Category", form.categories),
            ("severity", "Severity", tuple(form.severities)),
        )
    )
    return (
        f'{words}<div class="choices">{choices}<button type="button" class="quiet" id="add">Add error '
        f'<kbd>Enter</kbd></button></div><h3>Errors</h3><ol id="errors" class="errors" '
        f'data-spans="{escape(_stored_spans(assigned))}"></ol>'
    )


def _stored_spans(assigned: Assigned) -> str:
    pairs = (f'"{place}":{value}' for place, value in assigned.answers.items() if place >= 1)
    return "{" + ",".join(pairs) + "}"


def _writing(assigned: Assigned) -> str:
    slots = max(len(assigned.item.statements), 1 + max(assigned.answers, default=-1))
    rows = "".join(
        f'<li class="slot"><label class="unseen" for="w{n}">Statement {n + 1}</label>'
        f'<input id="w{n}" data-place="{n}" autocomplete="off" maxlength="500" dir="auto" '
        f'value="{escape(assigned.answers.get(n, ""))}"></li>'
        for n in range(slots)
    )
    more = '<p><button type="button" class="quiet" id="more">Another line</button></p>'
    return f'<ol class="slots">{rows}</ol>{more}'


def _remarks(assigned: Assigned) -> str:
    flagged = " checked" if assigned.remarks.get("flag") else ""
    comment = escape(assigned.remarks.get("comment", ""))
    return (
        f'<details class="remarks"{" open" if assigned.remarks else ""}><summary>Report a problem or comment</summary>'
        f'<label class="check"><input type="checkbox" id="flag"{flagged}> Something is wrong with this task</label>'
        '<label for="comment" class="unseen">Comment</label><textarea id="comment" rows="2" maxlength="2000" '
        f'dir="auto" placeholder="Comment">{comment}</textarea></details>'
    )


def _previous(place: Place) -> str:
    if place.previous is None:
        return ""
    return (
        f'<a class="quiet-link" href="/task/{place.previous}">Back to task {place.number - 1}</a>'
    )


def _hints(form: Form) -> str:
    return " ".join(
        f"<span>{keys(key)} {escape(action)}</span>"
        for key, action in (*form.keys, *form.moving_keys)
    )
