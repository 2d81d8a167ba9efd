"""Auditing tables of scores: do they belong to these texts, and do two tables say the same?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from rubrica.study.audit_systems import COPY, MANY
from rubrica.study.findings import Finding, Gravity
from rubrica.study.layout import SystemFiles
from rubrica.study.preprocess import letters, text_digest
from rubrica.study.rows import StudyRow
from rubrica.text.tags import TagRule, sentences_of

# Values further apart than this are different scores.
TOLERANCE = 1e-9
RULES: tuple[TagRule, ...] = ("repair", "realsumm")


@dataclass(frozen=True, slots=True)
class Scored:
    """A table of scores with its name; `ids` tell the line (from 0) of each input in the text files."""

    name: str
    rows: Sequence[StudyRow]
    ids: Mapping[str, int] | None = None

    def line_of(self, instance_id: str) -> int | None:
        """The line (from 0) of an input: by the ids given, or a number itself."""
        if self.ids is not None:
            return self.ids.get(instance_id)
        return int(instance_id) if instance_id.isdecimal() else None


def check_texts(
    table: Scored, systems: Sequence[SystemFiles], lines: Mapping[Path, Sequence[str]]
) -> Iterator[Finding]:
    """Scores that belong to other texts than the files hold now."""
    by_id = {system.summarizer_id: system for system in systems}
    wrong: dict[str, list[int]] = {}
    seen: dict[str, int] = {}
    owners: dict[str, dict[str, int]] = {}
    unknown: dict[str, None] = {}
    unplaced = 0
    for row in table.rows:
        system = by_id.get(row.summarizer_id)
        if system is None:
            unknown[row.summarizer_id] = None
            continue
        at = table.line_of(row.instance_id)
        if at is None or at >= len(lines[system.out]):
            unplaced += 1
            continue
        seen[row.summarizer_id] = seen.get(row.summarizer_id, 0) + 1
        if not _same(row, lines[system.out][at]):
            wrong.setdefault(row.summarizer_id, []).append(at + 1)
            for other in systems:
                if at < len(lines[other.out]) and _same(row, lines[other.out][at]):
                    counts = owners.setdefault(row.summarizer_id, {})
                    counts[other.summarizer_id] = counts.get(other.summarizer_id, 0) + 1
    for name, numbers in wrong.items():
        told = f"scores of other texts than {by_id[name].out.name} holds"
        if name in owners:
            whose = max(owners[name], key=lambda one: owners[name][one])
            told += f"; {owners[name][whose]:,} are those of {whose}"
        where = f"{table.name}: {name}"
        gravity: Gravity = "error" if len(numbers) > MANY * seen[name] else "warning"
        yield Finding.of_lines(
            gravity, "scores of other texts", where, told, sorted(numbers), seen[name]
        )
    if systems and unknown:
        told = f"systems without files here: {', '.join(list(unknown)[:8])}"
        yield Finding("note", "unknown system", table.name, told)
    if unplaced:
        told = f"{unplaced:,} rows are of inputs that no line stands for; give their ids"
        yield Finding("warning", "unknown input", table.name, told)


def _same(row: StudyRow, line: str) -> bool:
    # As either reader has it: REALSumm's drops a sentence whose tag is not closed.
    texts = [" ".join(sentences_of(line, rule)) for rule in RULES]
    if row.summary is not None:
        # By letters: a dict may hold the text with its glue or its doubled tags mended.
        return letters(" ".join(row.summary)) in [letters(text) for text in texts]
    return not row.summary_digest or row.summary_digest in map(text_digest, texts)


def check_tables(tables: Sequence[Scored]) -> Iterator[Finding]:
    """Systems copied within a table; texts and values in which two tables differ."""
    for table in tables:
        yield from _copies(table)
    for one, two in combinations(tables, 2):
        yield from _differences(one, two)


def _content(row: StudyRow) -> str:
    return letters(" ".join(row.summary)) if row.summary is not None else row.summary_digest


def _copies(table: Scored) -> Iterator[Finding]:
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        if content := _content(row):
            texts.setdefault(row.summarizer_id, {})[row.instance_id] = content
    for one, two in combinations(texts, 2):
        shared = texts[one].keys() & texts[two].keys()
        equal = sum(texts[one][key] == texts[two][key] for key in shared)
        if shared and equal >= COPY * len(shared):
            told = f"the same texts as {two}: one system under two names"
            where = f"{table.name}: {one}"
            yield Finding("error", "copied system", where, told, equal, len(shared))


def _differences(one: Scored, two: Scored) -> Iterator[Finding]:
    other = {row.key: row for row in two.rows}
    texts: dict[str, int] = {}
    values: dict[tuple[str, str], int] = {}
    shared: dict[str, int] = {}
    for row in one.rows:
        there = other.get(row.key)
        if there is None:
            continue
        shared[row.summarizer_id] = shared.get(row.summarizer_id, 0) + 1
        a, b = _content(row), _content(there)
        if a and b and a != b:
            texts[row.summarizer_id] = texts.get(row.summarizer_id, 0) + 1
            continue
        mine, theirs = row.values(), there.values()
        for name in mine.keys() & theirs.keys():
            if abs(mine[name] - theirs[name]) > TOLERANCE:
                key = row.summarizer_id, name
                values[key] = values.get(key, 0) + 1
    for name, count in texts.items():
        told = f"other texts than in {two.name}"
        where = f"{one.name}: {name}"
        yield Finding("error", "other texts", where, told, count, shared[name])
    for (system, measure), count in values.items():
        told = f"other values of {measure} than in {two.name}, for the same texts"
        where = f"{one.name}: {system}"
        yield Finding("error", "other values", where, told, count, shared[system])
