"""DUC 2006: answers to questions from clusters, with responsiveness, quality and pyramids."""

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

# The topic that was annotated twice, and the first run of it.
TOPIC_JUDGED_TWICE, FIRST = "D0631", "114."


@NistDataset.register("duc2006")
class Duc2006(NistDataset):
    """DUC 2006: 250-word answers, judged by responsiveness, linguistic quality and pyramids."""

    needs = (
        "DUC2006_Summarization_Documents.tgz (from NIST)",
        "NISTeval.tar.gz, NISTeval2.tar.gz, DUC2006pyramiddata.tar.gz, duc2006_topics.sgml "
        "(from the DUC site)",
    )
    citation = "DUC 2006, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*`; the second annotation of D0631 as `task1.again.pyramid-annotations.jsonl`."""
        task = Judgments()
        documents = raw.part("DUC2006_Summarization_Documents.tgz").part("duc2006_docs.tar.gz")
        add_clusters(task, raw, documents.all("*/*"), group=False)
        add_topics(task, raw.one("duc2006_topics.sgml"))
        manual, automatic = raw.part("NISTeval.tar.gz"), raw.part("NISTeval2.tar.gz")
        # The peers of the second archive have the references among them.
        add_texts(task, automatic.all("ROUGE/peers/*"))
        add_texts(task, manual.some("ROUGE/models/*"), again="first")
        add_rouge(task, automatic.one("ROUGE/rougejk.m.out"), jackknifed=True)
        add_rouge(task, automatic.one("BE/simplejk.m.hm.out"), jackknifed=True)
        for name in ("overall", "content"):
            file = manual.one(f"responsiveness/{name}.table")
            add_column(task, file, f"{name}_responsiveness")
        add_linguistic_quality(task, manual.one("linguistic_quality/linguistic_quality.table"))
        pyramids = raw.part("DUC2006pyramiddata.tar.gz")
        add_pyramid_scores(task, pyramids.one("scoring/2006_modified_scores.txt"))
        add_pyramids(task, raw, pyramids.all("allpyramids/*"), out)
        files = pyramids.all("allpans/*")
        second = [
            f for f in files if f".{TOPIC_JUDGED_TWICE}." in f.name and not f.name.startswith(FIRST)
        ]
        add_annotations(task, raw, [file for file in files if file not in second], out)
        again = Judgments()
        again.pyramids = {
            name: p for name, p in task.pyramids.items() if name == TOPIC_JUDGED_TWICE.lower()
        }
        add_annotations(again, raw, second, out)
        task.write(out, "task1.")
        if again.annotations:
            again.write(out, "task1.again.")
