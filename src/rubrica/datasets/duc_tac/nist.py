"""What the archives of DUC and TAC share: names of files, tables of scores, documents, topics."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rubrica.data.instance import Text
from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments, by_letters
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import percent
from rubrica.datasets.raw.sgml import Node, squeezed
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError

_TOPIC = re.compile(r"[dD]\d{2,5}(-[A-C])?$")
_ROUGE = 7


class NistDataset(Dataset, abstract=True):
    """A year of DUC or TAC: from the archives that NIST sends and those behind its password."""

    licence = (
        "Not public: texts and judgments belong to NIST, the Linguistic Data Consortium and the news "
        "agencies. Ask for them at https://www-nlpir.nist.gov/projects/duc/data.html or "
        "https://tac.nist.gov/data/ and keep to the agreements you sign. You may not pass on anything derived "
        "from them."
    )
    size = "your own copy"
    homepage = "https://duc.nist.gov/"


def topic_id(name: str) -> str:
    """Return the topic in lower case, except the letter of the update set: `D0801-A` gives `d0801-A`."""
    head, dash, group = name.partition("-")
    return head.lower() + dash + group[:2].upper().rstrip(".")


def name_ids(name: str) -> tuple[str, str]:
    """Return topic and summarizer of a file like `D0801-A.M.100.A.12` (or `....12.html`)."""
    parts = name.removesuffix(".html").split(".")
    if len(parts) < 5:
        raise DataError(f"a file name without topic and summarizer: {name!r}")
    return topic_id(parts[0]), parts[4]


def topic_rows(
    file: RawFile, columns: int, *, more: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table whose first word is a topic; lines above are the heading.

    With `more`, rows may have further columns, which are ignored.
    """
    numbered = {
        number: line.split()
        for number, line in enumerate(file.text().splitlines(), 1)
        if line.split() and _TOPIC.match(line.split()[0])
    }
    if not numbered:
        raise file.error("no row that begins with a topic like D0801")
    for number, words in numbered.items():
        if len(words) == columns or (more and len(words) > columns):
            yield number, words
        else:
            file.note(f"{len(words)} columns, expected {columns}", number)


def add_texts(judgments: Judgments, files: Iterable[RawFile], *, again: str = "refuse") -> None:
    """Add peers and models, a line per sentence, ids in the file names; `again` as in `add_summary`."""
    for file in files:
        with file.noting():
            topic, summarizer = name_ids(file.name)
            kind, text = by_letters(summarizer), file.lines() or ""
            judgments.add_summary(topic, summarizer, text, kind=kind, again=again)


def add_reference(judgments: Judgments, topic: str, annotator: str, text: Text) -> None:
    """Add a reference that was not judged; ignore a duplicate text, rename a second one by the same person."""
    summaries = judgments.summaries.get(topic, {})
    if any(summary.text == text and summary.kind == "reference" for summary in summaries.values()):
        return
    name, number = annotator, 1
    while name in summaries:
        number += 1
        name = f"{annotator}-{number}"
    judgments.add_summary(topic, name, text, kind="reference", judged=False)


def add_rouge(judgments: Judgments, file: RawFile, *, jackknifed: bool) -> None:
    """Add NIST's own ROUGE and BE values (recall, precision, f1, times 100) from a ROUGE output file.

    A summary has several jackknifed values; their mean is stored as `NAME_jk`.
    """
    by_measure: dict[tuple[str, str, str], list[tuple[float, ...]]] = defaultdict(list)
    for number, line in enumerate(file.text().splitlines(), 1):
        words = line.split()
        if len(words) != _ROUGE or words[2] != "Eval":
            continue
        with file.noting(number):
            topic, summarizer = name_ids(words[3])
            name = words[1].lower() + ("_jk" if jackknifed else "")
            numbers = tuple(percent(file.number(number, word[2:])) for word in words[4:])
            by_measure[topic, summarizer, name].append(numbers)
    for (topic, summarizer, name), values in by_measure.items():
        means = [math.fsum(column) / len(values) for column in zip(*values, strict=True)]
        scores = dict(zip(("recall", "precision", "f1"), means, strict=True))
        judgments.add_published(topic, summarizer, {name: scores})


def add_column(judgments: Judgments, file: RawFile, name: str) -> None:
    """Add the scores of a table `TOPIC x x SUMMARIZER SCORE`."""
    for number, words in topic_rows(file, 5, more=True):
        with file.noting(number):
            score = file.number(number, words[4])
            judgments.add_scores(topic_id(words[0]), words[3], {name: score})


def add_linguistic_quality(judgments: Judgments, file: RawFile) -> None:
    """Add the scores of a table `TOPIC x x SUMMARIZER QUESTION SCORE`: five questions, 1 to 5."""
    for number, words in topic_rows(file, 6, more=True):
        with file.noting(number):
            scores = {"linguistic_quality": {f"Q{words[4]}": file.number(number, words[5])}}
            judgments.add_scores(topic_id(words[0]), words[3], scores)


