"""Ratings: the answers of each worker about each summary, in the columns of Mechanical Turk's results.

A summary is identified by its text: ratings of two texts under one name are an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from rubrica.errors import DataError
from rubrica.study.preprocess import text_digest
from rubrica.study.sheets import BLANK, TURK_COLUMNS, one_line, read_id_list, read_sheet
from rubrica.study.tasks import ATTENTION, Task

_STATEMENT = re.compile(r"Input\.statement_(\d+)$")
_ANSWER = re.compile(r"Answer\.S(\d+)Answer$")
_PRESENT = {"p": True, "present": True, "1": True, "true": True, "yes": True}
_ABSENT = {"n": False, "not present": False, "0": False, "false": False, "no": False}
_WORDS = {**_PRESENT, **_ABSENT}
# What a missing answer counts as.
Missing: TypeAlias = Literal["none", "present", "absent"]
_INSTEAD: dict[Missing, bool | None] = {"none": None, "present": True, "absent": False}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one statement: True for present, None if it is missing.

    `known` is the correct answer of an attention check, None for a statement that counts.
    """

    id: str
    text: str
    answer: bool | None
    known: bool | None = None

    @property
    def blank(self) -> bool:
        """Whether this is padding, to be marked not present."""
        return self.text == BLANK

    @property
    def counts(self) -> bool:
        """Whether this is a content unit, not padding or an attention check."""
        return not self.blank and self.known is None

    def counted(self, missing: Missing) -> bool | None:
        """Return the answer, or what a missing answer counts as."""
        return _INSTEAD[missing] if self.answer is None else self.answer


