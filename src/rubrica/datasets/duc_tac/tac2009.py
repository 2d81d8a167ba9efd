"""TAC 2009: update summaries, with pyramids, linguistic quality and responsiveness."""

from __future__ import annotations

from rubrica.datasets.duc_tac.update import UpdateDataset


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
