"""Auditing files: encoding, line ends, tags, empty lines, texts glued together or never split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rubrica.data.files import read_lines
from rubrica.study.checks.findings import Finding, Gravity
from rubrica.study.preprocess import letters, unglue
from rubrica.text.sentences import split_sentences
from rubrica.text.tags import has_tags, is_stand_in, sentences_of, tag_faults, without_tags

# UTF-8 read as Latin-1 or Windows-1252, and written as UTF-8 again.
_TWICE_ENCODED = re.compile("[ÂÃ][\x80-\xbf€™œž¢£]|â€[\x80-\xbf™œž¢˜“”\x9d]")
_GAP = re.compile(r"\S {2,}\S")
# Above this share of the lines a fault is systematic.
TOLERATED_SHARE = 0.1


def check_file(file: Path, role: str) -> tuple[list[str], list[Finding]]:
    """Return a file's lines (with U+FFFD for bytes that are not UTF-8) and the faults found."""
    lines, findings = _decoded(file)
    findings.extend(_contents(file, role, lines))
    return lines, findings


def _decoded(file: Path) -> tuple[list[str], list[Finding]]:
    lines, bad, nul, replaced, twice, carriage = [], [], [], [], [], []
    for number, raw in read_lines(file):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            bad.append(number)
            line = raw.decode("utf-8", "replace")
        else:
            if "\ufffd" in line:
                replaced.append(number)
        if "\0" in line:
            nul.append(number)
        if _TWICE_ENCODED.search(line):
            twice.append(number)
        if "\r" in line or "\x85" in line or "\u2028" in line:
            carriage.append(number)
        lines.append(line)
    checks: list[tuple[Gravity, str, str, list[int]]] = [
        ("error", "encoding", "not UTF-8", bad),
        ("error", "encoding", "NUL bytes", nul),
        ("warning", "encoding", "characters lost in an earlier conversion (U+FFFD)", replaced),
        ("warning", "encoding", "UTF-8 that was encoded twice", twice),
        ("warning", "line ends", "a line end of another kind inside a line", carriage),
    ]
    findings = [
        Finding.of_lines(gravity, kind, file, message, numbers, len(lines))
        for gravity, kind, message, numbers in checks
        if numbers
    ]
    return lines, findings


def _contents(file: Path, role: str, lines: list[str]) -> Iterator[Finding]:
    total = len(lines)
    if not total:
        yield Finding("error", "line count", str(file), "the file is empty")
        return
    numbered = list(enumerate(lines, 1))
    empty = [n for n, line in numbered if not line.strip()]
    stand_ins = [n for n, line in numbered if is_stand_in(line)]
    if empty:
        yield Finding.of_lines("warning", "empty", file, "empty lines", empty, total)
    if stand_ins:
        message = "stand-in lines (### ... ###)"
        yield Finding.of_lines("warning", "no match", file, message, stand_ins, total)
    texts = [(n, line) for n, line in numbered if line.strip() and not is_stand_in(line)]
    yield from _tags(file, texts)
    yield from _sentences(file, texts)
    if role == "out":
        yield from _repeated(file, texts)


def _tags(file: Path, texts: list[tuple[int, str]]) -> Iterator[Finding]:
    faulty: dict[str, list[int]] = {}
    bare = [n for n, line in texts if not has_tags(line)]
    for number, line in texts:
        if has_tags(line):
            for fault in tag_faults(line):
                faulty.setdefault(fault, []).append(number)
    messages = {
        "doubled": "doubled tags (<t> <t>): REALSumm's reader takes the inner tag for text, and "
        "ROUGE-1.5.5 loses the sentence",
        "unbalanced": "unbalanced tags",
        "text outside": "text outside of tags, which REALSumm's reader drops",
        "empty sentence": "empty sentences",
    }
    for fault, numbers in faulty.items():
        gravity: Gravity = "warning" if fault == "empty sentence" else "error"
        yield Finding.of_lines(
            gravity,
            f"tags: {fault}",
            file,
            messages[fault],
            numbers,
            len(texts),
        )
    if bare:
        gravity = "warning" if len(bare) == len(texts) else "error"
        message = "no tags: REALSumm's reader finds no sentence there"
        yield Finding.of_lines(gravity, "tags: none", file, message, bare, len(texts))


def _sentences(file: Path, texts: list[tuple[int, str]]) -> Iterator[Finding]:
    glued, unsplit, gaps = [], [], []
    for number, line in texts:
        sentences = sentences_of(line, "repair")
        whole = " ".join(sentences)
        if unglue(whole) != whole:
            glued.append(number)
        if len(sentences) == 1:
            raw = without_tags(line).strip()
            if _GAP.search(raw):
                gaps.append(number)
            elif len(split_sentences(whole)) > 1:
                unsplit.append(number)
    if glued:
        gravity: Gravity = "error" if len(glued) > TOLERATED_SHARE * len(texts) else "warning"
        message = "sentences glued together (`left .she`), so that ROUGE-L sees one sentence"
        yield Finding.of_lines(gravity, "glued", file, message, glued, len(texts))
    if gaps:
        message = "one tag around several sentences, which blanks separate"
        yield Finding.of_lines("error" if len(gaps) > TOLERATED_SHARE * len(texts) else "warning",
                               "one sentence", file, message, gaps, len(texts))  # fmt: skip
    unsplit = [number for number in unsplit if number not in set(glued)]
    if len(unsplit) > TOLERATED_SHARE * len(texts):
        message = "one sentence by its tags and several by its punctuation"
        yield Finding.of_lines("warning", "one sentence", file, message, unsplit, len(texts))


def _repeated(file: Path, texts: list[tuple[int, str]]) -> Iterator[Finding]:
    plain = {number: letters(line) for number, line in texts}
    counts = Counter(text for text in plain.values() if text)
    twice = [number for number, text in plain.items() if counts[text] > 1]
    if len(twice) > 1:
        gravity: Gravity = "error" if len(twice) > TOLERATED_SHARE * len(texts) else "warning"
        message = "the same summary for several documents"
        yield Finding.of_lines(gravity, "repeated", file, message, twice, len(texts))
