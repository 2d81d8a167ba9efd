"""A study as other annotation tools get it: tasks under neutral ids, and answers that come back.

The tools see ids, texts and questions. What a task is about (input, system, known answers) stays in
the key, which only the owner has.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from rubrica.data.jsonl import read_json, write_json
from rubrica.errors import DataError
from rubrica.study.forms.base import Form, Item
from rubrica.study.forms.definition import decode_form

KEY = "key.json"
_VERSION = 1
_STATEMENT = {"id", "text", "known"}


@dataclass(frozen=True, slots=True)
class Response:
    """The answers of one annotator to one task; times are seconds since 1970, None if unknown."""

    task: str
    annotator: str
    answers: dict[int, str]
    opened: float | None = None
    submitted: float | None = None
    remarks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A study with its tasks by neutral id, in the order in which a tool shows them."""

    form: Form
    tasks: dict[str, Item]
    responses: tuple[Response, ...] = ()
    title: str = ""
    instructions: str = ""
    # Names of annotators by their id in the tool, where that is another.
    people: dict[str, str] = field(default_factory=dict)

    def by_task(self) -> dict[str, list[Response]]:
        """Return the responses to each task."""
        responses: dict[str, list[Response]] = {name: [] for name in self.tasks}
        for response in self.responses:
            responses[response.task].append(response)
        return responses


class _Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    item: Item


class _Key(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    form: dict[str, Any]
    title: str
    instructions: str
    tasks: tuple[_Task, ...]
    people: dict[str, str] = {}


def make_campaign(
    form: Form, items: Iterable[Item], *, seed: int = 0, title: str = "", instructions: str = ""
) -> Campaign:
    """Return a campaign of these tasks, in random order under ids that reveal nothing.

    The ids depend on the tasks and the seed only. Summaries to compare are in a random order, the same for all annotators: tools have one.
    """
    chosen = sorted(
        (item for item in items if not item.qualification),
        key=lambda item: (item.event, item.source),
    )
    random.Random(f"exchange:{seed}").shuffle(chosen)
    digits = len(str(len(chosen)))
    tasks = {}
    for number, item in enumerate(chosen, 1):
        statements = list(item.statements)
        if form.shuffles:
            random.Random(f"exchange:{seed}:{item.event}:{item.source}").shuffle(statements)
        tasks[f"task-{number:0{digits}}"] = replace(item, statements=tuple(statements))
    return Campaign(form, tasks, (), title or form.title, instructions or form.instructions)


def write_key(path: str, campaign: Campaign) -> None:
    """Write what the tasks are about, for `read_key`."""
    key = _Key(
        _VERSION,
        msgspec.to_builtins(campaign.form),
        campaign.title,
        campaign.instructions,
        tuple(_Task(name, item) for name, item in campaign.tasks.items()),
        campaign.people,
    )
    write_json(path, key)


def read_key(path: str) -> Campaign:
    """Return the campaign of a key, without answers."""
    content = read_json(path)
    try:
        key = msgspec.convert(content, _Key)
        form = decode_form("", msgspec.json.encode(key.form).decode())
    except msgspec.ValidationError as error:
        raise _no_key(path, str(error)) from error
    if key.version != _VERSION:
        raise _no_key(path, f"version {key.version}; this Rubrica reads version {_VERSION}")
    if problem := form.problem():
        raise _no_key(path, problem)
    tasks = {task.id: task.item for task in key.tasks}
    if len(tasks) < len(key.tasks):
        raise _no_key(path, "two tasks have the same id")
    for name, item in tasks.items():
        if item.kind != form.kind or any(s.keys() != _STATEMENT for s in item.statements):
            raise _no_key(path, f"{name} is no task of kind {form.kind}")
    return Campaign(form, tasks, (), key.title, key.instructions, key.people)


def _no_key(path: str, reason: str) -> DataError:
    return DataError(
        f"not a key: {reason}. Pass the {KEY} that rubrica study export wrote", file=path
    )
