"""TAC 2011: guided summaries; its documents are in the monthly files of Gigaword."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from rubrica.datasets.duc_tac.nist import add_topics, gigaword_document
from rubrica.datasets.duc_tac.update import GROUPS, UpdateDataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.raw.sgml import parse_sgml
from rubrica.datasets.raw.tree import Raw

_DOC = re.compile(r"<DOC\s[^>]*?id=\"([^\"]+)\".*?</DOC>", re.DOTALL | re.IGNORECASE)


@UpdateDataset.register("tac2011")
class Tac2011(UpdateDataset):
    """TAC 2011: guided summaries, judged by pyramids, linguistic quality and responsiveness."""

    needs = (
        "gigaword_eng_5 (LDC2011T07): data/CORPUS/CORPUS_YYYYMM.gz",
        "GuidedSumm2011_eval.tgz, AESOP2011_eval_V1.2.tgz, GuidedSumm11_test_topics.xml.txt "
        "(from the TAC site)",
    )
    citation = "TAC 2011, National Institute of Standards and Technology"
    evaluation = "GuidedSumm2011_eval.tgz"
    topics = "GuidedSumm11_test_topics.xml.txt"
    aesop = "AESOP2011_eval_V1.2.tgz"
    first_topic = 1100
    # Units of annotations have other numbers than those of pyramids; their labels are the same.
    wrong_scu_ids = True

    def add_documents(self, task: Judgments, raw: Raw) -> None:
        """Add the documents that the topics name; each monthly file is read once."""
        topics = raw.one(self.topics)
        ids_of: dict[str, list[str]] = {}
        for node in topics.sgml().all("topic"):
            name = node.attributes.get("id", "")[:-1].lower()
            for group, tag in zip(GROUPS, ("docseta", "docsetb"), strict=True):
                element = node.first(tag)
                docs = element.all("doc") if element is not None else ()
                # The document's id ends with the source's catalogue number: ".LDC2009T13".
                ids = [doc.attributes.get("id", "").partition(".LDC")[0] for doc in docs]
                ids_of[f"{name}-{group}"] = ids
        texts = _gigaword(raw, {name for ids in ids_of.values() for name in ids})
        for topic, ids in ids_of.items():
            task.add_documents(topic, [texts[doc_id] for doc_id in ids if doc_id in texts])
        add_topics(task, topics, GROUPS)


def _gigaword(raw: Raw, ids: set[str]) -> dict[str, dict[str, Any]]:
    by_month: dict[str, set[str]] = defaultdict(set)
    for doc_id in ids:
        by_month[doc_id[:14].lower()].add(doc_id)
    documents: dict[str, dict[str, Any]] = {}
    for month, month_ids in sorted(by_month.items()):
        file = raw.one(f"{month}.gz", month)
        for match in _DOC.finditer(file.text()):
            if match[1] in month_ids:
                node = parse_sgml(match[0]).first("doc")
                assert node is not None
                documents[match[1]] = gigaword_document(node, match[1])
        for doc_id in sorted(month_ids - set(documents)):
            file.note(f"no document {doc_id}")
    return documents
