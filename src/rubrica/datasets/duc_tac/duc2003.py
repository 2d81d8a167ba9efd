"""DUC 2003: headlines, and summaries by event, viewpoint and question, with SEE coverage by people."""

from __future__ import annotations

import re
from typing import Any

from rubrica.datasets.duc_tac.nist import (
    NistDataset,
    add_reference,
    add_see,
    news_document,
    quality,
    see_sentences,
    topic_rows,
)
from rubrica.datasets.judgments import Judgments, by_letters
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.sgml import Node, squeezed
from rubrica.datasets.raw.tree import Raw

TASKS = ("1", "2", "3", "4")
TABLES = "original.results.corrected.improved.withPenaltyForExcess/short.results.table"


@NistDataset.register("duc2003")
class Duc2003(NistDataset):
    """DUC 2003: four tasks, peers judged by coverage, quality, usefulness or responsiveness."""

    needs = (
        "DUC2003_Summarization_Documents.tgz (from NIST)",
        "duc2003.manual.abstracts.tar.gz, detagged.duc2003.abstracts.tar.gz (from the DUC site)",
        f"{TABLES}1 to 4",
        "results.table.R.paired.noheader, results.table.U.paired.noheader",
    )
    citation = "DUC 2003, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.*` to `task4.*`, and `task4.sentence-labels.jsonl`."""
        parts = {task: Judgments() for task in TASKS}
        tree = raw.part("DUC2003_Summarization_Documents.tgz")
        for task, part in parts.items():
            for file in tree.part(f"task{task}.docs.tar.gz").all("*/*/*"):
                with file.noting():
                    document = news_document(file)
                    cluster = file.folder[:-1]
                    part.add_documents(file.name if task == "1" else cluster, [document])
        self._topics(tree, parts, out)
        for file in raw.part("detagged.duc2003.abstracts.tar.gz").all("*.html"):
            _add_peer(file, parts)
        for file in raw.part("duc2003.manual.abstracts.tar.gz").all("*"):
            _add_manual(file, parts)
        for task, part in parts.items():
            _add_coverage(raw.one(f"{TABLES}{task}"), part)
        _add_pairs(raw.one("results.table.R.paired.noheader"), parts["4"], "responsiveness", 7)
        _add_pairs(raw.one("results.table.U.paired.noheader"), parts["1"], "usefulness", 8)
        for task, part in parts.items():
            part.write(out, f"task{task}.")
        out.write("task4.sentence-labels.jsonl", _sentence_labels(tree))

    def _topics(self, tree: Raw, parts: dict[str, Judgments], out: Output) -> None:
        topics = tree.maybe("task2/topics")
        if topics is not None:
            for cluster, event in _events(topics.text()):
                if cluster in parts["2"].documents:
                    parts["2"].add_documents(cluster, [], topic=event)
                else:
                    out.leave_out("topics of a cluster that is not there")
        for file in tree.part("viewpoints.given.to.systems.tar.gz").some("*/*/*"):
            cluster = file.folder[:-2]
            if cluster in parts["3"].documents:
                parts["3"].add_documents(cluster, [], viewpoint=_viewpoint(file))
        questions = tree.maybe("task4/duc.novelty_topics.txt")
        if questions is not None:
            for node in questions.sgml().all("top"):
                cluster, question = _question(node)
                if cluster in parts["4"].documents:
                    parts["4"].add_documents(cluster, [], question=question)


