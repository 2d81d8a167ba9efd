"""Ratings: what each worker answered about each summary, as result files of Mechanical Turk have it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from rubrica.errors import DataError
from rubrica.study.sheets import BLANK, TURK_COLUMNS, one_line, read_id_list, read_sheet
from rubrica.study.tasks import ATTENTION, Task

_STATEMENT = re.compile(r"Input\.statement_(\d+)$")
_ANSWER = re.compile(r"Answer\.S(\d+)Answer$")
_PRESENT = {"p": True, "present": True, "1": True, "true": True, "yes": True}
_ABSENT = {"n": False, "not present": False, "0": False, "false": False, "no": False}
_WORDS = {**_PRESENT, **_ABSENT}
# What an answer that is missing counts as.
Missing: TypeAlias = Literal["none", "present", "absent"]
_INSTEAD: dict[Missing, bool | None] = {"none": None, "present": True, "absent": False}


@dataclass(frozen=True, slots=True)
class Answered:
    """One statement and the answer it got: True for present, None where there is none.

    `known` is the right answer of a check, None for a statement that counts.
    """

    id: str
    text: str
    answer: bool | None
    known: bool | None = None

    @property
    def blank(self) -> bool:
        """A filling, to be marked not present."""
        return self.text == BLANK

    @property
    def counts(self) -> bool:
        """Whether it is a content unit, and neither a filling nor a check."""
        return not self.blank and self.known is None

    def counted(self, missing: Missing) -> bool | None:
        """The answer, or what it counts as where it is missing."""
        return _INSTEAD[missing] if self.answer is None else self.answer


@dataclass(frozen=True, slots=True)
class Rating:
    """One assignment: all answers of one worker about one summary.

    `worker` is "" where the file has none; `seconds` is the time of work, None where unknown.
    """

    event: str
    summarizer_id: str
    worker: str
    answers: tuple[Answered, ...]
    shown: str
    batch: str
    line: int
    seconds: float | None = None
    accepted: str = ""
    submitted: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Which summary."""
        return self.event, self.summarizer_id

    def units(self) -> list[Answered]:
        """The statements that count."""
        return [one for one in self.answers if one.counts]

    def place(self) -> str:
        """File and line."""
        return f"{self.batch}:{self.line}"


def read_ratings(
    files: Sequence[str], *, key: Mapping[tuple[str, str], Task] | None = None
) -> list[Rating]:
    """All rows of result files, with or without the columns on workers and times.

    Checks are known by their ids, or by the key of the tasks.
    """
    ratings: list[Rating] = []
    for file in files:
        ratings.extend(_read(file, key or {}))
    return ratings


def _read(file: str, key: Mapping[tuple[str, str], Task]) -> Iterator[Rating]:
    needed = ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header, rows = read_sheet(file, needed)
    statements = {int(f[1]): name for name in header if (f := _STATEMENT.fullmatch(name))}
    answers = {int(f[1]): name for name in header if (f := _ANSWER.fullmatch(name))}
    if not statements or sorted(statements) != sorted(answers):
        raise DataError(
            f"{len(statements)} columns Input.statement_N and {len(answers)} Answer.SNAnswer; each "
            "statement needs its answer",
            file=file,
            line=1,
        )
    batch = os.path.basename(file)
    for line, row in rows:
        ids = read_id_list(row["Input.qIdList"], file, line)
        filled = [(n, one_line(row[statements[n]])) for n in sorted(statements)]
        filled = [(n, text) for n, text in filled if text]
        if len(ids) != len(filled):
            raise DataError(f"{len(ids)} ids and {len(filled)} statements", file=file, line=line)
        place = row["Input.eventId"], row["Input.summaryId"]
        task = key.get(place)
        known = {one.id: one.known for one in task.statements} if task else {}
        made = tuple(
            Answered(name, text, _answer(row[answers[n]], file, line, n), _known(name, known))
            for name, (n, text) in zip(ids, filled, strict=True)
        )
        yield Rating(
            *place,
            row.get("WorkerId", "").strip(),
            made,
            row["Input.summary_text"],
            batch,
            line,
            _seconds(row, file, line),
            row.get("AcceptTime", ""),
            row.get("SubmitTime", ""),
        )


def _answer(text: str, file: str, line: int, number: int) -> bool | None:
    word = text.strip().lower()
    if not word or word == "{}":
        return None
    if word not in _WORDS:
        raise DataError(f"answer {number} is {text!r}, neither p nor n", file=file, line=line)
    return _WORDS[word]


def _known(name: str, by_key: Mapping[str, str]) -> bool | None:
    if told := by_key.get(name):
        return told == "p"
    found = re.fullmatch(rf"{ATTENTION}-([pn])-\d+", name)
    return found[1] == "p" if found else None


def _seconds(row: Mapping[str, str], file: str, line: int) -> float | None:
    text = row.get("WorkTimeInSeconds", "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise DataError(f"WorkTimeInSeconds is {text!r}", file=file, line=line) from error


def by_summary(ratings: Iterable[Rating]) -> dict[tuple[str, str], list[Rating]]:
    """The ratings of each summary, in order; statements that differ between them are refused."""
    groups: dict[tuple[str, str], list[Rating]] = {}
    for rating in ratings:
        groups.setdefault(rating.key, []).append(rating)
    for group in groups.values():
        first = {one.id: one.text for one in group[0].units()}
        for rating in group[1:]:
            if {one.id: one.text for one in rating.units()} != first:
                raise DataError(
                    f"{rating.place()}: other statements about {rating.summarizer_id} of "
                    f"{rating.event} than in {group[0].place()}"
                )
    return groups


def aligned_answers(group: Sequence[Rating], missing: Missing) -> list[list[bool | None]]:
    """The answers of one summary's ratings to what counts, all in the order of the first's statements.

    People may see the statements in orders of their own.
    """
    order = [one.id for one in group[0].units()]
    rows = []
    for rating in group:
        by_id = {one.id: one.counted(missing) for one in rating.units()}
        rows.append([by_id[name] for name in order])
    return rows


def result_columns(statements: int) -> list[str]:
    """All columns of a result file, the answers in Mechanical Turk's order of strings."""
    numbers = range(1, statements + 1)
    answers = sorted(f"Answer.S{n}Answer" for n in numbers)
    # By strings S10Answer stands before S1Answer, since digits come before letters.
    inputs = ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    inputs += [f"Input.statement_{n}" for n in numbers]
    return [*TURK_COLUMNS, *inputs, *answers, "Approve", "Reject"]


def result_row(rating: Rating) -> dict[str, object]:
    """A rating as a row of a result file."""
    row: dict[str, object] = {
        "HITId": f"{rating.event}/{rating.summarizer_id}",
        "AssignmentId": f"{rating.event}/{rating.summarizer_id}/{rating.worker}",
        "WorkerId": rating.worker,
        "AssignmentStatus": "Submitted",
        "AcceptTime": rating.accepted,
        "SubmitTime": rating.submitted,
        "WorkTimeInSeconds": "" if rating.seconds is None else f"{rating.seconds:g}",
        "Input.eventId": rating.event,
        "Input.summaryId": rating.summarizer_id,
        "Input.qIdList": str([one.id for one in rating.answers]),
        "Input.summary_text": rating.shown,
    }
    for n, one in enumerate(rating.answers, 1):
        row[f"Input.statement_{n}"] = one.text
        row[f"Answer.S{n}Answer"] = "" if one.answer is None else "p" if one.answer else "n"
    return row


def time_text(seconds: float) -> str:
    """A time stamp as result files show it, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
