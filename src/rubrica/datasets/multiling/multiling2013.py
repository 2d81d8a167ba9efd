"""MultiLing 2013: Wikipedia articles in forty languages, and graded clusters in ten."""

from __future__ import annotations

import csv
from collections import defaultdict

from rubrica.data.formats.csv_cells import csv_reader
from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.multiling.languages import (
    MultiLingDataset,
    add_document,
    code_of,
)
from rubrica.datasets.multiling.wikipedia import add_articles
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw


@MultiLingDataset.register("multiling2013")
class MultiLing2013(MultiLingDataset):
    """MultiLing 2013: single documents (40 languages), clusters (10 languages) judged by people."""

    needs = (
        "the archive of multilingpilot2013/{body,summary}/ (single documents), or",
        "the archives of clusters, unpacked with their password: SourceTextsV2b/, model summaries "
        "LANGUAGE/TOPIC.PERSON.250, peers SYSTEM/LANGUAGE/*.250, grades *.csv",
    )
    citation = "Giannakopoulos. 2013. Multi-document multilingual summarization and evaluation tracks in ACL 2013 MultiLing Workshop"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `sds.LANGUAGE.*` and `mds.LANGUAGE.*`, as far as their archives are there."""
        singles: dict[str, Judgments] = defaultdict(Judgments)
        add_articles(
            singles,
            bodies=raw.some("multilingpilot2013/body/text/*/*.txt"),
            summaries=raw.some("multilingpilot2013/summary/*/*.txt"),
        )
        write_parts(singles, out, "sds.")
        clusters: dict[str, Judgments] = defaultdict(Judgments)
        for file in raw.some("SourceTextsV2b/M*.*"):
            name, _, language = file.name.partition(".")
            # "M1047" is the seventh document of cluster M104.
            with file.noting():
                add_document(clusters[code_of(language, file)], name[:-1], file, out)
        for file in raw.some("*/*.250"):
            with file.noting():
                _add_summary(file, clusters)
        for file in raw.some("*.csv"):
            _add_grades(file, clusters)
        write_parts(clusters, out, "mds.")


def _add_summary(file: RawFile, parts: dict[str, Judgments]) -> None:
    """Add a summary: `LANGUAGE/M104.A.250` by a person, `ID5/LANGUAGE/M104....250` by a system."""
    words = file.name.split(".")
    above = "".join(file.path.split("/")[-3:-2])
    system = above if above.upper().startswith("ID") else None
    part = parts[code_of(file.folder, file)]
    kind = "reference" if system is None else "peer"
    part.add_summary(words[0], system or words[1], file.lines() or "", kind=kind)


def _add_grades(file: RawFile, parts: dict[str, Judgments]) -> None:
    """Add grades from a TSV: topic, summarizer, language, two more, grade; one row per grader."""
    try:
        rows = list(csv_reader(file.text().splitlines(keepends=True), delimiter="\t"))
    except csv.Error as error:
        raise file.error(f"not a table separated by tabs: {error}") from error
    for line, cells in enumerate(rows, 1):
        # The first row is the header.
        if line == 1 or not cells:
            continue
        with file.noting(line):
            if len(cells) != 6:
                raise file.error(f"{len(cells)} columns, expected 6", line)
            part = parts[code_of(cells[2], file)]
            grade = file.number(line, cells[5])
            part.append_score(cells[0], cells[1], "overall_responsiveness", grade)
