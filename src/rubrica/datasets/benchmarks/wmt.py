"""The layout of the WMT metrics task (mt-metrics-eval): any set in it, a language pair at a time."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rubrica.data.files import read_text_lines
from rubrica.data.wmt import read_outputs, read_wmt
from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import MismatchError

FOLDERS = (
    "documents",
    "human-scores",
    "metric-scores",
    "references",
    "sources",
    "system-outputs",
)


@Dataset.register("wmt")
class Wmt(Dataset):
    """WMT metrics task: a test set in mt-metrics-eval's layout, texts with human and metric scores."""

    licence = "that of the test set; WMT's data are for research"
    homepage = "https://github.com/google-research/mt-metrics-eval"
    size = "your own copy"
    needs = (
        "a test set's folder, with sources/, references/, system-outputs/, human-scores/ and, if "
        "there are, documents/ and metric-scores/",
    )
    citation = "Freitag et al., the findings of the WMT metrics shared task of the year"

    def write(self, raw: Raw, out: Output) -> None:
        """Write `PAIR.*` for every language pair (a system's scores as a whole in `PAIR.system-metrics.jsonl`)."""
        files = [file for name in FOLDERS for file in raw.some(f"{name}/**")]
        pairs = {file.folder for file in raw.all("system-outputs/*/*.txt")}
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for file in files:
                _put(root, file)
            for pair in sorted(pairs):
                _write_pair(root, pair, out)


def _put(root: Path, file: RawFile) -> None:
    """Write a plain copy below the last folder of the layout in its path; names were checked."""
    parts = file.path.split("/")
    at = max(i for i, part in enumerate(parts) if part in FOLDERS)
    target = root.joinpath(*parts[at:])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.bytes())


def _write_pair(root: Path, pair: str, out: Output) -> None:
    judgments, read = Judgments(), read_wmt(root, pair)
    sources = root / "sources" / f"{pair}.txt"
    if sources.exists():
        for number, text in read_text_lines(sources):
            if number > read.segments:
                message = f"more lines than the set has segments ({read.segments})"
                raise MismatchError(message, file=f"sources/{pair}.txt", line=number)
            domain, document = read.documents[number - 1] if read.documents else (None, None)
            about = {"domain": domain, "document_name": document}
            judgments.add_documents(str(number), [{"text": text}], **about)
    for name in read.references:
        for number, text in read_text_lines(root / "references" / f"{pair}.{name}.txt"):
            judgments.add_summary(str(number), name, text, kind="reference")
    for system in read.systems:
        if system not in read.references:
            for at, supplied in enumerate(read_outputs(root, pair, system), 1):
                if supplied is None:
                    out.leave_out("segments that a system did not translate")
                else:
                    judgments.add_summary(str(at), system, supplied)
    for row in read.metrics():
        for name, value in row.metrics.items():
            add = judgments.add_scores if name in read.human_names else judgments.add_published
            add(row.instance_id, row.summarizer_id, {name: value})
    judgments.write(out, f"{pair}.")
    out.write(
        f"{pair}.system-metrics.jsonl",
        (
            {
                "instance_id": "all",
                "summarizer_id": system,
                "summarizer_type": kind,
                "metrics": scores,
            }
            for system in read.systems
            if (
                scores := {
                    name: values[system]
                    for name, values in read.system_scores.items()
                    if values.get(system) is not None
                }
            )
            for kind in ["reference" if system in read.references else "peer"]
        ),
    )
