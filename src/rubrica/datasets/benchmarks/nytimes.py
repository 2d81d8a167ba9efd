"""The New York Times Annotated Corpus: articles with the abstracts of the paper's indexers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from xml.etree.ElementTree import Element

from rubrica.data.formats.xml import text_of
from rubrica.datasets.base import Dataset
from rubrica.datasets.output import Output
from rubrica.datasets.pairs import Pair
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.sgml import squeezed
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw

SPLITS = ("train", "valid", "test")


@Dataset.register("nytimes")
class NyTimes(Dataset):
    """New York Times (LDC2008T19): articles with indexers' abstracts, in DiscoBERT's splits."""

    licence = (
        "Not public: the New York Times Annotated Corpus is licensed by the Linguistic Data "
        "Consortium (https://catalog.ldc.upenn.edu/LDC2008T19); keep to the agreement you signed"
    )
    homepage = "https://catalog.ldc.upenn.edu/LDC2008T19"
    size = "your own copy"
    needs = ("LDC2008T19.tgz, or its folder, with nyt_corpus/data/YEAR/MONTH.tgz",)
    resources = resource_table("nytimes")
    citation = "Sandhaus. 2008. The New York Times Annotated Corpus. LDC2008T19"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,valid,test}.*`; articles that cannot be read are errors, never empty rows."""
        split_of: dict[int, str] = {}
        for split in SPLITS:
            file = raw.one(f"mapping_{split}.txt")
            for number, line in enumerate(file.text_lines(), 1):
                if line.strip():
                    if not line.strip().isdecimal():
                        raise file.error(f"not the number of an article: {line!r}", number)
                    split_of[int(line)] = split
        missing = set(split_of)
        with ExitStack() as stack:
            put: dict[str, tuple[Any, Any]] = {
                split: (
                    stack.enter_context(out.opened(f"{split}.documents.jsonl")),
                    stack.enter_context(out.opened(f"{split}.references.jsonl")),
                )
                for split in SPLITS
            }
            for number, pair in raw.each(_files(raw, split_of), _pair):
                missing.discard(number)
                documents, references = put[split_of[number]]
                documents({"instance_id": pair.instance_id, "documents": pair.documents})
                reference = {"summarizer_id": "abstract", "text": pair.reference}
                references({"instance_id": pair.instance_id, "references": [reference]})
        out.leave_out("articles of the splits that the corpus lacks", len(missing))


def _files(raw: Raw, splits: dict[int, str]) -> Iterator[tuple[int, RawFile]]:
    """Yield the articles of the splits, `1987/01/26/0000001.xml`, in the monthly archives or unpacked."""
    for file in raw.all("data/*/*.tgz", "data/*/*/**.xml"):
        if file.name.endswith(".xml"):
            yield from _in_splits([file], splits)
        else:
            month = file.archive()
            yield from _in_splits(month.some("*.xml"), splits)
            month.close()


def _in_splits(files: list[RawFile], splits: dict[int, str]) -> Iterator[tuple[int, RawFile]]:
    for file in files:
        stem = file.name.removesuffix(".xml")
        if stem.isdecimal() and int(stem) in splits:
            yield int(stem), file


def _pair(numbered: tuple[int, RawFile]) -> tuple[int, Pair]:
    number, file = numbered
    root = file.xml()
    meta = {
        element.get("name", ""): element.get("content", "")
        for element in root.iterfind("head/meta")
    }
    abstract = _paragraphs(root.iterfind("body/body.head/abstract/p"))
    text = _paragraphs(root.iterfind("body/body.content/block[@class='full_text']/p"))
    if not abstract or not text:
        raise file.error("no abstract" if text else "no full text")
    headline = root.find("body/body.head/hedline/hl1")
    if headline is None:
        headline = root.find("body/body.head/hedline/hl2")
    document: dict[str, Any] = {
        "date": "-".join(
            meta.get(f"publication_{part}", "").zfill(2)
            for part in ("year", "month", "day_of_month")
        ),
        "headline": squeezed(text_of(headline)) if headline is not None else None,
        "text": text,
    }
    name = root.find("head/docdata/doc-id")
    document_id = name.get("id-string") if name is not None else None
    return number, Pair(document_id or str(number), [document], " ".join(abstract))


def _paragraphs(elements: Iterator[Element]) -> list[str]:
    return [text for element in elements if (text := squeezed(text_of(element)))]
