"""DUC 2004: headlines, clusters, translations and questions, with SEE coverage by people."""

from __future__ import annotations

from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_column,
    add_see,
    news_document,
    quality,
    topic_rows,
)
from rubrica.datasets.judgments import Judgments, by_letters
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw

TASKS = ("1", "2", "3", "4", "5")


@NistDataset.register("duc2004")
class Duc2004(NistDataset):
    """DUC 2004: five tasks; peers of tasks 2 and 5 judged by coverage, quality, responsiveness."""

    needs = (
        "DUC2004_Summarization_Documents.tgz (from NIST)",
        "duc2004_results.tgz (from the DUC site)",
    )
    citation = "DUC 2004, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*` to `task5.*`; documents of tasks 1, 2 and 5, scores of tasks 2 and 5."""
        parts = {task: Judgments() for task in TASKS}
        tree = raw.part("DUC2004_Summarization_Documents.tgz")
        for file in tree.all("duc2004_tasks1and2_docs/docs/*/*"):
            with file.noting():
                document = news_document(file, date=True)
                parts["1"].add_documents(file.name, [document])
                parts["2"].add_documents(file.folder[:-1], [document])
        for file in tree.all("duc2004_task5_docs/docs/*/*"):
            with file.noting():
                parts["5"].add_documents(file.folder[:-1], [news_document(file, date=True)])
        topics = tree.maybe("duc2004.task5.topicsets")
        for line in topics.text().splitlines() if topics is not None else ():
            cluster, tab, topic = line.strip().partition("\t")
            if tab and cluster[:-1] in parts["5"].documents:
                parts["5"].add_documents(cluster[:-1], [], topic=topic.strip())
        results = raw.part("duc2004_results.tgz")
        for task, part in parts.items():
            # A reference that is also among the peers is taken from the models.
            for kind in ("peers", "models"):
                archive = f"duc2004.task{task}.ROUGE.{kind}.tar.gz"
                for file in results.part(archive).all("*"):
                    with file.noting():
                        _add_text(file, part, listed=kind == "models")
        for task in ("2", "5"):
            _add_coverage(results.one(f"SEE/short.results.table{task}"), parts[task])
        add_column(parts["5"], results.one("Responsiveness/results.table.R"), "responsiveness")
        for task, part in parts.items():
            part.write(out, f"task{task}.")


def _add_text(file: RawFile, part: Judgments, listed: bool) -> None:
    """Add `D30001.M.100.T.A` (of a cluster) or `D30001.P.10.T.A.APW19981016.0240` (of a document)."""
    words = file.name.split(".")
    if len(words) < 5:
        raise file.error("a file name without topic and summarizer")
    topic = ".".join(words[5:]) if len(words) > 5 else words[0].lower()
    text = file.lines() or ""
    if listed:
        part.list_reference(topic, words[4], text, by_text=True)
    summaries = part.summaries.get(topic, {})
    kind = by_letters(words[4])
    if kind == "reference" and any(
        summary.text == text and summary.kind == kind and name != words[4]
        for name, summary in summaries.items()
    ):
        # The same reference is already there under another person's letter.
        return
    part.add_summary(topic, words[4], text, kind=kind, again="last")


def _add_coverage(table: RawFile, part: Judgments) -> None:
    for number, words in topic_rows(table, 23):
        key = (words[0].lower(), words[7])
        with table.noting(number):
            part.add_scores(*key, quality(table, number, words[8:15]))
            add_see(part, table, number, key, words[15:])
