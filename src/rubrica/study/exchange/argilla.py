"""Argilla 2: the settings and the records of a dataset, in the folder that `Dataset.from_disk` reads."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rubrica.data.jsonl import read_json, write_json
from rubrica.errors import DataError
from rubrica.study.exchange.answers import ToolResponse, ToolSpan
from rubrica.study.exchange.campaign import Campaign, Response
from rubrica.study.exchange.slots import ERRORS, SEPARATOR, SUMMARY, Layout, Slot, layout_of
from rubrica.study.exchange.values import as_list, as_object, as_place, as_text, as_time

TIMES = "rubrica_times"


def write(campaign: Campaign, folder: Path) -> Campaign:
    """Write `.argilla/settings.json`, `.argilla/dataset.json` and `records.json`."""
    layout = layout_of(campaign)
    people = {_user(r.annotator): r.annotator for r in campaign.responses}
    (folder / ".argilla").mkdir()
    write_json(folder / ".argilla" / "settings.json", _settings(layout))
    name = re.sub(r"[^a-z0-9]+", "-", campaign.title.lower()).strip("-") or "study"
    dataset = {"name": name[:200], "guidelines": campaign.instructions or None,
               "allow_extra_metadata": True}  # fmt: skip
    write_json(folder / ".argilla" / "dataset.json", dataset)
    responses = campaign.by_task()
    records = [_record(layout, name, responses[name]) for name in campaign.tasks]
    write_json(folder / "records.json", records)
    return replace(campaign, people=people)


def _name(slot: Slot) -> str:
    """Return the name of a question; Argilla has small letters only."""
    return slot.name if slot.name == slot.name.lower() else f"q{slot.place + 1}-{slot.name.lower()}"


def _user(annotator: str) -> str:
    """Return the id of a user: Argilla has UUIDs."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"rubrica:annotator:{annotator}"))


def _settings(layout: Layout) -> dict[str, Any]:
    campaign = layout.campaign
    empty = {
        name
        for item in campaign.tasks.values()
        for name, text in layout.texts(item).items()
        if not text
    }
    fields = [
        {"name": name, "title": title, "required": name not in empty,
         "settings": {"type": "text", "use_markdown": False}}
        for name, title in layout.fields
    ]  # fmt: skip
    return {
        "guidelines": campaign.instructions or None,
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": 1},
        "fields": fields,
        "questions": _questions(layout),
        "metadata": [],
        "vectors": [],
    }


def _questions(layout: Layout) -> list[dict[str, Any]]:
    questions = []
    if layout.spans:
        settings = {"type": "span", "field": SUMMARY, "allow_overlapping": True,
                    "options": _options((label, label) for label in layout.error_labels)}  # fmt: skip
        # Argilla publishes no dataset without a required question.
        alone = not any(slot.required for slot in layout.slots)
        questions.append(_question(ERRORS, "Errors", "", alone, settings))
    for slot in layout.slots:
        question = slot.question
        if question.control == "slider":
            raise DataError(
                f"Argilla has no scale from {question.low} to {question.high} (question {slot.name!r}); "
                "use a form of kind likert, or another tool"
            )
        settings = {"type": "text", "use_markdown": False}
        if question.control == "choice":
            options = _options((option.label, option.label) for option in question.options)
            settings = {"type": "label_selection", "options": options}
        questions.append(_question(_name(slot), slot.title, question.note, slot.required, settings))
    return questions


def _options(pairs: Any) -> list[dict[str, str]]:
    return [{"value": value, "text": text} for value, text in pairs]


def _question(
    name: str, title: str, note: str, required: bool, settings: dict[str, Any]
) -> dict[str, Any]:
    return {"name": name, "title": title, "description": note or None, "required": required,
            "settings": settings}  # fmt: skip


