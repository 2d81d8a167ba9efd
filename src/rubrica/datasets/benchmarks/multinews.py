"""Multi-News (Fabbri et al. 2019): clusters of news articles with an editor's summary."""

from __future__ import annotations

from collections.abc import Iterator

from rubrica.datasets.base import Dataset
from rubrica.datasets.output import Output
from rubrica.datasets.pairs import Pair, write_pairs
from rubrica.datasets.raw.tables import resource_table
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError, MismatchError

SPLITS = {"train": "train", "val": "valid", "test": "test"}


@Dataset.register("multinews")
class MultiNews(Dataset):
    """Multi-News: clusters of news articles, each with one human summary."""

    licence = (
        "Dataset Usage Agreement of LILY Lab: non-commercial research and education only; "
        "https://github.com/Alex-Fabbri/Multi-News/blob/master/LICENSE.txt"
    )
    homepage = "https://github.com/Alex-Fabbri/Multi-News"
    size = "not stated"
    needs = (
        "{train,val,test}.src.cleaned ('Raw data, bad retrievals removed') and "
        "{train,val,test}.tgt ('Raw data'), from the Google Drive folders of the repository",
    )
    resources = resource_table("multinews")
    citation = (
        "Fabbri, Li, She, Li, Radev. 2019. Multi-News: a Large-Scale Multi-Document Summarization "
        "Dataset and Abstractive Hierarchical Model. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{train,valid,test}.*`, and `*.multi.*` with the clusters of two documents and more."""
        for file_stem, split in SPLITS.items():
            for prefix, least in ((f"{split}.", 1), (f"{split}.multi.", 2)):
                write_pairs(
                    out, prefix, _pairs(raw, file_stem, least, out), file=raw.one(f"{file_stem}.id")
                )


def _pairs(raw: Raw, split: str, least: int, out: Output) -> Iterator[Pair]:
    files = [
        raw.one(f"{split}.id"),
        raw.one(f"{split}.src.cleaned", f"{split}.src"),
        raw.one(f"{split}.tgt"),
    ]
    rows = (file.text_lines() for file in files)
    try:
        for name, source, target in zip(*rows, strict=True):
            documents = []
            for text in source.strip().split("|||||"):
                paragraphs = [p.strip() for p in text.split("NEWLINE_CHAR") if p.strip()]
                if paragraphs:
                    documents.append({"text": paragraphs})
                elif least == 1:
                    out.leave_out("empty documents")
            if len(documents) < least:
                if least == 1:
                    out.leave_out("clusters without a document")
                continue
            # Editors begin their summaries with a dash.
            yield Pair(name.strip(), documents, target.strip().lstrip("–-").strip())
    except DataError:
        raise
    except ValueError as error:
        names = ", ".join(file.name for file in files)
        raise MismatchError(
            f"{split}: {names} differ in their numbers of lines", file=files[1].place
        ) from error
