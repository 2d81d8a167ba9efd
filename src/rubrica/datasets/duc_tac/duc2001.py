"""DUC 2001: single documents, and clusters at four lengths, with references only."""

from __future__ import annotations

import re
from typing import Any

from rubrica.datasets.duc_tac.nist import NistDataset, add_reference
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.sgml import parse_sgml, squeezed
from rubrica.datasets.raw.tree import Raw

LENGTHS = ("50", "100", "200", "400")
# Ids that `perdocs` files misspell, and the documents they mean (found by SacreROUGE, whose list of
# thirteen has FBIS4-45908 twice).
MISSPELT = {
    "SMN91-06154062": "SJMN91-06154062",
    "AP870611-0085": "WSJ870611-0085",
    "SJMN91-0605144": "SJMN91-06015144",
    "APP890515-0232": "AP890515-0232",
    "WSJ891125-0090": "AP891125-0090",
    "FT931-100514": "FT931-10514",
    "FB153-57782": "FBIS3-57782",
    "FBIS4-45908": "FBIS-45908",
    "FBIS3-41815": "FBIS-41815",
    "FBIS4-35908": "FBIS-45908",
    "AP890325-0143": "AP830325-0143",
    "LA081489-0225": "LA081489-0025",
}
# A <SUM ...> tag whose end is missing: attributes, and then something that is neither one nor ">".
_UNENDED = re.compile(
    r'(<SUM(?:\s+[A-Za-z]+\s*=\s*"[^"]*")+)(?=\s*[^\s>A-Za-z]|\s+[A-Za-z]+[^A-Za-z\s=]|\s+[A-Za-z]+\s+[^=\s])'
)


@NistDataset.register("duc2001")
class Duc2001(NistDataset):
    """DUC 2001: generic summaries of documents and clusters, with human references."""

    needs = ("DUC2001_Summarization_Documents.tgz (from NIST)",)
    citation = "DUC 2001, National Institute of Standards and Technology"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `task1.{train,test}.*` (documents), `task2.{train,test}.LENGTH.*` (clusters)."""
        tree = raw.part("DUC2001_Summarization_Documents.tgz")
        for split, documents, summaries in (
            ("train", ("training/*/docs/*",), ("training/**/perdocs", *_lengths("training/**"))),
            (
                "test",
                ("test/docs/*/*",),
                (
                    "test/*.summaries/*/perdocs",
                    *_lengths("test/*.summaries/*"),
                ),
            ),
        ):
            singles = Judgments()
            clusters = {length: Judgments() for length in LENGTHS}
            for file in tree.all(*documents):
                if file.name.endswith("~"):
                    out.leave_out("editors' copies of documents")
                    continue
                with file.noting():
                    document = _document(file)
                    singles.add_documents(file.name, [document])
                    folder = file.folder if split == "test" else file.path.split("/")[-3]
                    for judgments in clusters.values():
                        judgments.add_documents(folder[:-1], [document])
            for file in tree.all(*summaries):
                with file.noting():
                    _add_summaries(file, split, singles, clusters, out)
            singles.write(out, f"task1.{split}.")
            for length, judgments in clusters.items():
                judgments.write(out, f"task2.{split}.{length}.")


def _lengths(folder: str) -> list[str]:
    return [f"{folder}/{length}" for length in LENGTHS]


def _add_summaries(
    file: RawFile, split: str, singles: Judgments, clusters: dict[str, Judgments], out: Output
) -> None:
    annotator = file.folder[-1].upper()
    nodes = list(parse_sgml(_UNENDED.sub(r"\1>", file.text()), file.place).all("sum"))
    if not nodes:
        raise file.error("no <SUM>")
    if file.name != "perdocs":
        cluster = file.folder[:-2] if split == "test" else _cluster(file)
        add_reference(clusters[file.name], cluster, annotator, nodes[0].text())
        return
    for node in nodes:
        name = node.attributes.get("docref", "").strip()
        if name not in singles.documents:
            name = MISSPELT.get(name, name)
        if name in singles.documents:
            add_reference(singles, name, annotator, node.text())
        else:
            out.leave_out("summaries of a document that is not there")


def _cluster(file: RawFile) -> str:
    """Return the training cluster: the folder right below `training`, without the selector's letter."""
    folders = file.path.split("/")
    return folders[folders.index("training") + 1][:-1]


def _document(file: RawFile) -> dict[str, Any]:
    """Return lead and text, without the marks of the San Jose Mercury News at ends of sentences."""
    nodes = file.sgml().all("leadpara", "lp", "text")
    text = " ".join(node.raw_text() for node in nodes)
    if file.name.startswith("SJMN"):
        text = re.sub(r"\.;(\s|$)", r".\1", text).replace('";', '"')
    text = squeezed(text).replace(". . .", "...")
    if not text:
        raise file.error("a document without <TEXT>")
    return {"name": file.name, "text": text}
