"""CNN/Daily Mail (Hermann et al. 2015, Nallapati et al. 2016): articles with their highlights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from rubrica.datasets.base import Dataset
from rubrica.datasets.benchmarks.stories import LICENCE, NEEDS, Stories
from rubrica.datasets.output import Output
from rubrica.datasets.pairs import Pair, write_pairs
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

SPLITS = {"train": "train", "validation": "valid", "test": "test"}
URLS = {"train": "all_train.txt", "valid": "all_val.txt", "test": "all_test.txt"}


@Dataset.register("cnndm")
class CnnDailyMail(Dataset):
    """CNN/Daily Mail: news articles with their highlights, from stories or HuggingFace's tables."""

    licence = LICENCE
    homepage = "https://huggingface.co/datasets/abisee/cnn_dailymail"
    size = "534 MB of stories"
    needs = (
        f"{NEEDS}, with all_{{train,val,test}}.txt (lists of addresses, from "
        "https://github.com/abisee/cnn-dailymail) for the splits; or",
        "{train,validation,test}*.{parquet,jsonl,csv} of abisee/cnn_dailymail (article, highlights, id)",
    )
    citation = (
        "Nallapati, Zhou, dos Santos, Gulcehre, Xiang. 2016. Abstractive Text Summarization using "
        "Sequence-to-sequence RNNs and Beyond. CoNLL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,valid,test}.*`; `all.*` from stories without lists of addresses."""
        stories = Stories(raw)
        if stories:
            lists = {split: raw.maybe(name) for split, name in URLS.items()}
            if not any(lists.values()):
                write_pairs(out, "all.", _stories(stories, stories, out), name="highlights")
            for split, file in lists.items():
                if file is not None:
                    pairs = _stories(stories, _hashes(file), out)
                    write_pairs(out, f"{split}.", pairs, file=file, name="highlights")
            return
        tables = {
            split_name: raw.some(*(f"{file_stem}*.{end}" for end in ("parquet", "jsonl", "csv")))
            for file_stem, split_name in SPLITS.items()
        }
        if not any(tables.values()):
            raise raw.missing("*.story or train*.parquet, validation*.parquet, test*.parquet")
        for split, files in tables.items():
            first = files[0] if files else None
            write_pairs(out, f"{split}.", _rows(raw, files), file=first, name="highlights")


def _hashes(file: RawFile) -> Iterator[str]:
    """Return the names of stories: the hashes of their addresses."""
    for line in file.text_lines():
        if line.strip():
            yield hashlib.sha1(line.strip().encode(), usedforsecurity=False).hexdigest()


def _stories(stories: Stories, names: Iterable[str], out: Output) -> Iterator[Pair]:
    """Yield the stories of these names, without those that have no text or no highlights."""
    for name in names:
        article, highlights = stories.article(name), stories.highlights(name)
        if article and highlights:
            yield Pair(name, [{"text": article}], highlights)
        else:
            out.leave_out("stories without text or without highlights")


def _rows(raw: Raw, files: list[RawFile]) -> Iterator[Pair]:
    def pair(record: Record) -> Pair:
        highlights = [line for line in record.string("highlights").split("\n") if line.strip()]
        return Pair(record.identifier("id"), [{"text": record.string("article")}], highlights)

    for file in files:
        yield from raw.each(file.records(), pair)
