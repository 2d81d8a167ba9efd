"""Label Studio: a labelling configuration (XML), and tasks with annotations (JSON)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubrica.data.files import atomic_output
from rubrica.data.jsonl import read_json, write_json
from rubrica.study.exchange.answers import ToolResponse, ToolSpan
from rubrica.study.exchange.campaign import Campaign, Response
from rubrica.study.exchange.slots import ERRORS, SEVERITY, SUMMARY, Layout, Slot, layout_of
from rubrica.study.exchange.values import as_list, as_object, as_place, as_text, as_time, time_iso
from rubrica.study.forms.base import Item
from rubrica.study.forms.spans import Spans

TASK = "rubrica_task"
# The type of a result, and the key of its value.
_TYPES = {
    "choice": ("choices", "choices"),
    "slider": ("number", "number"),
    "text": ("textarea", "text"),
}


def write(campaign: Campaign, folder: Path) -> Campaign:
    """Write `config.xml` for the labelling interface and `tasks.json` for the import of tasks."""
    layout = layout_of(campaign)
    view = _view(layout)
    ET.indent(view)
    with atomic_output(folder / "config.xml") as stream:
        stream.write(ET.tostring(view, encoding="utf-8") + b"\n")
    responses = campaign.by_task()
    tasks = [
        {
            "id": number,
            "data": {TASK: name} | layout.texts(item),
            "annotations": [_annotation(layout, item, response) for response in responses[name]],
        }
        for number, (name, item) in enumerate(campaign.tasks.items(), 1)
    ]
    write_json(folder / "tasks.json", tasks)
    return campaign


def _view(layout: Layout) -> ET.Element:
    view = ET.Element("View")
    for name, heading in layout.headings:
        ET.SubElement(view, "Header", value=heading)
        ET.SubElement(view, "Text", name=name, value=f"${name}")
    if layout.spans:
        _add_spans(view, layout.spans)
    for slot in layout.slots:
        ET.SubElement(view, "Header", value=slot.question.note or slot.title, size="4")
        if slot.field:
            ET.SubElement(view, "Text", name=slot.field, value=f"${slot.field}")
        _add_control(view, slot, _target(layout, slot))
    return view


def _target(layout: Layout, slot: Slot) -> str:
    """Return the text that a question belongs to: its own, or the first."""
    return slot.field or (SUMMARY if layout.spans else "text_1")


def _add_spans(view: ET.Element, form: Spans) -> None:
    labels = ET.SubElement(view, "Labels", name=ERRORS, toName=SUMMARY)
    for category in form.categories:
        ET.SubElement(labels, "Label", value=category)
    ET.SubElement(view, "Text", name=SUMMARY, value=f"${SUMMARY}")
    severity = {"toName": SUMMARY, "perRegion": "true", "required": "true", "choice": "single"}
    choices = ET.SubElement(view, "Choices", {"name": SEVERITY} | severity)
    for name in form.severities:
        ET.SubElement(choices, "Choice", value=name)


def _add_control(view: ET.Element, slot: Slot, target: str) -> None:
    question = slot.question
    common = {"name": slot.name, "toName": target, "required": str(slot.required).lower()}
    if question.control == "text":
        ET.SubElement(view, "TextArea", common | {"maxSubmissions": "1", "rows": "3"})
    elif question.control == "slider":
        scale = {"min": str(question.low), "max": str(question.high), "step": "1", "slider": "true"}
        ET.SubElement(view, "Number", common | scale)
    else:
        choices = ET.SubElement(
            view, "Choices", common | {"choice": "single", "showInline": "true"}
        )
        for option in question.options:
            ET.SubElement(choices, "Choice", value=option.label)


def _annotation(layout: Layout, item: Item, response: Response) -> dict[str, Any]:
    results = []
    for slot in layout.slots:
        answer = slot.answer(response)
        if answer is None:
            continue
        kind, key = _TYPES[slot.question.control]
        value: Any = [slot.label_of(answer)]
        if kind == "number":
            value = int(answer)
        results.append(_result(slot.name, _target(layout, slot), kind, {key: value}, slot.name))
    if layout.spans:
        for number, span in enumerate(layout.spans.spans(response.answers), 1):
            words = {
                "start": span.start,
                "end": span.end,
                "text": item.shown[span.start : span.end],
            }
            region = f"error-{number}"
            results += [
                _result(ERRORS, SUMMARY, "labels", words | {"labels": [span.category]}, region),
                _result(SEVERITY, SUMMARY, "choices", words | {"choices": [span.severity]}, region),
            ]
    annotation: dict[str, Any] = {"completed_by": {"email": response.annotator}, "result": results}
    if response.submitted is not None:
        annotation["created_at"] = time_iso(response.submitted)
        if response.opened is not None:
            annotation["lead_time"] = round(response.submitted - response.opened, 6)
    return annotation


def _result(
    name: str, target: str, kind: str, value: dict[str, Any], region: str
) -> dict[str, Any]:
    return {"id": region, "from_name": name, "to_name": target, "type": kind, "value": value}


def read(path: str, campaign: Campaign) -> Iterator[ToolResponse]:
    """Yield the annotations of an export in the format JSON; skipped tasks have none."""
    for number, entry in enumerate(as_list(read_json(path), "the file", path), 1):
        where = f"task {number}"
        task = as_object(entry, where, path)
        data = as_object(task.get("data"), f"{where}: data", path)
        name = as_text(data.get(TASK), f"{where}: {TASK}", path)
        texts = {key: text for key, text in data.items() if isinstance(text, str)}
        for annotation in as_list(task.get("annotations"), f"{where}: annotations", path):
            annotation = as_object(annotation, f"{where}: an annotation", path)
            if annotation.get("was_cancelled"):
                continue
            values, spans = _values(annotation, where, path)
            submitted, spent = (
                as_time(annotation.get("created_at")),
                as_time(annotation.get("lead_time")),
            )
            opened = None if submitted is None or spent is None else round(submitted - spent, 6)
            annotator = _annotator(annotation.get("completed_by"), where, path)
            yield ToolResponse(name, annotator, values, spans, opened, submitted, texts, path)


def _annotator(value: Any, where: str, path: str) -> str:
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return as_text(value, f"{where}: completed_by", path) or "unknown"


def _values(
    annotation: dict[str, Any], where: str, path: str
) -> tuple[dict[str, str], tuple[ToolSpan, ...]]:
    """Return the answers by name, and the errors, whose category and severity share a region's id."""
    values: dict[str, str] = {}
    errors: dict[str, dict[str, Any]] = {}
    severities: dict[str, str] = {}
    for entry in as_list(annotation.get("result"), f"{where}: result", path):
        result = as_object(entry, f"{where}: a result", path)
        name = as_text(result.get("from_name"), f"{where}: from_name", path)
        value = as_object(result.get("value", {}), f"{where}: {name}", path)
        region = as_text(result.get("id"), f"{where}: id", path)
        if name == ERRORS:
            errors[region] = value
            continue
        kind = as_text(result.get("type"), f"{where}: type", path)
        content = value.get("text" if kind == "textarea" else kind)
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(as_text(part, f"{where}: {name}", path) for part in parts)
        if name == SEVERITY:
            severities[region] = text
        else:
            values[name] = text
    spans = (_span(v, severities.get(region, ""), where, path) for region, v in errors.items())
    return values, tuple(spans)


def _span(value: dict[str, Any], severity: str, where: str, path: str) -> ToolSpan:
    labels = as_list(value.get("labels"), f"{where}: labels", path)
    text = value.get("text")
    return ToolSpan(
        as_place(value.get("start"), f"{where}: start", path),
        as_place(value.get("end"), f"{where}: end", path),
        as_text(labels[0], f"{where}: labels", path) if labels else "",
        severity,
        text if isinstance(text, str) else None,
    )
