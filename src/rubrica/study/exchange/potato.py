"""Potato: a configuration (YAML), data as JSON lines, and the state of each annotator (JSON)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rubrica.data.jsonl import read_json, read_jsonl, write_json, write_jsonl
from rubrica.errors import DataError
from rubrica.study.exchange.answers import ToolResponse, ToolSpan
from rubrica.study.exchange.campaign import Campaign, Response
from rubrica.study.exchange.slots import ERRORS, SEPARATOR, SUMMARY, Layout, Slot, layout_of
from rubrica.study.exchange.values import as_list, as_object, as_place, as_text, as_time

OUTPUT = "annotation_output"
_STATE = "user_state.json"
_INSTANCES = "annotated_instances.jsonl"
_TYPES = {"choice": "radio", "slider": "slider", "text": "text"}
_NAME = re.compile(r"[A-Za-z0-9_@+-][A-Za-z0-9_.@+ -]{0,99}")


def write(campaign: Campaign, folder: Path) -> Campaign:
    """Write `config.yaml`, `tasks.jsonl`, and the answers as states of annotators."""
    layout = layout_of(campaign)
    # JSON is YAML, too.
    write_json(folder / "config.yaml", _config(layout))
    rows = [{"id": name} | layout.texts(item) for name, item in campaign.tasks.items()]
    write_jsonl(folder / "tasks.jsonl", rows)
    people: dict[str, list[Response]] = {}
    for response in campaign.responses:
        people.setdefault(response.annotator, []).append(response)
    for name, responses in people.items():
        if not _NAME.fullmatch(name):
            raise DataError(
                f"Potato keeps a folder for each annotator, and {name!r} cannot name one; "
                "pass --pseudonymize"
            )
        (folder / OUTPUT / name).mkdir(parents=True)
        write_json(folder / OUTPUT / name / _STATE, _state(layout, name, responses))
    return campaign


def _config(layout: Layout) -> dict[str, Any]:
    schemes = [_scheme(slot) for slot in layout.slots]
    if layout.spans:
        schemes.insert(0, {
            "annotation_type": "span", "name": ERRORS, "description": "Mark the errors",
            "labels": layout.error_labels, "target_field": SUMMARY,
        })  # fmt: skip
    fields = [
        {"key": name, "type": "text", "label": title}
        | ({"span_target": True} if layout.spans and name == SUMMARY else {})
        for name, title in layout.fields
    ]
    return {
        "annotation_task_name": layout.campaign.title,
        "task_dir": ".",
        "data_files": ["tasks.jsonl"],
        "item_properties": {"id_key": "id", "text_key": SUMMARY if layout.spans else "text_1"},
        "output_annotation_dir": OUTPUT,
        "instance_display": {"fields": fields, "layout": {"direction": "vertical"}},
        "annotation_schemes": schemes,
    }


def _scheme(slot: Slot) -> dict[str, Any]:
    question = slot.question
    scheme: dict[str, Any] = {
        "annotation_type": _TYPES[question.control],
        "name": slot.name,
        "description": question.note or slot.title,
        "label_requirement": {"required": slot.required},
    }
    if question.control == "slider":
        middle = (question.low + question.high) // 2
        scheme |= {"min_value": question.low, "max_value": question.high, "starting_value": middle}
    elif question.control == "choice":
        scheme["labels"] = [option.label for option in question.options]
    return scheme


def _state(layout: Layout, name: str, responses: list[Response]) -> dict[str, Any]:
    labels: dict[str, Any] = {}
    spans: dict[str, Any] = {}
    times: dict[str, Any] = {}
    for response in responses:
        task = response.task
        labels[task] = list(_labels(layout, response))
        if layout.spans:
            spans[task] = [
                [_span(f"{s.category}{SEPARATOR}{s.severity}", s.start, s.end), 1]
                for s in layout.spans.spans(response.answers)
            ]
        if response.submitted is not None:
            times[task] = {"instance_id": task, "session_start": response.opened,
                           "session_end": response.submitted}  # fmt: skip
    return {
        "user_id": name,
        "instance_id_ordering": list(layout.campaign.tasks),
        "current_instance_index": 0,
        "current_phase_and_page": ["annotation", None],
        "completed_phase_and_pages": [],
        "max_assignments": len(layout.campaign.tasks),
        "instance_id_to_behavioral_data": times,
        "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": spans,
        "phase_to_page_to_label_to_value": {},
        "phase_to_page_to_span_to_value": {},
    }


def _labels(layout: Layout, response: Response) -> Iterator[list[Any]]:
    names = {"slider": "slider", "text": "text_box"}
    for slot in layout.slots:
        answer = slot.answer(response)
        if answer is not None:
            label = slot.label_of(answer)
            yield [{"schema": slot.name, "name": names.get(slot.question.control, label)}, label]


def _span(label: str, start: int, end: int) -> dict[str, Any]:
    return {"schema": ERRORS, "name": label, "title": label, "start": start, "end": end,
            "id": f"{ERRORS}_{label}_{start}_{end}", "target_field": SUMMARY}  # fmt: skip


def read(path: str, campaign: Campaign) -> Iterator[ToolResponse]:
    """Yield the answers of a `user_state.json`, of all in a folder, or of `annotated_instances.jsonl`."""
    place = Path(path)
    if place.is_dir():
        files = sorted(place.glob(f"*/{_STATE}")) or [place / _INSTANCES]
        if not files[0].exists():
            raise DataError(
                f"no folder of an annotator with {_STATE}; pass the folder {OUTPUT}", file=path
            )
    else:
        files = [place]
    for file in files:
        if file.suffix == ".jsonl":
            yield from _read_instances(str(file))
        else:
            yield from _read_state(str(file))


def _read_state(file: str) -> Iterator[ToolResponse]:
    state = as_object(read_json(file), "the file", file)
    annotator = as_text(state.get("user_id"), "user_id", file) or Path(file).parent.name
    labels = as_object(state.get("instance_id_to_label_to_value") or {}, "labels", file)
    marks = as_object(state.get("instance_id_to_span_to_value") or {}, "spans", file)
    times = as_object(state.get("instance_id_to_behavioral_data") or {}, "times", file)
    for task in dict.fromkeys([*labels, *marks]):
        values = {}
        for entry in as_list(labels.get(task), f"{task}: labels", file):
            label, value = _pair(entry, task, file)
            values[as_text(label.get("schema"), f"{task}: schema", file)] = as_text(
                value, task, file
            )
        spans = [_pair(entry, task, file)[0] for entry in as_list(marks.get(task), task, file)]
        opened, submitted = _times(as_object(times.get(task) or {}, f"{task}: times", file))
        errors = tuple(
            _tool_span(span, task, file) for span in spans if span.get("schema") == ERRORS
        )
        yield ToolResponse(task, annotator, values, errors, opened, submitted, file=file)


def _pair(entry: Any, task: str, file: str) -> tuple[dict[str, Any], Any]:
    if not isinstance(entry, list) or len(entry) != 2:
        raise DataError(f"{task}: expected a label and its value", file=file)
    return as_object(entry[0], f"{task}: a label", file), entry[1]


def _times(data: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return when a task was opened and left; without the latter, when an answer changed last."""
    changes = data.get("annotation_changes")
    last = changes[-1] if isinstance(changes, list) and changes else None
    changed = last.get("timestamp") if isinstance(last, dict) else None
    return as_time(data.get("session_start")), as_time(data.get("session_end") or changed)