@dataclass(frozen=True, slots=True)
class Rating:
    """One assignment: all answers of one worker about one summary.

    `worker` is "" if the file has no worker ids; `seconds` is the working time, if known.
    `scored_digest` identifies the text that metrics scored, if the key of the tasks is known.
    """

    event: str
    summarizer_id: str
    worker: str
    answers: tuple[Answer, ...]
    shown: str
    batch: str
    line: int
    seconds: float | None = None
    accepted: str = ""
    submitted: str = ""
    scored_digest: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The input and the system; ratings of one key have one text (see `by_summary`)."""
        return self.event, self.summarizer_id

    def units(self) -> list[Answer]:
        """Return the answers that count."""
        return [answer for answer in self.answers if answer.counts]

    def place(self) -> str:
        """Return file and line."""
        return f"{self.batch}:{self.line}"


def read_ratings(
    files: Sequence[str],
    *,
    key: Mapping[tuple[str, str], Task] | None = None,
    split_by_folder: bool = False,
) -> list[Rating]:
    """Read all rows of result files, with or without the columns on workers and times.

    Attention checks are recognized by their ids, or by the key of the tasks. `split_by_folder` puts
    the name of each file's folder before system ids that have none: `abs/bart_out`.
    """
    ratings: list[Rating] = []
    for file in files:
        split = os.path.basename(os.path.dirname(os.path.abspath(file))) if split_by_folder else ""
        ratings.extend(_read(file, key or {}, split))
    return ratings


def _read(file: str, key: Mapping[tuple[str, str], Task], split: str) -> Iterator[Rating]:
    needed = ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header, rows = read_sheet(file, needed)
    statements = {int(match[1]): name for name in header if (match := _STATEMENT.fullmatch(name))}
    answers = {int(match[1]): name for name in header if (match := _ANSWER.fullmatch(name))}
    if not statements or sorted(statements) != sorted(answers):
        raise DataError(
            f"{len(statements)} columns Input.statement_N and {len(answers)} Answer.SNAnswer; each "
            "statement needs its answer",
            file=file,
            line=1,
        )
    for line, row in rows:
        ids = read_id_list(row["Input.qIdList"], file, line)
        texts = [(n, one_line(row[statements[n]])) for n in sorted(statements)]
        texts = [(n, text) for n, text in texts if text]
        if len(ids) != len(texts):
            raise DataError(f"{len(ids)} ids and {len(texts)} statements", file=file, line=line)
        event, system = row["Input.eventId"], row["Input.summaryId"]
        task = key.get((event, system))
        known = {statement.id: statement.known for statement in task.statements} if task else {}
        yield Rating(
            event,
            f"{split}/{system}" if split and "/" not in system else system,
            row.get("WorkerId", "").strip(),
            tuple(
                Answer(name, text, _answer(row[answers[n]], file, line, n), _known(name, known))
                for name, (n, text) in zip(ids, texts, strict=True)
            ),
            row["Input.summary_text"],
            file,
            line,
            _seconds(row, file, line),
            row.get("AcceptTime", ""),
            row.get("SubmitTime", ""),
            task.scored_digest if task else "",
        )


def _answer(text: str, file: str, line: int, number: int) -> bool | None:
    word = text.strip().lower()
    if not word or word == "{}":
        return None
    if word not in _WORDS:
        raise DataError(f"answer {number} is {text!r}, neither p nor n", file=file, line=line)
    return _WORDS[word]


def _known(name: str, by_key: Mapping[str, str]) -> bool | None:
    if correct := by_key.get(name):
        return correct == "p"
    match = re.fullmatch(rf"{ATTENTION}-([pn])-\d+", name)
    return match[1] == "p" if match else None


def _seconds(row: Mapping[str, str], file: str, line: int) -> float | None:
    text = row.get("WorkTimeInSeconds", "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise DataError(f"WorkTimeInSeconds is {text!r}", file=file, line=line) from error


def by_summary(ratings: Iterable[Rating]) -> dict[tuple[str, str], list[Rating]]:
    """Return the ratings of each summary, one per worker (the last), in order of appearance.

    Ratings of different texts, or with different statements, under one name are refused.
    """
    groups: dict[tuple[str, str], list[Rating]] = {}
    for rating in ratings:
        groups.setdefault(rating.key, []).append(rating)
    for key, group in groups.items():
        _check_same_text(group)
        statements = {unit.id: unit.text for unit in group[0].units()}
        for rating in group[1:]:
            if {unit.id: unit.text for unit in rating.units()} != statements:
                raise DataError(
                    f"{rating.place()}: other statements about {rating.summarizer_id} of "
                    f"{rating.event} than in {group[0].place()}"
                )
        groups[key] = last_ratings(group)[0]
    return groups


def _check_same_text(group: Sequence[Rating]) -> None:
    first, digest = group[0], text_digest(group[0].shown)
    for rating in group[1:]:
        if rating.shown != first.shown and text_digest(rating.shown) != digest:
            raise DataError(
                f"{rating.place()}: another text for {rating.summarizer_id} of {rating.event} than in "
                f"{first.place()}; two systems share this name. Rename one of them, or pass "
                "--split-by-folder to put each file's folder before the names"
            )


def last_ratings(ratings: Iterable[Rating]) -> tuple[list[Rating], list[tuple[Rating, Rating]]]:
    """Return one rating per worker and summary (the last), and each superseded one with its successor."""
    last: dict[tuple[tuple[str, str], str], Rating] = {}
    rows = list(ratings)
    for rating in rows:
        if rating.worker:
            last[rating.key, rating.worker] = rating
    pairs = [(row, last[row.key, row.worker] if row.worker else row) for row in rows]
    return [a for a, b in pairs if a is b], [(a, b) for a, b in pairs if a is not b]


def aligned_answers(group: Sequence[Rating], missing: Missing) -> list[list[bool | None]]:
    """Return the answers of each rating of a summary, all in the order of the first rating's units.

    Annotators may see the statements in different orders.
    """
    order = [unit.id for unit in group[0].units()]
    rows = []
    for rating in group:
        by_id = {unit.id: unit.counted(missing) for unit in rating.units()}
        rows.append([by_id[name] for name in order])
    return rows


def result_columns(statements: int) -> list[str]:
    """Return all columns of a result file, answers sorted as strings like Mechanical Turk's."""
    numbers = range(1, statements + 1)
    answers = sorted(f"Answer.S{n}Answer" for n in numbers)
    # As strings, S10Answer sorts before S1Answer, since digits come before letters.
    inputs = ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    inputs += [f"Input.statement_{n}" for n in numbers]
    return [*TURK_COLUMNS, *inputs, *answers, "Approve", "Reject"]


def result_row(rating: Rating) -> dict[str, object]:
    """Return a rating as a row of a result file."""
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
        "Input.qIdList": str([answer.id for answer in rating.answers]),
        "Input.summary_text": rating.shown,
    }
    for n, answer in enumerate(rating.answers, 1):
        row[f"Input.statement_{n}"] = answer.text
        row[f"Answer.S{n}Answer"] = "" if answer.answer is None else "p" if answer.answer else "n"
    return row


def time_text(seconds: float) -> str:
    """Return a UTC time stamp in the format of result files."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
