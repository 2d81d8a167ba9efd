"""Summary content units: tasks for writing them, what people wrote, and the filters of LitePyramids."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rubrica.core.rouge_words import wordnet_exceptions
from rubrica.errors import DataError, ParameterError
from rubrica.study.sheets import BLANK, check_pad, one_line, pseudonym, read_sheet, write_sheet
from rubrica.text.sentences import split_sentences
from rubrica.text.stem import stem_function
from rubrica.text.stopwords import stopwords

WRITE_COLUMNS = ("eventId", "summId", "summary_text")
SCU_COLUMNS = (
    "eventId", "questionId", "questionText", "answer", "author", "sourceSummaryId", "forUse",
)  # fmt: skip
_ANSWER = re.compile(r"Answer\.s(\d+)$", re.IGNORECASE)
_TOKEN = re.compile(r"\w+(?:[-.,'’]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Scu:
    """One content unit of an event (a document or topic), written from one reference."""

    event: str
    id: str
    text: str
    author: str = ""
    source: str = ""
    for_use: bool = True


def writing_tasks(
    references: Mapping[str, Sequence[tuple[str, str]]],
    *,
    per_event: int | None = None,
    seed: int = 0,
) -> list[dict[str, str]]:
    """Return shuffled rows of (eventId, summId, summary_text) to write units from.

    `references` are (id, text) by event; with `per_event`, that many are drawn from each.
    """
    chance = random.Random(f"scus:{seed}")
    rows = []
    for event, texts in references.items():
        chosen = list(texts)
        if per_event is not None and per_event < len(chosen):
            chosen = chance.sample(chosen, per_event)
        rows += [
            {"eventId": event, "summId": name, "summary_text": one_line(text)}
            for name, text in chosen
        ]
    chance.shuffle(rows)
    return rows


def collect_scus(
    files: Sequence[str], *, first_id: int = 0, secret: bytes | None = None
) -> list[Scu]:
    """Return the units in result files: every non-empty `Answer.sN`, in the order of N.

    The author is the worker's id, or a pseudonym if you pass a secret.
    """
    scus: list[Scu] = []
    for file in files:
        header, rows = read_sheet(file, ["Input.eventId", "Input.summId"])
        answers = sorted(
            (int(match[1]), name) for name in header if (match := _ANSWER.fullmatch(name))
        )
        if not answers:
            raise DataError("no columns Answer.s1, Answer.s2, ...", file=file, line=1)
        for _, row in rows:
            worker = row.get("WorkerId", "")
            author = pseudonym(worker, secret) if worker and secret is not None else worker
            for _, name in answers:
                if text := one_line(row[name]):
                    number = str(first_id + len(scus))
                    event, source = row["Input.eventId"], row["Input.summId"]
                    scus.append(Scu(event, number, text, author, source, False))
    return scus


@dataclass(frozen=True, slots=True)
class ScuFilter:
    """Which units are kept. A token is a word or a punctuation mark."""

    one_sentence: bool = True
    min_tokens: int = 4
    max_tokens: int = 20
    overlap: float = 0.95


@dataclass(frozen=True, slots=True)
class Dropped:
    """A unit that was left out, and the reason."""

    scu: Scu
    reason: str


def filter_scus(
    scus: Iterable[Scu], rules: ScuFilter | None = None
) -> tuple[list[Scu], list[Dropped]]:
    """Keep units that are one sentence of the right length and no near duplicate; return the rest too.

    Two units of a reference are near duplicates if their common words (stems, without stop words) are
    more than `overlap` of the smaller unit's words. If only one word is left, all words count. The
    unit with more tokens is dropped, the earlier one on a tie.
    """
    rules = rules or ScuFilter()
    if not 0 < rules.overlap <= 1:
        raise ParameterError(f"overlap must be above 0 and at most 1, not {rules.overlap}")
    passed: list[Scu] = []
    dropped: list[Dropped] = []
    for scu in scus:
        reason = _reason(scu.text, rules)
        if reason is None:
            passed.append(scu)
        else:
            dropped.append(Dropped(scu, reason))
    groups: dict[tuple[str, str], list[Scu]] = {}
    for scu in passed:
        groups.setdefault((scu.event, scu.source), []).append(scu)
    gone: set[int] = set()
    for group in groups.values():
        for loser, keeper in _duplicates(group, rules.overlap):
            gone.add(id(loser))
            dropped.append(Dropped(loser, f"near duplicate of {keeper.id} ({keeper.text!r})"))
    return [scu for scu in passed if id(scu) not in gone], dropped


def _reason(text: str, rules: ScuFilter) -> str | None:
    if rules.one_sentence and (count := len(split_sentences(text))) != 1:
        return f"{count} sentences"
    tokens = len(_TOKEN.findall(text))
    if not rules.min_tokens <= tokens <= rules.max_tokens:
        return f"{tokens} tokens, not {rules.min_tokens} to {rules.max_tokens}"
    return None


def _duplicates(group: Sequence[Scu], overlap: float) -> Iterator[tuple[Scu, Scu]]:
    words = [content_words(scu.text) for scu in group]
    sizes = [len(_TOKEN.findall(scu.text)) for scu in group]
    left = list(range(len(group)))
    for i in range(len(group)):
        for j in range(i + 1, len(group)):
            if i not in left or j not in left:
                continue
            smaller = min(len(words[i]), len(words[j]))
            if smaller and len(words[i] & words[j]) / smaller > overlap:
                loser = j if sizes[j] > sizes[i] else i
                left.remove(loser)
                yield group[loser], group[i + j - loser]


def content_words(text: str) -> frozenset[str]:
    """Return the stems of a text's words, irregular forms resolved, without stop words if possible."""
    irregular, common = wordnet_exceptions(), stopwords("smart")
    words = re.findall(r"[a-z0-9]+", text.lower())
    content = [word for word in words if word not in common]
    # One word alone is too little to compare: then all words count.
    chosen = content if len(set(content)) > 1 else words
    stem = stem_function("porter-rouge")
    return frozenset(irregular.get(word) or stem(word) for word in chosen)