def _events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return TDT topics: each begins with its number and title, then what, who, where and when."""
    events = []
    heads = list(re.finditer(r"^\W*(?:Topic\s*)?(3\d{4})\b[.:)\s]*(.*)$", text, re.MULTILINE))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):
        body = text[head.end() : end]
        topic: dict[str, Any] = {"title": head[2].strip(), "text": squeezed(body)}
        for name in ("what", "who", "where", "when"):
            stop = r"(?=\b(?:WHAT|WHO|WHERE|WHEN)\s*:|Topic\s+Explication|\Z)"
            match = re.search(rf"\b{name.upper()}\s*:(.*?){stop}", body, re.DOTALL | re.IGNORECASE)
            if match:
                topic.setdefault("event", {})[name] = squeezed(match[1])
        events.append((f"d{head[1]}", topic))
    return events


def _viewpoint(file: RawFile) -> str:
    lines = (line for line in file.lines() if not line.startswith(("<", "DOCSET=", "CREATOR=")))
    return " ".join(lines)


def _question(top: Node) -> tuple[str, dict[str, str]]:
    """Return a TREC topic; its tags have no ends, so each contains the next after its own text."""
    question = {}
    for tag, name in (
        ("num", "num"),
        ("title", "title"),
        ("desc", "description1"),
        ("desc2", "description2"),
        ("narr", "narrative"),
    ):
        node = top.first(tag)
        content = node.children[0] if node is not None and node.children else ""
        text = squeezed(content) if isinstance(content, str) else ""
        question[name] = re.sub(r"^(Number|Description|Narrative)\s*\d*\s*:\s*", "", text)
    return f"d{question.pop('num')}", question


def _add_peer(file: RawFile, parts: dict[str, Judgments]) -> None:
    """`peer6.2/D30003.M.100.T.10.html`: the folder's last number is the task."""
    task = file.folder.rpartition(".")[2]
    words = file.name.removesuffix(".html").split(".")
    if task not in parts or len(words) < 5:
        return
    topic = words[0].lower() if words[1] == "M" else ".".join(words[5:7])
    text = see_sentences(file) or ""
    parts[task].add_summary(topic, words[4], text, kind=by_letters(words[4]), again="last")


def _add_manual(file: RawFile, parts: dict[str, Judgments]) -> None:
    """Add `D30003.M.100.T.A` or `D100.P.10.T.A.APW19981005.0718` to the task that has the input."""
    words = file.name.split(".")
    if len(words) < 5:
        return
    topic = words[0].lower() if words[1] == "M" else ".".join(words[5:7])
    for part in parts.values():
        part.list_reference(topic, words[4], file.lines() or "")
        if topic in part.documents and words[4] not in part.summaries.get(topic, {}):
            add_reference(part, topic, words[4], file.lines() or "")


def _add_coverage(table: RawFile, part: Judgments) -> None:
    for number, words in topic_rows(table, 34):
        key = (words[0].lower() if words[1] == "M" else words[2], words[8])
        with table.noting(number):
            # Headlines had no questions of quality.
            if table.number(number, words[3]) != 10:
                part.add_scores(*key, quality(table, number, words[11:23]))
            add_see(part, table, number, key, words[23:])


def _add_pairs(table: RawFile, part: Judgments, name: str, columns: int) -> None:
    """Add the scores of two judges per row; the table of usefulness has document ids without dots."""
    for number, line in enumerate(table.text().splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != columns:
            table.note(f"{len(words)} columns, expected {columns}", number)
            continue
        first = columns - 7
        topic = words[0].lower() if not first else f"{words[1][:-4]}.{words[1][-4:]}"
        with table.noting(number):
            scores = [table.number(number, words[at]) for at in (first + 4, first + 6)]
            part.add_scores(topic, words[first + 2], {name: scores})


def _sentence_labels(tree: Raw) -> list[dict[str, Any]]:
    """Return the relevant sentences of the novelty track, and which of them are new."""
    texts: dict[str, dict[str, list[str]]] = {}
    for file in tree.some("trec2002_novelty_docs/**"):
        cluster = f"d{file.name[:3]}"
        for node in file.sgml().all("s"):
            name = node.attributes.get("docid", "")
            texts.setdefault(cluster, {}).setdefault(name, []).append(node.text())
    rows = []
    for file in tree.part("task4.sentences.tar.gz").some("*"):
        cluster = f"d{file.name[:3]}"
        names = list(texts.get(cluster, {}))
        labels = []
        for node in file.sgml().all("s"):
            name, number = node.attributes.get("docid", ""), node.attributes.get("num", "")
            if name not in names or not number.isdecimal():
                file.note(f"sentence {number!r} of document {name!r} does not exist")
                continue
            labels.append(
                {
                    "doc_index": names.index(name),
                    "sent_index": int(number) - 1,
                    "is_novel": "novel" in node.attributes,
                }
            )
        documents = [{"name": name, "text": texts[cluster][name]} for name in names]
        rows.append({"instance_id": cluster, "documents": documents, "relevance_labels": labels})
    return rows
