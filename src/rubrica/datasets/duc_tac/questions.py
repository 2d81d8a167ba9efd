"""DUC 2005 to 2007: answers to questions from clusters, with responsiveness, quality and pyramids."""

from __future__ import annotations

from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_clusters,
    add_column,
    add_linguistic_quality,
    add_rouge,
    add_texts,
    add_topics,
    name_ids,
)
from rubrica.datasets.duc_tac.pyramids import (
    add_annotations,
    add_pyramid_scores,
    add_pyramids,
    summarizer_of,
)
from rubrica.datasets.duc_tac.update import write_groups
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw

# The topic of 2006 that was annotated twice, and the first run of it.
TOPIC_JUDGED_TWICE, FIRST = "D0631", "114."
# The document sets of the update task of 2007.
GROUPS = ("A", "B", "C")


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
        task = _questions(raw, 2005)
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
        task = _questions(raw, 2006)
        manual, automatic = raw.part("NISTeval.tar.gz"), raw.part("NISTeval2.tar.gz")
        # The peers of the second archive have the references among them.
        add_texts(task, automatic.all("ROUGE/peers/*"))
        models = manual.some("ROUGE/models/*")
        add_texts(task, models, again="first")
        for file in models:
            with file.noting():
                task.list_reference(*name_ids(file.name), file.lines() or "")
        _add_automatic(task, automatic)
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
        if out.as_met:
            twice = [
                (again if file in second else task).annotations.get(
                    (TOPIC_JUDGED_TWICE.lower(), summarizer_of(file))
                )
                for file in files
                if f".{TOPIC_JUDGED_TWICE}." in file.name
            ]
            out.write("task1.twice.pyramid-annotations.jsonl", filter(None, twice))
        task.write(out, "task1.")
        if again.annotations:
            again.write(out, "task1.again.")


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
        _add_automatic(task, evaluated)
        add_column(task, evaluated.one(table), "content_responsiveness")
        add_pyramid_scores(task, pyramids.one("scoring/2007_modified_scores.txt"))
        add_pyramids(task, raw, pyramids.all("allpyramids/*"), out)
        add_annotations(task, raw, pyramids.all("allpans/*"), out)


def _questions(raw: Raw, year: int) -> Judgments:
    """Return the clusters and questions of a year with one task."""
    task = Judgments()
    outer = raw.part(f"DUC{year}_Summarization_Documents.tgz")
    documents = outer.part(f"duc{year}_docs.tar.gz").all("*/*")
    add_clusters(task, raw, documents, group=False)
    add_topics(task, raw.one(f"duc{year}_topics.sgml"))
    return task


def _add_automatic(task: Judgments, evaluated: Raw) -> None:
    """Add NIST's jackknifed scores by ROUGE and Basic Elements."""
    add_rouge(task, evaluated.one("ROUGE/rougejk.m.out"), jackknifed=True)
    add_rouge(task, evaluated.one("BE/simplejk.m.hm.out"), jackknifed=True)
