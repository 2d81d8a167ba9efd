"""DUC 2007: answers to questions, and the first update summaries, with pyramids for both."""

from __future__ import annotations

from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_clusters,
    add_column,
    add_linguistic_quality,
    add_rouge,
    add_texts,
    add_topics,
)
from rubrica.datasets.duc_tac.pyramids import add_annotations, add_pyramid_scores, add_pyramids
from rubrica.datasets.duc_tac.update import write_groups
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw

GROUPS = ("A", "B", "C")


@NistDataset.register("duc2007")
class Duc2007(NistDataset):
    """DUC 2007: main task (250 words) and update task (100 words), with pyramids."""

    needs = (
        "DUC2007_Summarization_Documents.tgz (from NIST)",
        "mainEval.tar.gz, updateEval.tar.gz, mainPyramidEval.tar.gz, duc2007_topics.sgml, "
        "duc2007_UPDATEtopics.sgml (from the DUC site)",
    )
    citation = "DUC 2007, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*` (main), `task2.{A,B,C,A-B-C}.*` (update)."""
        documents = raw.part("DUC2007_Summarization_Documents.tgz").part("duc2007_testdocs.tar.gz")
        main, update = Judgments(), Judgments()
        add_clusters(main, raw, documents.all("main/*/*"), group=False)
        add_clusters(update, raw, documents.all("update/*/*/*"), group=True)
        add_topics(main, raw.one("duc2007_topics.sgml"))
        add_topics(update, raw.one("duc2007_UPDATEtopics.sgml"), GROUPS)
        evaluated = raw.part("mainEval.tar.gz")
        pyramids = raw.part("mainPyramidEval.tar.gz")
        self._scores(main, raw, out, evaluated, pyramids, "manual/content.table")
        add_linguistic_quality(main, evaluated.one("manual/linguistic_quality.table"))
        evaluated = raw.part("updateEval.tar.gz")
        self._scores(update, raw, out, evaluated, evaluated, "Responsiveness/content.table")
        main.write(out, "task1.")
        write_groups(update, out, "task2", GROUPS)

    def _scores(
        self,
        task: Judgments,
        raw: Raw,
        out: Output,
        evaluated: Raw,
        pyramids: Raw,
        table: str,
    ) -> None:
        add_texts(task, evaluated.all("ROUGE/models/*", "ROUGE/peers/*"))
        add_rouge(task, evaluated.one("ROUGE/rougejk.m.out"), jackknifed=True)
        add_rouge(task, evaluated.one("BE/simplejk.m.hm.out"), jackknifed=True)
        add_column(task, evaluated.one(table), "content_responsiveness")
        add_pyramid_scores(task, pyramids.one("scoring/2007_modified_scores.txt"))
        add_pyramids(task, raw, pyramids.all("allpyramids/*"), out)
        add_annotations(task, raw, pyramids.all("allpans/*"), out)
