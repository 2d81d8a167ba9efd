"""WCEP (Ghalandari et al. 2020): events of Wikipedia's current events portal with their articles."""

from __future__ import annotations

from collections.abc import Iterator

from rubrica.datasets.base import Dataset
from rubrica.datasets.output import Output
from rubrica.datasets.pairs import Pair, write_pairs
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

SPLITS = {"train": "train", "val": "valid", "test": "test"}


@Dataset.register("wcep")
class Wcep(Dataset):
    """WCEP: clusters of up to 100 articles about an event, each with a one-sentence summary."""

    licence = "MIT (data set); the articles belong to their publishers"
    homepage = "https://github.com/complementizer/wcep-mds-dataset"
    size = "not stated"
    needs = ("{train,val,test}.jsonl.gz, from the Google Drive folder of the repository",)
    citation = (
        "Gholipour Ghalandari, Hokamp, Pham, Glover, Ifrim. 2020. A Large-Scale Multi-Document "
        "Summarization Dataset from the Wikipedia Current Events Portal. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,valid,test}.*`; empty articles and second copies of an address are left out."""
        for file_stem, split in SPLITS.items():
            file = raw.one(f"{file_stem}.jsonl.gz", f"{file_stem}.jsonl")
            write_pairs(out, f"{split}.", _pairs(raw, file, out), file=file)


def _pairs(raw: Raw, file: RawFile, out: Output) -> Iterator[Pair]:
    def pair(record: Record) -> Pair:
        articles: dict[str, Record] = {}
        for article in record.inners("articles"):
            if not article.string("text").strip():
                out.leave_out("empty articles")
                continue
            url = article.string("url")
            if url in articles:
                out.leave_out("second copies of an article")
                # The editors' own source is preferred to the crawl's copy.
                if article.string("origin") != "WCEP" or articles[url].string("origin") == "WCEP":
                    continue
            articles[url] = article
        if not articles:
            raise record.error("an event without articles")
        documents = [
            {
                "name": article.identifier("id"),
                "title": article.values.get("title"),
                "url": url,
                "time": article.values.get("time"),
                "origin": article.string("origin"),
                "text": article.string("text").strip(),
            }
            for url, article in articles.items()
        ]
        about = {"date": record.values.get("date")}
        return Pair(record.identifier("id"), documents, record.string("summary").strip(), about)

    return raw.each(file.records(), pair)