def _record(layout: Layout, name: str, responses: list[Response]) -> dict[str, Any]:
    texts = layout.texts(layout.campaign.tasks[name])
    answers: dict[str, list[dict[str, Any]]] = {}
    times = []
    for response in responses:
        user = _user(response.annotator)
        for question, value in _values(layout, response).items():
            answers.setdefault(question, []).append({"value": value, "user_id": user})
        if response.submitted is not None:
            opened = "" if response.opened is None else f"{response.opened:.6f}"
            times.append(f"{user} {opened} {response.submitted:.6f}")
    return {
        "id": name,
        "fields": {field: text for field, text in texts.items() if text},
        "metadata": {TIMES: "\n".join(times)} if times else {},
        "suggestions": {},
        "responses": answers,
        "vectors": {},
        "status": "completed" if answers else "pending",
        "_server_id": None,
    }


def _values(layout: Layout, response: Response) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if layout.spans:
        values[ERRORS] = [
            {"start": s.start, "end": s.end, "label": f"{s.category}{SEPARATOR}{s.severity}"}
            for s in layout.spans.spans(response.answers)
        ]
    for slot in layout.slots:
        answer = slot.answer(response)
        if answer is not None:
            values[_name(slot)] = slot.label_of(answer)
    return values


def read(path: str, campaign: Campaign) -> Iterator[ToolResponse]:
    """Yield the responses of `records.json`, or of the folder that has it."""
    file = str(Path(path) / "records.json") if Path(path).is_dir() else path
    names = {_name(slot): slot.name for slot in layout_of(campaign).slots}
    for number, entry in enumerate(as_list(read_json(file), "the file", file), 1):
        where = f"record {number}"
        record = as_object(entry, where, file)
        name = as_text(record.get("id"), f"{where}: id", file)
        fields = as_object(record.get("fields") or {}, f"{where}: fields", file)
        texts = {key: text for key, text in fields.items() if isinstance(text, str)}
        times = _times(as_object(record.get("metadata") or {}, f"{where}: metadata", file))
        values: dict[str, dict[str, str]] = {}
        spans: dict[str, tuple[ToolSpan, ...]] = {}
        responses = as_object(record.get("responses") or {}, f"{where}: responses", file)
        for question, entries in responses.items():
            for answer in as_list(entries, f"{where}: {question}", file):
                answer = as_object(answer, f"{where}: {question}", file)
                user = as_text(answer.get("user_id"), f"{where}: user_id", file) or "unknown"
                own = values.setdefault(user, {})
                if question == ERRORS:
                    spans[user] = tuple(_spans(answer.get("value"), where, file))
                else:
                    own[names.get(question, question)] = as_text(
                        answer.get("value"), f"{where}: {question}", file
                    )
        for user, own in values.items():
            opened, submitted = times.get(user, (None, None))
            annotator = campaign.people.get(user, user)
            yield ToolResponse(
                name, annotator, own, spans.get(user, ()), opened, submitted, texts, file
            )


def _times(metadata: dict[str, Any]) -> dict[str, tuple[float | None, float | None]]:
    """Return when users opened and submitted a record; Argilla's own files do not say so."""
    text = metadata.get(TIMES)
    lines = [line.split(" ") for line in text.split("\n")] if isinstance(text, str) else []
    return {line[0]: (_seconds(line[1]), _seconds(line[2])) for line in lines if len(line) == 3}


def _seconds(text: str) -> float | None:
    return as_time(float(text)) if re.fullmatch(r"\d{1,12}\.\d{1,6}", text, re.ASCII) else None


def _spans(value: Any, where: str, file: str) -> Iterator[ToolSpan]:
    for entry in as_list(value, f"{where}: {ERRORS}", file):
        span = as_object(entry, f"{where}: {ERRORS}", file)
        label = as_text(span.get("label"), f"{where}: label", file)
        category, _, severity = label.rpartition(SEPARATOR)
        start, end = (as_place(span.get(key), f"{where}: {key}", file) for key in ("start", "end"))
        yield ToolSpan(start, end, category, severity)
