"""TAC's update summaries: topics with document sets A and B, peers, manual scores, pyramids, AESOP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_clusters,
    add_rouge,
    add_texts,
    add_topics,
    topic_id,
    topic_rows,
)
from rubrica.datasets.duc_tac.pyramids import add_annotations, add_pyramids
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw

GROUPS = ("A", "B")


class UpdateDataset(NistDataset):
    """A year of TAC; a subclass names its archives."""

    homepage = "https://tac.nist.gov/data/"
    documents: ClassVar[tuple[str, str]] = ("", "")
    evaluation: ClassVar[str] = ""
    topics: ClassVar[str] = ""
    aesop: ClassVar[str] = ""
    # The number that AESOP's topic 1 has in names, less 1: 900 for D0901.
    first_topic: ClassVar[int] = 0
    # Columns of manual.model and manual.peer: 2008 has one less, before the jackknifed score.
    extra_column: ClassVar[int] = 1
    wrong_scu_ids: ClassVar[bool] = False

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.{A,B,A-B}.*`: documents, references, peers, scores, pyramids and annotations."""
        task = Judgments()
        self.add_documents(task, raw)
        evaluated = raw.part(self.evaluation)
        add_texts(task, evaluated.all("ROUGE/models/*", "ROUGE/peers/*"))
        for file in evaluated.all("manual/manual.model", "manual/manual.model.*"):
            _add_models(task, file, self.extra_column)
        for file in evaluated.all("manual/manual.peer", "manual/manual.peer.*"):
            _add_peers(task, file, self.extra_column)
        for name, jackknifed in (
            ("ROUGE/rouge", False),
            ("ROUGE/rougejk", True),
            ("BE/simple", False),
            ("BE/simplejk", True),
        ):
            ending = "m.out" if name.startswith("ROUGE") else "m.hm.out"
            for file in evaluated.all(f"{name}.{ending}", f"{name}_?.{ending}"):
                add_rouge(task, file, jackknifed=jackknifed)
        if self.aesop:
            tree = raw.part(self.aesop)
            for group in GROUPS:
                file = tree.one(f"data/aesop_allpeers_{group}")
                _add_aesop(task, file, group, self.first_topic)
        add_pyramids(task, raw, evaluated.all("manual/pyramids/*"), out)
        files = evaluated.all("manual/peers/*")
        add_annotations(task, raw, files, out, match_labels=self.wrong_scu_ids)
        write_groups(task, out, "task1", GROUPS)
        combined = Judgments()
        combined.pyramids = {n: p for n, p in task.pyramids.items() if n.endswith("-AB")}
        combined.write(out, "task1.AB.")

    def add_documents(self, task: Judgments, raw: Raw) -> None:
        """Add documents and topics."""
        outer, inner = self.documents
        add_clusters(task, raw, raw.part(outer).part(inner).all("*/*/*"), group=True)
        add_topics(task, raw.one(self.topics), GROUPS)


@UpdateDataset.register("tac2008")
class Tac2008(UpdateDataset):
    """TAC 2008: update summaries, judged by pyramids, linguistic quality and responsiveness."""

    needs = (
        "TAC2008_Summarization_Documents.tgz (from NIST)",
        "UpdateSumm08_eval.tar.gz, UpdateSumm08_test_topics.xml.txt (from the TAC site)",
    )
    citation = "TAC 2008, National Institute of Standards and Technology"
    documents = ("TAC2008_Summarization_Documents.tgz", "UpdateSumm08_test_docs_files.tar.gz")
    evaluation = "UpdateSumm08_eval.tar.gz"
    topics = "UpdateSumm08_test_topics.xml.txt"
    extra_column = 0


@UpdateDataset.register("tac2009")
class Tac2009(UpdateDataset):
    """TAC 2009: update summaries, judged by pyramids, linguistic quality and responsiveness."""

    needs = (
        "TAC2009_Summarization_Documents.tgz (from NIST)",
        "UpdateSumm09_eval.tar.gz, AESOP09_eval.tar.gz, UpdateSumm09_test_topics.xml.txt (from the TAC site)",
    )
    citation = "TAC 2009, National Institute of Standards and Technology"
    documents = ("TAC2009_Summarization_Documents.tgz", "UpdateSumm09_test_docs_files.tar.gz")
    evaluation = "UpdateSumm09_eval.tar.gz"
    topics = "UpdateSumm09_test_topics.xml.txt"
    aesop = "AESOP09_eval.tar.gz"
    first_topic = 900


@UpdateDataset.register("tac2010")
class Tac2010(UpdateDataset):
    """TAC 2010: guided summaries, judged by pyramids, linguistic quality and responsiveness."""

    needs = (
        "TAC2010_Summarization_Documents.tgz (from NIST)",
        "GuidedSumm2010_eval.tgz, AESOP2010_eval.tgz, GuidedSumm10_test_topics.xml.txt "
        "(from the TAC site)",
    )
    citation = "TAC 2010, National Institute of Standards and Technology"
    documents = ("TAC2010_Summarization_Documents.tgz", "GuidedSumm10_test_docs_files.tar.gz")
    evaluation = "GuidedSumm2010_eval.tgz"
    topics = "GuidedSumm10_test_topics.xml.txt"
    aesop = "AESOP2010_eval.tgz"
    first_topic = 1000


def write_groups(task: Judgments, out: Output, name: str, groups: Sequence[str]) -> None:
    """Write each document set by itself, and all of them together."""
    for group in groups:
        task.select(lambda topic, end=f"-{group}": topic.endswith(end)).write(  # type: ignore[misc]
            out, f"{name}.{group}."
        )
    together = "-".join(groups)
    task.select(lambda topic: topic[-2:-1] == "-").write(out, f"{name}.{together}.")


def _add_models(task: Judgments, file: RawFile, extra: int) -> None:
    """Add the scores of references, each against the pyramid of the other three."""
    for number, words in topic_rows(file, 7 + extra, more=True):
        with file.noting(number):
            scores = {
                "num_scus_jk": file.number(number, words[2]),
                "modified_pyramid_score_jk": file.number(number, words[4 + extra]),
                "linguistic_quality": file.number(number, words[5 + extra]),
                "overall_responsiveness": file.number(number, words[6 + extra]),
            }
            task.add_scores(topic_id(words[0]), words[1], scores)


def _add_peers(task: Judgments, file: RawFile, extra: int) -> None:
    for number, words in topic_rows(file, 9 + extra, more=True):
        with file.noting(number):
            scores = {
                "modified_pyramid_score": file.number(number, words[2]),
                "num_scus": file.number(number, words[3]),
                "num_repetitions": file.number(number, words[4]),
                "modified_pyramid_score_jk": file.number(number, words[6 + extra]),
                "linguistic_quality": file.number(number, words[7 + extra]),
                "overall_responsiveness": file.number(number, words[8 + extra]),
            }
            task.add_scores(topic_id(words[0]), words[1], scores)


def _add_aesop(task: Judgments, file: RawFile, group: str, first: int) -> None:
    """Add the scores of metrics submitted to AESOP, numbered from 1, from rows `s1 t1 VALUE...`."""
    for number, line in enumerate(file.text().splitlines(), 1):
        words = line.split()
        if number == 1 or not words:
            continue
        if len(words) < 3 or not words[1][1:].isdecimal():
            file.note("expected a system, a topic and scores", number)
            continue
        with file.noting(number):
            topic = f"d{first + int(words[1][1:]):04d}-{group}"
            scores = {
                str(at): file.number(number, word)
                for at, word in enumerate(words[2:], 1)
                if word != "NaN"
            }
            task.add_published(topic, words[0][1:], {"aesop": scores})