def mark_for_use(
    scus: Sequence[Scu], number: int | None = None, *, seed: int = 0, others: bool = False
) -> list[Scu]:
    """Return the units with `for_use` set for `number` of each reference, drawn at random (default: all).

    `others` marks as many of the units that the same seed does not draw: a second, disjoint set.
    """
    groups: dict[tuple[str, str], list[Scu]] = {}
    for scu in scus:
        groups.setdefault((scu.event, scu.source), []).append(scu)
    chance = random.Random(f"use:{seed}")
    chosen: set[tuple[str, str]] = set()
    for group in groups.values():
        order = chance.sample(range(len(group)), len(group))
        if number is not None:
            order = order[number : 2 * number] if others else order[:number]
        chosen |= {(group[at].event, group[at].id) for at in order}
    return [replace(scu, for_use=(scu.event, scu.id) in chosen) for scu in scus]


def read_scus(path: str) -> tuple[list[Scu], int]:
    """Read the units of a CSV file with LitePyramids' seven columns; also return the number of `BLANK` rows."""
    # LitePyramids' program writes quotes as they are.
    _, rows = read_sheet(path, SCU_COLUMNS, inner_quotes=True)
    scus, blank = [], 0
    # LitePyramids numbers the units of DUC 2006 within each event.
    seen: set[tuple[str, str]] = set()
    for line, row in rows:
        if row["questionText"].strip() in (BLANK, ""):
            blank += 1
            continue
        place = row["eventId"], row["questionId"]
        if place in seen:
            raise DataError(
                f"duplicate questionId {place[1]!r} in event {place[0]!r}", file=path, line=line
            )
        seen.add(place)
        use = row["forUse"].strip()
        if use not in ("0", "1"):
            raise DataError(f"forUse is {use!r}, not 0 or 1", file=path, line=line)
        scus.append(
            Scu(row["eventId"], row["questionId"], row["questionText"].strip(), row["author"],
                row["sourceSummaryId"], use == "1")
        )  # fmt: skip
    return scus, blank


def write_scus(path: str, scus: Iterable[Scu], *, pad: int | None = None) -> int:
    """Write the seven columns; with `pad`, `BLANK` rows (answer N) fill each event to that number.

    Padded files are renumbered, like REALSumm's, with the rows of an event together.
    """
    rows: list[dict[str, Any]] = []
    if pad is None:
        rows = [_row(scu, scu.id) for scu in scus]
        return write_sheet(path, SCU_COLUMNS, rows)
    check_pad(pad)
    events: dict[str, list[Scu]] = {}
    for scu in scus:
        events.setdefault(scu.event, []).append(scu)
    for event, group in events.items():
        if len(group) > pad:
            raise DataError(
                f"event {event!r} has {len(group)} units, more than the {pad} to fill to"
            )
        rows += [_row(scu, str(len(rows) + at)) for at, scu in enumerate(group)]
        rows += [
            _row(Scu(event, "", BLANK, source=group[0].source), str(len(rows) + at))
            for at in range(pad - len(group))
        ]
    return write_sheet(path, SCU_COLUMNS, rows)


def _row(scu: Scu, number: str) -> dict[str, Any]:
    return {
        "eventId": scu.event, "questionId": number, "questionText": scu.text,
        "answer": "N" if scu.text == BLANK else "Y", "author": scu.author,
        "sourceSummaryId": scu.source, "forUse": int(scu.for_use),
    }  # fmt: skip