def _tool_span(span: dict[str, Any], task: str, file: str) -> ToolSpan:
    label = as_text(span.get("name") or span.get("annotation"), f"{task}: name", file)
    category, _, severity = label.rpartition(SEPARATOR)
    start, end = (as_place(span.get(key), f"{task}: {key}", file) for key in ("start", "end"))
    return ToolSpan(start, end, category, severity)


def _read_instances(file: str) -> Iterator[ToolResponse]:
    """Yield the answers that Potato 1 writes: a line for each task, without spans that could be located."""
    for line, row in read_jsonl(file):
        task = as_text(row.get("instance_id") or row.get("id"), f"line {line}: id", file)
        annotator = as_text(row.get("user_id"), f"{task}: user_id", file) or Path(file).parent.name
        values = {}
        chosen = as_object(row.get("label_annotations") or {}, f"{task}: label_annotations", file)
        for name, labels in chosen.items():
            for label, value in as_object(labels, f"{task}: {name}", file).items():
                text = as_text(value, f"{task}: {name}", file)
                if name == "slider":
                    values[label] = text
                else:
                    values[name] = text if label == "text_box" else label
        if row.get("span_annotations"):
            message = f"{task}: spans of Potato 1 have no offsets that can be checked; use Potato 2"
            raise DataError(message, file=file, line=line)
        yield ToolResponse(task, annotator, values, file=file, line=line)
