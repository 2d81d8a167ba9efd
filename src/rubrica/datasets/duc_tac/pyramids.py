"""Pyramids and their annotations in the archives of DUC and TAC."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rubrica.data.ducview import read_annotation, read_pyramid
from rubrica.datasets.duc_tac.nist import topic_id
from rubrica.datasets.judgments import Judgments, by_letters
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw

# `114.D0631.M.250.A.10.pan`, `D0801-A.M.100.A.10`, `D0703-A-final.pyr`
_NAME = re.compile(r"(?:.*?\.)?([Dd]\d+)(?:-(AB|[ABC])(?![A-Za-z]))?(.*)")


def add_pyramids(judgments: Judgments, raw: Raw, files: Iterable[RawFile], out: Output) -> None:
    """Add the pyramid of each file (the first one, if a topic has several files)."""

    def add_pyramid(file: RawFile) -> None:
        topic = _topic(file)
        if topic not in judgments.pyramids:
            problems: list[str] = []
            pyramid = read_pyramid(file.text(), topic, file=file.place, tell=problems.append)
            out.leave_out("parts, contributors and SCUs of pyramids without a place", len(problems))
            judgments.add_pyramid(pyramid)

    raw.for_each(files, add_pyramid)


def add_annotations(
    judgments: Judgments,
    raw: Raw,
    files: Iterable[RawFile],
    out: Output,
    *,
    match_labels: bool = False,
) -> None:
    """Add the annotated summary of each file; the last annotation of a summary counts."""

    def add_annotation(file: RawFile) -> None:
        topic = _topic(file)
        pyramid = judgments.pyramids.get(topic)
        if pyramid is None:
            raise file.error(f"an annotation without a pyramid of {topic}")
        summarizer = summarizer_of(file)
        problems: list[str] = []
        annotation = read_annotation(
            file.text(),
            topic,
            summarizer,
            by_letters(summarizer),
            pyramid,
            file=file.place,
            match_labels=match_labels,
            tell=problems.append,
        )
        out.leave_out("parts of pyramid annotations without a place", len(problems))
        judgments.add_annotation(annotation)

    raw.for_each(files, add_annotation)


def add_pyramid_scores(judgments: Judgments, file: RawFile, *, original: bool = False) -> None:
    """Add the scores of a table `TOPIC SUMMARIZER [ORIGINAL] MODIFIED SCUS REPETITIONS ...`."""
    names = ["modified_pyramid_score", "num_scus", "num_repetitions"]
    if original:
        names.insert(0, "pyramid_score")
    for number, line in enumerate(file.text().splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if len(words) < 2 + len(names):
            file.note(f"{len(words)} columns, expected {2 + len(names)} or more", number)
            continue
        with file.noting(number):
            values = [file.number(number, word) for word in words[2 : 2 + len(names)]]
            # Topics are written "D0601" or "311"; some systems are written "01".
            topic = topic_id(words[0] if words[0][0] in "dD" else f"d{words[0]}")
            summarizer = str(int(words[1])) if words[1].isdecimal() else words[1]
            judgments.add_scores(topic, summarizer, dict(zip(names, values, strict=True)))


def _topic(file: RawFile) -> str:
    match = _NAME.fullmatch(file.name)
    if not match:
        raise file.error("a file name without a topic like D0801")
    return match[1].lower() + (f"-{match[2]}" if match[2] else "")


def summarizer_of(file: RawFile) -> str:
    """Return the summarizer in the name of a file of an annotation."""
    match = _NAME.fullmatch(file.name)
    parts = match[3].removesuffix(".pan").strip(".").split(".") if match else []
    if len(parts) < 4:
        raise file.error("a file name without a summarizer, as in D0801-A.M.100.A.12")
    # `D311.M.250.I.14`: after the topic come type, length, selector, summarizer.
    return parts[3]
