"""A study's file from and into a campaign, the form in which other annotation tools exchange it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from rubrica.errors import OutputError
from rubrica.serve.study_database import REMARKS, PastTask, StudyDatabase
from rubrica.study.exchange.campaign import Campaign, Response, make_campaign
from rubrica.study.forms.base import Form, Item
from rubrica.study.forms.definition import encode_form


def campaign_of(
    database: StudyDatabase, *, rename: Callable[[str], str] = str, seed: int = 0
) -> Campaign:
    """Return the tasks of a study and the submitted answers, without practice tasks.

    `rename` names the annotators. Times are rounded to microseconds, as other tools store them.
    """
    settings = database.settings()
    campaign = make_campaign(
        database.form, database.items(), seed=seed, title=settings["title"],
        instructions=settings["instructions"],
    )  # fmt: skip
    names = {(item.event, item.source): name for name, item in campaign.tasks.items()}
    responses = []
    for annotator, assigned in database.all_assigned():
        name = names.get((assigned.item.event, assigned.item.source))
        if assigned.submitted is None or name is None or assigned.item.qualification:
            continue
        answers = reordered(database.form, assigned.item, campaign.tasks[name], assigned.answers)
        responses.append(
            Response(
                name, rename(annotator.name), answers,
                None if assigned.opened is None else round(assigned.opened, 6),
                round(assigned.submitted, 6), assigned.remarks,
            )
        )  # fmt: skip
    return replace(campaign, responses=tuple(responses))


def create_study(path: str, campaign: Campaign) -> None:
    """Write a new study's file with the tasks and answers of a campaign.

    An annotator has the tasks that they answered. An answer without a time counts as submitted now.
    """
    if Path(path).exists():
        raise OutputError(path, "already exists")
    form, now = campaign.form, time.time()
    tasks = sorted(campaign.tasks.items(), key=lambda task: (task[1].event, task[1].source))
    numbers = {name: number for number, (name, _) in enumerate(tasks, 1)}
    people: dict[str, list[PastTask]] = {}
    for response in campaign.responses:
        past = PastTask(
            numbers[response.task],
            partial(_stored_answers, form, campaign.tasks[response.task], response),
            response.opened,
            now if response.submitted is None else response.submitted,
        )
        people.setdefault(response.annotator, []).append(past)
    items = [replace(item, statements=_sorted(form, item)) for _, item in tasks]
    facts = {"kind": form.kind, "form": encode_form(form), "title": campaign.title,
             "instructions": campaign.instructions}  # fmt: skip
    database = StudyDatabase(path)
    try:
        database.load(items, facts, people)
    except BaseException:
        database.close()
        for ending in ("", "-wal", "-shm"):
            Path(path + ending).unlink(missing_ok=True)
        raise
    database.close()


def _stored_answers(form: Form, before: Item, response: Response, after: Item) -> dict[int, str]:
    """Return answers and remarks by the places at which the study's file has them."""
    places = {name: place for place, name in REMARKS.items()}
    remarks = {places[name]: text for name, text in response.remarks.items()}
    return reordered(form, before, after, response.answers) | remarks


def reordered(form: Form, before: Item, after: Item, answers: dict[int, str]) -> dict[int, str]:
    """Return answers to a task for another order of the summaries that it compares."""
    if not form.shuffles:
        return dict(answers)
    places = {statement["id"]: place for place, statement in enumerate(after.statements)}
    return form.reordered(answers, [places[statement["id"]] for statement in before.statements])


def _sorted(form: Form, item: Item) -> tuple[dict[str, str], ...]:
    if not form.shuffles:
        return item.statements
    return tuple(sorted(item.statements, key=lambda statement: statement["id"]))
