"""REALSumm's content units of each document, and the crowd's votes on who has them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import MismatchError

# Place of a document among the judged ones to the ids and texts of its units.
Units = dict[int, list[tuple[int, str]]]


class Votes:
    """The answers of all raters: (system, document) to unit to a list of 1 (present) and 0."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, int], dict[int, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.files: dict[str, str] = {}

    def majority(
        self, system: str, document: int, units: list[tuple[int, str]]
    ) -> list[tuple[int, str]]:
        """Return the units that most raters found in the summary; a tie is "not present"."""
        answers = self.answers.get((system, document), {})
        for unit, label in units:
            if not answers.get(unit):
                raise MismatchError(
                    f"document {document} by {system}: no votes on unit {unit} ({label!r})",
                    file=self.files.get(system),
                )
        return [unit for unit in units if 2 * sum(answers[unit[0]]) > len(answers[unit[0]])]


def places_of(file: RawFile) -> dict[str, int]:
    """Return CNN/DM test line (`cnndm1017`) to place in the released files."""
    match = re.search(r"\[([\d,\s]+)\]", file.text())
    if not match:
        raise file.error("no list of the selected documents")
    return {f"cnndm{line.strip()}": at for at, line in enumerate(match[1].split(","))}


def units_of(file: RawFile, places: dict[str, int]) -> Units:
    """Return the units of every document, without the padding (`BLANK`)."""
    units: Units = defaultdict(list)
    for record in file.records():
        with file.noting():
            text = record.string("questionText").strip()
            if text != "BLANK":
                event = record.string("eventId")
                if event not in places:
                    raise record.error(f"document {event!r} is not among the selected ones")
                units[places[event]].append((int(record.number("questionId")), text))
    for event, at in places.items():
        if at not in units:
            raise file.error(f"no content units of document {at} ({event})")
    return dict(units)


def votes_of(raw: Raw, places: dict[str, int], units: Units) -> Votes:
    """Return all votes; the two BARTs, of one name, are distinguished by the file's folder."""
    votes = Votes()
    for file in raw.all("SCU_rating_results_*_systems/*.csv"):
        kind = "abs" if "_abs_" in file.folder else "ext"
        for record in file.records():
            with file.noting():
                system = record.string("Input.summaryId").strip()
                summarizer = f"{system}_{kind}" if system == "bart_out" else system
                event = record.string("Input.eventId")
                if event not in places:
                    raise record.error(f"document {event!r} is not among the selected ones")
                at = places[event]
                answers = _answers(record, {unit for unit, _ in units[at]})
                votes.files[summarizer] = file.place
                for unit, answer in answers.items():
                    votes.answers[summarizer, at][unit].append(answer)
    return votes


def _answers(record: Record, known: set[int]) -> dict[int, int]:
    """Return one rater's answers by unit, without those on the padding."""
    try:
        ids = [int(item) for item in ast.literal_eval(record.string("Input.qIdList"))]
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise record.error(f"'Input.qIdList' is not a list of numbers: {error}") from error
    answers = {}
    for number, unit in enumerate(ids, 1):
        if unit in known:
            answer = record.string(f"Answer.S{number}Answer").strip()
            if answer not in ("p", "n"):
                raise record.error(f"unknown answer {answer!r}: expected p or n")
            answers[unit] = int(answer == "p")
    return answers
