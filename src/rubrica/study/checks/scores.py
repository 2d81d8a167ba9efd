"""Auditing tables of scores: do they belong to these texts, and do two tables say the same?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from rubrica.study.checks.findings import Finding, Gravity
from rubrica.study.checks.systems import COPY, TOLERATED_SHARE
from rubrica.study.layout import SystemFiles
from rubrica.study.preprocess import letters, text_digest
from rubrica.study.rows import StudyRow
from rubrica.text.tags import TagRule, sentences_of

# Values further apart than this are different scores.
TOLERANCE = 1e-9
RULES: tuple[TagRule, ...] = ("repair", "realsumm")


@dataclass(frozen=True, slots=True)
class Scored:
    """A table of scores with its name; `ids` maps each input to its line (from 0) in the text files."""

    name: str
    rows: Sequence[StudyRow]
    ids: Mapping[str, int] | None = None

    def line_of(self, instance_id: str) -> int | None:
        """Return the line (from 0) of an input: from `ids`, or the input's id if it is a number."""
        if self.ids is not None:
            return self.ids.get(instance_id)
        return int(instance_id) if instance_id.isdecimal() else None


def check_texts(
    table: Scored, systems: Sequence[SystemFiles], lines: Mapping[Path, Sequence[str]]
) -> Iterator[Finding]:
    """Find scores whose texts are not those in the files."""
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
        message = f"scores of other texts than {by_id[name].out.name} holds"
        if name in owners:
            whose = max(owners[name], key=lambda system: owners[name][system])
            message += f"; {owners[name][whose]:,} are those of {whose}"
        where = f"{table.name}: {name}"
        gravity: Gravity = "error" if len(numbers) > TOLERATED_SHARE * seen[name] else "warning"
        yield Finding.of_lines(
            gravity, "scores of other texts", where, message, sorted(numbers), seen[name]
        )
    if systems and unknown:
        message = f"systems without files here: {', '.join(list(unknown)[:8])}"
        yield Finding("note", "unknown system", table.name, message)
    if unplaced:
        message = f"{unplaced:,} rows have inputs without a line in the files; pass --ids"
        yield Finding("warning", "unknown input", table.name, message)


def _same(row: StudyRow, line: str) -> bool:
    # As either reader has it: REALSumm's drops a sentence whose tag is not closed.
    texts = [" ".join(sentences_of(line, rule)) for rule in RULES]
    if row.summary is not None:
        # By letters: a dict may hold the text with its glue or its doubled tags mended.
        return letters(" ".join(row.summary)) in [letters(text) for text in texts]
    return not row.summary_digest or row.summary_digest in map(text_digest, texts)


def check_tables(tables: Sequence[Scored]) -> Iterator[Finding]:
    """Find systems copied within a table, and texts and values that differ between tables."""
    for table in tables:
        yield from _copies(table)
    for first, second in combinations(tables, 2):
        yield from _differences(first, second)


def _content(row: StudyRow) -> str:
    return letters(" ".join(row.summary)) if row.summary is not None else row.summary_digest


def _copies(table: Scored) -> Iterator[Finding]:
    texts: dict[str, dict[str, str]] = {}
    for row in table.rows:
        if content := _content(row):
            texts.setdefault(row.summarizer_id, {})[row.instance_id] = content
    for first, second in combinations(texts, 2):
        shared = texts[first].keys() & texts[second].keys()
        equal = sum(texts[first][key] == texts[second][key] for key in shared)
        if shared and equal >= COPY * len(shared):
            message = f"the same texts as {second}: one system under two names"
            where = f"{table.name}: {first}"
            yield Finding("error", "copied system", where, message, equal, len(shared))


def _differences(first: Scored, second: Scored) -> Iterator[Finding]:
    second_rows = {row.key: row for row in second.rows}
    texts: dict[str, int] = {}
    differing: dict[tuple[str, str], int] = {}
    shared: dict[str, int] = {}
    for row in first.rows:
        other_row = second_rows.get(row.key)
        if other_row is None:
            continue
        shared[row.summarizer_id] = shared.get(row.summarizer_id, 0) + 1
        a, b = _content(row), _content(other_row)
        if a and b and a != b:
            texts[row.summarizer_id] = texts.get(row.summarizer_id, 0) + 1
            continue
        values_a, values_b = row.values(), other_row.values()
        for name in values_a.keys() & values_b.keys():
            if abs(values_a[name] - values_b[name]) > TOLERANCE:
                key = row.summarizer_id, name
                differing[key] = differing.get(key, 0) + 1
    for name, count in texts.items():
        message = f"other texts than in {second.name}"
        where = f"{first.name}: {name}"
        yield Finding("error", "other texts", where, message, count, shared[name])
    for (system, measure), count in differing.items():
        message = f"other values of {measure} than in {second.name}, for the same texts"
        where = f"{first.name}: {system}"
        yield Finding("error", "other values", where, message, count, shared[system])
