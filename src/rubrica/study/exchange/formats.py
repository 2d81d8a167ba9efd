"""The annotation tools whose files Rubrica writes and reads: one module for each, in one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError, UnknownNameError
from rubrica.study.exchange import argilla, label_studio, mturk, potato
from rubrica.study.exchange.answers import ToolResponse, with_responses
from rubrica.study.exchange.campaign import KEY, Campaign, read_key, write_key


class Format(Protocol):
    """The files of a tool."""

    def write(self, campaign: Campaign, folder: Path) -> Campaign:
        """Write tasks and answers; return the campaign with the tool's ids of annotators."""
        ...

    def read(self, path: str, campaign: Campaign) -> Iterator[ToolResponse]:
        """Yield the answers in the tool's files, as they are there."""
        ...


FORMATS: dict[str, Format] = {
    "label-studio": label_studio,
    "argilla": argilla,
    "potato": potato,
    "mturk": mturk,
}


def format_of(tool: str) -> Format:
    """Return the format of a tool; an unknown name is an error that lists those there are."""
    if tool not in FORMATS:
        raise UnknownNameError("tool", tool, FORMATS)
    return FORMATS[tool]


def write_campaign(tool: str, campaign: Campaign, folder: str) -> None:
    """Write a new folder with the files of a tool and, for the owner, the key beside them."""
    chosen = format_of(tool)
    with atomic_folder(folder) as place:
        written = chosen.write(campaign, place)
        write_key(str(place / KEY), written)


def read_campaign(tool: str, path: str, key: str) -> Campaign:
    """Return the tasks of a key with the answers in a tool's files."""
    chosen = format_of(tool)
    campaign = read_key(key)
    names = campaign.people
    responses = (
        replace(response, annotator=names.get(response.annotator, response.annotator))
        for response in chosen.read(path, campaign)
    )
    answered = with_responses(campaign, responses)
    if not answered.responses:
        raise DataError("no answers; does the tool's export include annotations?", file=path)
    return answered
