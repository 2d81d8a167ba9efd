"""Rating tasks: a summary and the statements to look for in it, with attention checks.

A task file has LitePyramids' columns. Its key (JSON lines, beside it) says what each statement is,
which answers are known, and which text was scored.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from rubrica.data.jsonl import convert, read_jsonl
from rubrica.errors import DataError, ParameterError
from rubrica.study.preprocess import text_digest
from rubrica.study.scus import Scu, content_words
from rubrica.study.sheets import (
    BLANK,
    MAX_STATEMENTS,
    check_pad,
    one_line,
    read_id_list,
    read_sheet,
)

ATTENTION = "attention"


class Statement(msgspec.Struct, frozen=True):
    """A statement to mark; `known` is the correct answer of an attention check, `p` or `n`."""

    id: str
    text: str
    known: str = ""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One summary as annotators see it, with its statements; `scored` is the text that metrics scored."""

    event: str
    summarizer_id: str
    shown: str
    statements: tuple[Statement, ...]
    scored: str = ""
    scored_digest: str = ""
    steps: tuple[str, ...] = ()
    qualification: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Return the ids of the summary."""
        return self.event, self.summarizer_id


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary to rate: its input, its system, its sentences."""

    event: str
    summarizer_id: str
    sentences: Sequence[str]


@dataclass(frozen=True, slots=True)
class Showing:
    """How texts are changed before they are shown: named steps, in order."""

    steps: Sequence[tuple[str, Callable[[str], str]]] = field(default=())

    def text(self, sentences: Sequence[str]) -> str:
        """Return the text as annotators see it."""
        shown = list(sentences)
        for _, change in self.steps:
            shown = [change(sentence) for sentence in shown]
        return one_line(" ".join(shown))


def make_tasks(
    summaries: Iterable[Summary],
    scus: Sequence[Scu],
    *,
    attention: int = 0,
    showing: Showing | None = None,
    seed: int = 0,
) -> list[Task]:
    """Return a task for every summary whose event has units for use, in random order.

    `attention` inserts that many checks at random places. They alternate between a unit of another
    event that shares no content word with the text (not present) and a sentence of the text
    (present).
    """
    if not 0 <= attention <= MAX_STATEMENTS:
        raise ParameterError(
            f"the number of checks must not be negative, nor above {MAX_STATEMENTS:,}: {attention}"
        )
    showing = showing or Showing()
    by_event: dict[str, list[Scu]] = {}
    for scu in scus:
        if scu.for_use:
            by_event.setdefault(scu.event, []).append(scu)
    tasks = []
    for summary in summaries:
        units = by_event.get(summary.event)
        if not units:
            continue
        shown = showing.text(summary.sentences)
        statements = [Statement(scu.id, one_line(scu.text)) for scu in units]
        chance = random.Random(f"task:{seed}:{summary.event}:{summary.summarizer_id}")
        for check in _checks(summary, shown, showing, by_event, attention, chance):
            statements.insert(chance.randint(0, len(statements)), check)
        scored = " ".join(summary.sentences)
        tasks.append(
            Task(
                event=summary.event,
                summarizer_id=summary.summarizer_id,
                shown=shown,
                statements=tuple(statements),
                scored=scored,
                scored_digest=text_digest(scored),
                steps=tuple(name for name, _ in showing.steps),
            )
        )
    random.Random(f"order:{seed}").shuffle(tasks)
    return tasks


def _checks(
    summary: Summary,
    shown: str,
    showing: Showing,
    by_event: Mapping[str, Sequence[Scu]],
    number: int,
    chance: random.Random,
) -> Iterator[Statement]:
    words_here = content_words(shown) | {
        word for scu in by_event[summary.event] for word in content_words(scu.text)
    }
    elsewhere = [
        scu for event, units in by_event.items() if event != summary.event for scu in units
    ]
    foreign = [scu for scu in elsewhere if not content_words(scu.text) & words_here]
    foreign = chance.sample(foreign, min(len(foreign), number))
    sentences = [showing.text([sentence]) for sentence in summary.sentences if sentence.strip()]
    sentences = chance.sample(sentences, min(len(sentences), number))
    for turn in range(number):
        if turn % 2 == 0 and foreign:
            yield Statement(f"{ATTENTION}-n-{turn}", one_line(foreign.pop().text), "n")
        elif sentences:
            yield Statement(f"{ATTENTION}-p-{turn}", sentences.pop(), "p")


