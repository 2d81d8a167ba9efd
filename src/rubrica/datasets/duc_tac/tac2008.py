"""TAC 2008: update summaries, with pyramids, linguistic quality and responsiveness."""

from __future__ import annotations

from rubrica.datasets.duc_tac.update import UpdateDataset


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