def add_see(
    judgments: Judgments, file: RawFile, number: int, key: tuple[str, str], words: list[str]
) -> None:
    """Add the unit counts and coverages at the end of a row of a SEE table (11 columns, or 8)."""
    names = ["unmarked_units_related_to_subject", "num_peer_units", "num_marked_peer_units"]
    names += ["num_unmarked_peer_units", "num_model_units"]
    values = [file.number(number, word) for word in words]
    scores: dict[str, Any] = dict(zip(names, values[:5], strict=True))
    for at, name in ((5, "coverage"), (8, "length_adjusted_coverage")):
        if len(values) > at:
            scores[name] = dict(zip(("mean", "median", "std"), values[at : at + 3], strict=True))
    judgments.add_scores(*key, scores)


def quality(file: RawFile, number: int, words: list[str]) -> dict[str, Any]:
    """Return the scores of the peer quality questions; `-` is a question that was not asked."""
    return {
        "peer_quality": {
            f"Q{at}": file.number(number, word) for at, word in enumerate(words, 1) if word != "-"
        }
    }


def see_sentences(file: RawFile) -> list[str]:
    """Return the sentences of a SEE page (`<a id=...>`), or the lines of a plain text file."""
    if not file.text().lstrip().lower().startswith("<html"):
        return file.lines()
    sentences = (node.text() for node in file.sgml().all("a") if "id" in node.attributes)
    return [sentence for sentence in sentences if sentence]


def news_document(file: RawFile, *, date: bool = False) -> dict[str, Any]:
    """Return a newswire document with the text of all its `<TEXT>`, or else of `<GRAPHIC>`."""
    root = file.sgml()
    nodes = list(root.all("text")) or list(root.all("graphic"))
    text = squeezed(" ".join(node.raw_text() for node in nodes))
    if not text:
        raise file.error("a document without <TEXT>")
    row: dict[str, Any] = {"name": file.name, "text": text}
    _add_heading(row, root, file.name if date else "")
    return row


def gigaword_document(node: Node, name: str) -> dict[str, Any]:
    """Return a `<DOC>` of Gigaword: a `story` has paragraphs, other types one text."""
    kind = node.attributes.get("type", "")
    text = node.first("text")
    paragraphs = [p.text() for p in text.all("p")] if text is not None else []
    row: dict[str, Any] = {"name": name, "document_type": kind}
    _add_heading(row, node, name)
    whole = text.text() if text is not None else ""
    row["text"] = [p for p in paragraphs if p] if kind == "story" and any(paragraphs) else whole
    return row


def _add_heading(row: dict[str, Any], node: Node, name: str) -> None:
    """Add a document's headline, and the date in its name (`APW19981016.0240`), if it has them."""
    headline = node.first("headline")
    if headline is not None and headline.text():
        row["headline"] = headline.text()
    if match := re.search(r"\d{8}(?=\.)", name):
        row["date"] = f"{match[0][:4]}-{match[0][4:6]}-{match[0][6:]}"


def add_clusters(judgments: Judgments, raw: Raw, files: Iterable[RawFile], group: bool) -> None:
    """Add documents in folders `D0801A/D0801A-A/` (with `group`) or `D0801A/`, which end in the assessor."""

    def add_document(file: RawFile) -> None:
        folders = file.path.split("/")
        topic = folders[-3] if group else folders[-2]
        name = topic[:-1].lower() + (f"-{folders[-2][-1].upper()}" if group else "")
        doc = file.sgml().first("doc") if group else None
        gigaword = doc is not None and "type" in doc.attributes
        document = (
            gigaword_document(doc, file.name)
            if gigaword and doc is not None
            else news_document(file, date=True)
        )
        if not document["text"]:
            raise file.error("a document without <TEXT>")
        judgments.add_documents(name, [document], selector=topic[-1].upper())

    raw.for_each(files, add_document)


def add_topics(judgments: Judgments, file: RawFile, groups: Sequence[str] = ("",)) -> None:
    """Add titles, narratives and other facts of a topics file to the documents of each topic."""
    for node in file.sgml().all("topic"):
        number = node.first("num")
        name = node.attributes.get("id") or (number.text() if number is not None else "")
        if not name.strip():
            raise file.error("a topic without a number")
        topic: dict[str, Any] = {}
        for tag, key in (
            ("title", "title"),
            ("narr", "narrative"),
            ("narrative", "narrative"),
            ("granularity", "granularity"),
        ):
            element = node.first(tag)
            if element is not None:
                topic[key] = element.text()
        category = node.attributes.get("category", "").strip()
        if category.isdecimal() and 1 <= int(category) <= len(CATEGORIES):
            topic["category"] = CATEGORIES[int(category) - 1]
        for group in groups:
            key = name.strip()[:-1].lower() + (f"-{group}" if group else "")
            if key in judgments.documents:
                judgments.add_documents(key, [], topic=topic)


CATEGORIES = (
    "Accidents and Natural Disasters",
    "Attacks",
    "Health and Safety",
    "Endangered Resources",
    "Investigations and Trials",
)
