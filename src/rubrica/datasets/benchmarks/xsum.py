"""XSum (Narayan et al. 2018): BBC articles with their first sentence as the summary."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rubrica.datasets.base import Dataset
from rubrica.datasets.output import Output
from rubrica.datasets.pairs import Pair, write_pairs
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

SPLITS = {"train": "train", "validation": "valid", "test": "test"}
_SECTION = re.compile(r"\[SN\]([A-Z-]+)\[SN\]")


@Dataset.register("xsum")
class XSum(Dataset):
    """XSum: BBC articles with one-sentence summaries, from the authors' files or HuggingFace's."""

    licence = "the articles belong to the BBC; for research"
    homepage = "https://github.com/EdinburghNLP/XSum"
    size = "not stated"
    needs = (
        "XSUM-EMNLP18-Summary-Data-Original.tar.gz (bbc-summary-data/ID.summary) and "
        "XSum-TRAINING-DEV-TEST-SPLIT-90-5-5.json, from the authors' page; or",
        "{train,validation,test}*.{parquet,jsonl,csv} of EdinburghNLP/xsum (document, summary, id)",
    )
    citation = (
        "Narayan, Cohen, Lapata. 2018. Don't Give Me the Details, Just the Summary! Topic-Aware "
        "Convolutional Neural Networks for Extreme Summarization. EMNLP"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,valid,test}.*`."""
        split = raw.maybe("XSum-TRAINING-DEV-TEST-SPLIT-90-5-5.json")
        archive = raw.maybe("XSUM-EMNLP18-Summary-Data-Original.tar.gz")
        pages = (archive.archive() if archive is not None else raw).some("*.summary")
        if split is not None and pages:
            by_id = {file.name.removesuffix(".summary"): file for file in pages}
            try:
                ids = {
                    SPLITS[name]: list(members)
                    for name, members in json.loads(split.text()).items()
                }
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise split.error(f"not the lists of the three splits: {error}") from error
            for name, members in ids.items():
                out.leave_out("articles that are not there", sum(i not in by_id for i in members))
                files = [by_id[i] for i in members if i in by_id]
                write_pairs(out, f"{name}.", raw.each(files, _page), file=split)
            return
        tables = {
            split_name: raw.some(*(f"{file_stem}*.{end}" for end in ("parquet", "jsonl", "csv")))
            for file_stem, split_name in SPLITS.items()
        }
        if not any(tables.values()):
            raise raw.missing("*.summary or train*.parquet, validation*.parquet, test*.parquet")
        for name, split_files in tables.items():
            first = split_files[0] if split_files else None
            write_pairs(out, f"{name}.", _rows(raw, split_files), file=first)


def _page(file: RawFile) -> Pair:
    """Read the sections after `[SN]NAME[SN]`: URL, TITLE, FIRST-SENTENCE, RESTBODY."""
    pieces = _SECTION.split(file.text())
    sections = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    summary = " ".join(sections.get("FIRST-SENTENCE", "").split())
    body = [line.strip() for line in sections.get("RESTBODY", "").splitlines() if line.strip()]
    if not summary or not body:
        raise file.error("no FIRST-SENTENCE" if body else "no RESTBODY")
    return Pair(file.name.removesuffix(".summary"), [{"text": body}], summary)


def _rows(raw: Raw, files: list[RawFile]) -> Iterator[Pair]:
    def pair(record: Record) -> Pair:
        document = [{"text": record.string("document")}]
        return Pair(record.identifier("id"), document, record.string("summary"))

    for file in files:
        yield from raw.each(file.records(), pair)
