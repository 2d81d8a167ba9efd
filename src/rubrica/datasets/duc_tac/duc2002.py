"""DUC 2002: single documents, clusters at four lengths, and extracts, with SEE coverage by people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rubrica.data.metrics import MetricsDict
from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_reference,
    add_see,
    quality,
    see_sentences,
    topic_rows,
)
from rubrica.datasets.judgments import Judgments, by_letters, natural
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw

LENGTHS = ("10", "50", "100", "200")
EXTRACTS = ("200e", "400e")
# Ids that extracts misspell, and the documents they mean (found by SacreROUGE).
MISSPELT = {
    "AP890729-0155": "AP880729-0155",
    "SJMN91-06048": "SJMN91-06165048",
}


@NistDataset.register("duc2002")
class Duc2002(NistDataset):
    """DUC 2002: generic abstracts and extracts, peers judged by content coverage and quality."""

    needs = (
        "DUC2002_Summarization_Documents.tgz (from NIST)",
        "duc2002extractsandabstracts.tar.gz (from the DUC site)",
        "results/abstracts/phase1/: SEEpeers/*.tar.gz and short.results.table",
        "results/extracts/extracts.results.table",
    )
    citation = "DUC 2002, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*` (documents), `task2.LENGTH.*` (clusters), `task2.{200e,400e}.*` (extracts)."""
        parts = {name: Judgments() for name in ("task1", *LENGTHS, *EXTRACTS)}
        self._documents(raw, parts)
        for page in _pages(raw):
            _add_page(page, parts)
        for file in raw.part("duc2002extractsandabstracts.tar.gz").some("extracts_abstracts/*/*"):
            _add_model(file, parts)
        _add_coverage(raw.one("phase1/short.results.table", "short.results.table"), parts)
        for name, judgments in parts.items():
            judgments.write(out, "task1." if name == "task1" else f"task2.{name}.")
        self._unpaired(raw, out)

    def _documents(self, raw: Raw, parts: dict[str, Judgments]) -> None:
        tree = raw.part("DUC2002_Summarization_Documents.tgz")
        for file in tree.part("duc2002testdocswithsentences.tar.gz").all("*/d*/*.S", "*/d*/*.s"):
            root = file.sgml()
            cluster, name = file.folder[:-1], file.name[:-2]
            body = [s.text() for text in root.all("text") for s in text.all("s")]
            if not body:
                file.note("no <s> in <TEXT>")
                continue
            document = {"name": name, "text": body}
            parts["task1"].add_documents(name, [document])
            for length in LENGTHS:
                parts[length].add_documents(cluster, [document])
            # Extracts count all sentences, those of headlines too.
            whole = {"name": name, "text": [s.text() for s in root.all("s")]}
            for length in EXTRACTS:
                parts[length].add_documents(cluster, [whole])

    def _unpaired(self, raw: Raw, out: Output) -> None:
        """Write the scores of submitted extracts; the format of their texts is not documented."""
        table = raw.maybe("extracts.results.table")
        if table is None:
            return
        by_length: dict[str, dict[tuple[str, str], MetricsDict]] = {}
        for number, words in topic_rows(table, 13):
            with table.noting(number):
                precision, recall = (table.number(number, word) for word in words[11:13])
                of_length = by_length.setdefault(f"{words[2]}e", {})
                scores = of_length.setdefault((words[0].lower(), words[4]), MetricsDict())
                scores.setdefault("sentence_precision", []).append(precision)
                scores.setdefault("sentence_recall", []).append(recall)
        for length, rows in sorted(by_length.items()):
            out.write(
                f"task2.{length}.unpaired-metrics.jsonl",
                (
                    {
                        "instance_id": topic,
                        "summarizer_id": name,
                        "summarizer_type": by_letters(name),
                        "metrics": rows[topic, name],
                    }
                    for topic, name in sorted(rows, key=lambda k: (natural(k[0]), natural(k[1])))
                ),
            )


def _pages(raw: Raw) -> Iterator[RawFile]:
    """Return the pages of the evaluation, in archives or unpacked."""
    for file in raw.some("SEEpeers/*.tar.gz", "SEEpeers/**.html"):
        if file.name.endswith(".html"):
            yield file
        else:
            yield from file.archive().some("*.html")


def _add_page(page: RawFile, parts: dict[str, Judgments]) -> None:
    """Add a page: `D061.M.200.J.16.html` (cluster) or `D061.P.100.J.16.AP880911-0016.html` (document)."""
    words = page.name.removesuffix(".html").split(".")
    of_cluster = words[1:2] == ["M"]
    if len(words) < (5 if of_cluster else 6):
        page.note("a file name without topic and summarizer")
        return
    part = parts.get(words[2].lstrip("0")) if of_cluster else parts["task1"]
    if part is not None:
        topic = words[0].lower() if of_cluster else words[5]
        part.add_summary(
            topic, words[4], see_sentences(page) or "", kind=by_letters(words[4]), again="last"
        )


def _add_model(file: RawFile, parts: dict[str, Judgments]) -> None:
    """Add `d061ja/perdocs`, `d061ja/200` or `d061ja/200e`: by person a, of cluster d061j."""
    cluster, annotator = file.folder[:-2], file.folder[-1].upper()
    if file.name in EXTRACTS:
        _add_extract(file, cluster, annotator, parts[file.name])
    elif file.name == "perdocs" or file.name in LENGTHS:
        part = parts["task1" if file.name == "perdocs" else file.name]
        for node in file.sgml().all("sum"):
            topic = node.attributes.get("docref", "") if file.name == "perdocs" else cluster
            part.list_reference(topic, annotator, node.text(), by_text=True)
            # The SEE page of the same person has the same text with its sentences.
            if annotator not in part.summaries.get(topic, {}):
                add_reference(part, topic, annotator, node.text())


def _add_extract(file: RawFile, cluster: str, annotator: str, part: Judgments) -> None:
    """Add an extract: sentences given by document and number, resolved to their texts."""
    documents = part.documents.get(cluster, {"documents": []})["documents"]
    places = {document["name"]: at for at, document in enumerate(documents)}
    labels: list[dict[str, Any]] = []
    for node in file.sgml().all("s"):
        # A bare <s> is an end tag that lost its slash.
        if not node.attributes:
            continue
        name = "".join(node.attributes.get("docid", "").split())
        name = MISSPELT.get(name, name)
        number = node.attributes.get("num", "")
        if name not in places or not number.isdecimal():
            file.note(f"sentence {number!r} of document {name!r} is not in cluster {cluster}")
            continue
        at = int(number) - 1
        if not 0 <= at < len(documents[places[name]]["text"]):
            file.note(f"document {name} has no sentence {number}")
            continue
        labels.append({"doc_index": places[name], "sent_index": at})
    sentences = [documents[label["doc_index"]]["text"][label["sent_index"]] for label in labels]
    if any(summary.text == sentences for summary in part.summaries.get(cluster, {}).values()):
        return
    part.add_summary(
        cluster, annotator, sentences or "", kind="reference", again="last", labels=labels
    )


def _add_coverage(table: RawFile, parts: dict[str, Judgments]) -> None:
    for number, words in topic_rows(table, 33):
        of_cluster = words[1] == "M"
        part = parts.get(words[3].lstrip("0")) if of_cluster else parts["task1"]
        if part is None:
            table.note(f"a summary of length {words[3]}", number)
            continue
        key = (words[0].lower() if of_cluster else words[2], words[8])
        with table.noting(number):
            part.add_scores(*key, quality(table, number, words[10:22]))
            add_see(part, table, number, key, words[22:])
