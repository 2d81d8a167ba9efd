"""MultiLing 2011: clusters of ten news texts in ten languages, graded by people."""

from __future__ import annotations

from collections import defaultdict

from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.multiling.languages import (
    MultiLingDataset,
    add_document,
    code_of,
)
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import percent
from rubrica.datasets.raw.tree import Raw

# ROUGE's files number the inputs in another order (found by SacreROUGE, by computing the scores).
ROUGE_INPUTS = {
    "1": "M002",
    "2": "M003",
    "3": "M001",
    "4": "M000",
    "5": "M007",
    "6": "M005",
    "7": "M004",
    "8": "M006",
    "9": "M008",
    "10": "M009",
}


@MultiLingDataset.register("multiling2011")
class MultiLing2011(MultiLingDataset):
    """MultiLing 2011 pilot (TAC 2011): multi-document summaries in ten languages, graded 1 to 5."""

    needs = (
        "PublishedCorpusFileSet.zip, with MultiLingPilot2011-{SourceTextsV1.0,ModelSummaries,"
        "PeerSummaries,EvaluationResults}.zip, from "
        "http://multiling.iit.demokritos.gr/file/download/353",
    )
    citation = "Giannakopoulos et al. 2011. TAC 2011 MultiLing Pilot Overview. TAC"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `LANGUAGE.*`."""
        parts: dict[str, Judgments] = defaultdict(Judgments)
        for file in raw.part("MultiLingPilot2011-SourceTextsV1.0.zip").all("M*.*"):
            name, _, language = file.name.partition(".")
            with file.noting():
                add_document(parts[code_of(language, file)], name[:4], file, out)
        for file in raw.part("MultiLingPilot2011-ModelSummaries.zip").all("*.250"):
            name, person = file.name.split(".")[:2]
            with file.noting():
                part = parts[code_of(file.folder, file)]
                part.add_summary(name[:4], person, file.lines() or "", kind="reference")
        for file in raw.part("MultiLingPilot2011-PeerSummaries.zip").all("ID*/*/M0*"):
            system = file.path.split("/")[-3].removeprefix("ID")
            with file.noting():
                part = parts[code_of(file.folder, file)]
                part.add_summary(file.name[:4], system, file.lines() or "")
        results = raw.part("MultiLingPilot2011-EvaluationResults.zip")
        for file in results.some("AutoSummENG/Detailed/*Detailed.csv"):
            _add_memog(file, parts[code_of(file.name.removesuffix("Detailed.csv"), file)])
        for file in results.some("ROUGE/Detailed/*Detailed.txt"):
            _add_rouge(file, parts[code_of(file.name.removesuffix("Detailed.txt"), file)])
        for file in results.all("HumanEvaluation/*Grades.csv"):
            _add_grades(file, parts[code_of(file.name.removesuffix("Grades.csv"), file)])
        write_parts(parts, out)


def _add_memog(file: RawFile, part: Judgments) -> None:
    for line, words in _rows(file, 4):
        with file.noting(line):
            score = {"MeMoG": file.number(line, words[3])}
            part.add_published(words[0].strip('"'), words[1].strip('"').removeprefix("ID"), score)


def _add_grades(file: RawFile, part: Judgments) -> None:
    """Add the grades of one grader per row: the grade, and the length-aware grade."""
    for line, words in _rows(file, 7):
        key = words[0].strip('"'), words[1].strip('"').removeprefix("ID")
        with file.noting(line):
            grade, aware = file.number(line, words[4]), file.number(line, words[6])
            part.append_score(*key, "grade", grade)
            part.append_score(*key, "length_aware_grade", aware)


def _add_rouge(file: RawFile, part: Judgments) -> None:
    for line, text in enumerate(file.text().splitlines(), 1):
        words = text.split()
        if len(words) != 7 or words[2] != "Eval":
            continue
        with file.noting(line):
            place, _, system = words[3].partition(".")
            if place not in ROUGE_INPUTS:
                raise file.error(f"unknown input number {place!r}", line)
            names = ("recall", "precision", "f1")
            scores = [percent(file.number(line, word[2:])) for word in words[4:]]
            part.add_published(
                ROUGE_INPUTS[place],
                system.removeprefix("ID"),
                {words[1].lower(): dict(zip(names, scores, strict=True))},
            )


def _rows(file: RawFile, least: int) -> list[tuple[int, list[str]]]:
    rows = []
    for line, text in enumerate(file.text().splitlines(), 1):
        words = text.split()
        if line == 1 or not words:
            continue
        if len(words) < least:
            file.note(f"{len(words)} columns, expected {least} or more", line)
            continue
        rows.append((line, words))
    return rows
