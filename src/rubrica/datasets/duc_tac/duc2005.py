"""DUC 2005: answers to questions from clusters, with responsiveness, quality and pyramids."""

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
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw


@NistDataset.register("duc2005")
class Duc2005(NistDataset):
    """DUC 2005: 250-word answers, judged by responsiveness, linguistic quality and pyramids."""

    needs = (
        "DUC2005_Summarization_Documents.tgz (from NIST)",
        "results.tar, DUC2005.tar.gz (pyramids), duc2005_topics.sgml (from the DUC site)",
    )
    citation = "DUC 2005, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*`, with pyramids; of clusters annotated twice the later annotation counts."""
        task = Judgments()
        documents = raw.part("DUC2005_Summarization_Documents.tgz").part("duc2005_docs.tar.gz")
        add_clusters(task, raw, documents.all("*/*"), group=False)
        add_topics(task, raw.one("duc2005_topics.sgml"))
        results = raw.part("results.tar")
        add_texts(task, results.all("ROUGE/models/*", "ROUGE/peers/*"))
        add_rouge(task, results.one("ROUGE/rougejk.m.out"), jackknifed=True)
        add_column(task, results.one("responsiveness/responsiveness.table"), "responsiveness")
        add_linguistic_quality(task, results.one("linguistic_quality/linguistic_quality.table"))
        pyramids = raw.part("DUC2005.tar.gz")
        # "unprocessed_pans.txt" is the same before errors were corrected.
        add_pyramid_scores(
            task, pyramids.one("processed_pans.txt", "./processed_pans.txt"), original=True
        )
        add_pyramids(task, raw, pyramids.all("pans/*"), out)
        add_annotations(task, raw, pyramids.all("pans/*"), out)
        task.write(out, "task1.")
