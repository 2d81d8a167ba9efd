"""Answers that come back from a tool: matched to the tasks of the key and checked like those in a browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import msgspec

from rubrica.errors import DataError
from rubrica.study.exchange.campaign import Campaign, Response
from rubrica.study.exchange.slots import Layout, layout_of
from rubrica.study.forms.base import Form, InvalidAnswer, Item
from rubrica.study.forms.spans import MAX_SPANS, Span, Spans


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """Marked words; `text` is what the tool says they are, if it says so."""

    start: int
    end: int
    category: str
    severity: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """One annotator's answers to a task as a tool stores them: labels or texts by name of the question."""

    task: str
    annotator: str
    values: dict[str, str]
    spans: tuple[ToolSpan, ...] = ()
    opened: float | None = None
    submitted: float | None = None
    # The texts of the task, if the tool returns them; they must be those of the key.
    texts: dict[str, str] = field(default_factory=dict)
    file: str = ""
    line: int | None = None


def with_responses(campaign: Campaign, responses: Iterable[ToolResponse]) -> Campaign:
    """Return the campaign with these answers; one that does not fit its task is an error."""
    layout = layout_of(campaign)
    checked: dict[tuple[str, str], Response] = {}
    for response in responses:
        item = campaign.tasks.get(response.task)
        if item is None:
            message = f"task {response.task!r} is not in the key; is it the key of another export?"
            raise DataError(message, file=response.file, line=response.line)
        key = response.task, response.annotator
        if key in checked:
            message = (
                f"two answers of {response.annotator!r} to {response.task}; delete one of them"
            )
            raise DataError(message, file=response.file, line=response.line)
        try:
            checked[key] = _checked(layout, item, response)
        except InvalidAnswer as error:
            message = f"{response.task}, annotator {response.annotator!r}: {error}"
            raise DataError(message, file=response.file, line=response.line) from error
    return replace(campaign, responses=tuple(checked.values()))


def unanswered(campaign: Campaign) -> int:
    """Return the number of responses that could not be submitted in a browser."""
    form = campaign.form
    return sum(bool(form.missing(campaign.tasks[r.task], r.answers)) for r in campaign.responses)


def _checked(layout: Layout, item: Item, response: ToolResponse) -> Response:
    form, texts = layout.campaign.form, layout.texts(item)
    for name, text in response.texts.items():
        if name in texts and text != texts[name]:
            raise InvalidAnswer(f"The text {name!r} is not the one of the key.")
    answers, remarks = {}, {}
    for slot in layout.slots:
        value = response.values.get(slot.name, "")
        stored = slot.value_of(value)
        if not stored.strip():
            continue
        if slot.remark:
            remarks[slot.remark] = slot.question.clean(stored)
            continue
        try:
            answers[slot.place] = form.clean(item, slot.place, stored)
        except InvalidAnswer as error:
            raise InvalidAnswer(f"question {slot.name!r} is {value[:60]!r}. {error}") from error
    if isinstance(form, Spans):
        answers |= _spans(form, item, response.spans)
    return Response(
        response.task, response.annotator, answers, response.opened, response.submitted, remarks
    )


def _spans(form: Form, item: Item, spans: tuple[ToolSpan, ...]) -> dict[int, str]:
    if len(spans) > MAX_SPANS:
        raise InvalidAnswer(f"Mark at most {MAX_SPANS} errors.")
    return {
        place: form.clean(item, place, msgspec.json.encode(_located(item.shown, span)).decode())
        for place, span in enumerate(spans, 1)
    }


def _located(shown: str, span: ToolSpan) -> Span:
    """Return a span in code points; tools that count UTF-16 units are recognized by the text."""
    start, end = span.start, span.end
    if span.text is not None and shown[max(start, 0) : max(end, 0)] != span.text:
        units = shown.encode("utf-16-le")
        if start < 0 or units[2 * start : 2 * end] != span.text.encode(
            "utf-16-le", "surrogatepass"
        ):
            raise InvalidAnswer(
                f"The words from {start} to {end} are not {span.text[:60]!r}; is the text another one?"
            )
        start = len(units[: 2 * start].decode("utf-16-le", "replace"))
        end = start + len(span.text)
    return Span(start, end, span.category, span.severity)
