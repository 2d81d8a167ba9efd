"""TAC 2010: guided summaries of two document sets, with pyramids, quality and responsiveness."""

from __future__ import annotations

from rubrica.datasets.duc_tac.update import UpdateDataset


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
