"""Auditing systems against each other: line counts, copies, names, references of other documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from rubrica.study.checks.findings import Finding, Gravity
from rubrica.study.layout import SystemFiles
from rubrica.study.preprocess import letters
from rubrica.text.tags import is_stand_in, without_tags

# Two outputs equal in this part of the documents are one system under two names.
COPY = 0.9
SIMILAR = 0.3
# References of one document share at least this part of their character trigrams.
SAME_REFERENCE = 0.7
TOLERATED_SHARE = 0.1

Lines = Mapping[Path, Sequence[str]]


def check_systems(systems: Sequence[SystemFiles], lines: Lines) -> Iterator[Finding]:
    """Find faults that show only when systems are compared."""
    yield from _counts(systems, lines)
    yield from _names(systems)
    yield from _copies(systems, lines)
    yield from _references(systems, lines)


def _counts(systems: Sequence[SystemFiles], lines: Lines) -> Iterator[Finding]:
    for system in systems:
        out, ref = len(lines[system.out]), len(lines[system.ref])
        if out != ref:
            message = f"{out} lines, and its references have {ref}"
            yield Finding("error", "line count", str(system.out), message)
    sizes = Counter(len(lines[ref]) for ref in {system.ref for system in systems})
    if len(sizes) > 1:
        usual = sizes.most_common(1)[0][0]
        for file in sorted({s.ref for s in systems if len(lines[s.ref]) != usual}):
            message = f"{len(lines[file])} lines, and most reference files have {usual}"
            yield Finding("error", "line count", str(file), message)


def _names(systems: Sequence[SystemFiles]) -> Iterator[Finding]:
    by_key: dict[str, list[SystemFiles]] = {}
    for system in systems:
        by_key.setdefault(system.old_key, []).append(system)
    for key, clashing in by_key.items():
        if len(clashing) > 1:
            message = (
                f"{' and '.join(system.summarizer_id for system in clashing)} have the same key {key!r} in "
                "REALSumm's dicts, where one would replace the other"
            )
            yield Finding("warning", "name", key, message)


def _plain(line: str) -> str:
    return "" if is_stand_in(line) else letters(without_tags(line))


def _copies(systems: Sequence[SystemFiles], lines: Lines) -> Iterator[Finding]:
    plain = {system.out: [_plain(line) for line in lines[system.out]] for system in systems}
    for first, second in combinations(systems, 2):
        pairs = list(zip(plain[first.out], plain[second.out], strict=False))
        texts = [(number, a, b) for number, (a, b) in enumerate(pairs, 1) if a and b]
        equal = [number for number, a, b in texts if a == b]
        if not texts or len(equal) < SIMILAR * len(texts):
            continue
        copied = len(equal) >= COPY * len(texts)
        message = f"the same summaries as {second.summarizer_id}" + (
            ": one system under two names" if copied else ""
        )
        yield Finding.of_lines(
            "error" if copied else "warning",
            "copied system",
            first.summarizer_id,
            message,
            equal,
            len(texts),
        )


def _references(systems: Sequence[SystemFiles], lines: Lines) -> Iterator[Finding]:
    """Find references of a line that are different texts, not just different spellings."""
    refs = sorted({system.ref for system in systems})
    if len(refs) < 2:
        return
    plain = {ref: [_plain(line) for line in lines[ref]] for ref in refs}
    other: dict[Path, list[int]] = {}
    missing: dict[Path, list[int]] = {}
    for at in range(max(len(texts) for texts in plain.values())):
        by_file = {ref: texts[at] for ref, texts in plain.items() if at < len(texts)}
        counts = Counter(text for text in by_file.values() if text)
        if not counts:
            continue
        usual = counts.most_common(1)[0][0]
        for ref, text in by_file.items():
            if not text:
                missing.setdefault(ref, []).append(at + 1)
            elif text != usual and _likeness(text, usual) < SAME_REFERENCE:
                other.setdefault(ref, []).append(at + 1)
    for ref, numbers in other.items():
        gravity: Gravity = (
            "error" if len(numbers) > TOLERATED_SHARE * len(plain[ref]) else "warning"
        )
        message = "references that differ from the other systems' beyond spelling"
        yield Finding.of_lines(gravity, "other reference", ref, message, numbers, len(plain[ref]))
    for ref, numbers in missing.items():
        message = "no reference where other systems have one"
        yield Finding.of_lines("warning", "no reference", ref, message, numbers, len(plain[ref]))


def _likeness(first: str, second: str) -> float:
    """Return Dice's coefficient of character trigrams."""
    a, b = ({text[i : i + 3] for i in range(len(text) - 2)} for text in (first, second))
    return 2 * len(a & b) / max(1, len(a) + len(b))