def task_columns(statements: int) -> list[str]:
    """Return `eventId,summaryId,qIdList,summary_text,statement_1,...`."""
    numbered = [f"statement_{number}" for number in range(1, statements + 1)]
    return ["eventId", "summaryId", "qIdList", "summary_text", *numbered]


def task_rows(
    tasks: Iterable[Task], *, pad: int | None = None, plain_quotes: bool = False
) -> Iterator[dict[str, str]]:
    """Yield the rows of a task file; `pad` fills up the statements with `BLANK`.

    `plain_quotes` replaces `"` by `'`, as LitePyramids did; CSV needs no such change.
    """
    if pad is not None:
        check_pad(pad)
    for task in tasks:
        statements = list(task.statements)
        if pad is not None:
            if len(statements) > pad:
                raise DataError(
                    f"{task.summarizer_id} of {task.event} has {len(statements)} statements, more "
                    f"than the {pad} to fill to"
                )
            statements += [Statement(f"blank-{n}", BLANK) for n in range(pad - len(statements))]
        row = {
            "eventId": task.event,
            "summaryId": task.summarizer_id,
            "qIdList": str([statement.id for statement in statements]),
            "summary_text": task.shown,
        }
        row |= {f"statement_{n}": statement.text for n, statement in enumerate(statements, 1)}
        yield {k: v.replace('"', "'") for k, v in row.items()} if plain_quotes else row


def read_tasks(path: str, key: str | None = None, *, qualification: bool = False) -> list[Task]:
    """Read the tasks of a CSV file; known answers come from the key, or from columns `gold_1`, ..."""
    known = {task.key: task for task in read_key(key)} if key else {}
    header, rows = read_sheet(path, ["eventId", "summaryId", "qIdList", "summary_text"])
    numbers = sorted(
        int(name.removeprefix("statement_")) for name in header
        if name.startswith("statement_") and name.removeprefix("statement_").isdecimal()
    )  # fmt: skip
    if not numbers:
        raise DataError("no columns statement_1, statement_2, ...", file=path, line=1)
    tasks, seen = [], set()
    for line, row in rows:
        ids = read_id_list(row["qIdList"], path, line)
        texts = [(n, row[f"statement_{n}"].strip()) for n in numbers]
        filled = [(n, text) for n, text in texts if text]
        if len(filled) != len(ids):
            raise DataError(f"{len(ids)} ids and {len(filled)} statements", file=path, line=line)
        place = row["eventId"], row["summaryId"]
        if place in seen:
            raise DataError(f"{place} has two tasks", file=path, line=line)
        seen.add(place)
        keyed = known.get(place)
        answers = {statement.id: statement.known for statement in keyed.statements} if keyed else {}
        statements = []
        for name, (n, text) in zip(ids, filled, strict=True):
            gold = row.get(f"gold_{n}", "").strip() or answers.get(name, "")
            if gold not in ("", "p", "n"):
                raise DataError(f"gold_{n} is {gold!r}, not p or n", file=path, line=line)
            if text != BLANK:
                statements.append(Statement(name, text, gold))
        tasks.append(
            Task(
                event=place[0],
                summarizer_id=place[1],
                shown=row["summary_text"],
                statements=tuple(statements),
                scored=keyed.scored if keyed else "",
                scored_digest=keyed.scored_digest if keyed else "",
                steps=keyed.steps if keyed else (),
                qualification=qualification,
            )
        )
    if qualification and not any(
        statement.known for task in tasks for statement in task.statements
    ):
        raise DataError("a qualification needs known answers: columns gold_1, ...", file=path)
    return tasks


def read_task_file(path: str, key: str | None = None) -> list[Task]:
    """Read the tasks of a CSV file with their key, by default the one beside it if it exists."""
    beside = f"{path}.key.jsonl"
    return read_tasks(path, key or (beside if os.path.exists(beside) else None))


def read_key(path: str) -> list[Task]:
    """Read the key of a task file."""
    return [convert(row, Task, path, line) for line, row in read_jsonl(path)]
