"""SummEval (Fabbri et al. 2020): 16 systems on 100 CNN/DM documents, by experts and crowd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rubrica.datasets.base import Dataset
from rubrica.datasets.benchmarks.stories import LICENCE, NEEDS, Stories
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

ASPECTS = ("coherence", "consistency", "fluency", "relevance")
# Which of a model's output files was judged (SummEval issue 8).
JUDGED = {
    "M0": "outputs.aligned.jsonl",
    "M1": "outputs.aligned.jsonl",
    "M2": "outputs.aligned.jsonl",
    "M5": "outputs_rouge.aligned.jsonl",
    "M8": "outputs_ptrgen+cov.aligned.jsonl",
    "M9": "outputs_extabs+rl+rerank.aligned.jsonl",
    "M10": "outputs_encdec.aligned.jsonl",
    "M11": "outputs_novelty.aligned.jsonl",
    "M12": "outputs.aligned.jsonl",
    "M13": "outputs.aligned.jsonl",
    "M14": "outputs.aligned.jsonl",
    "M15": "outputs_coverage.aligned.jsonl",
    "M17": "outputs_11B.aligned.jsonl",
    "M20": "outputs_zeroshot.aligned.jsonl",
    "M22": "outputs_cnndm.aligned.jsonl",
    "M23": "outputs_c4_cnn_dailymail.aligned.jsonl",
}


@Dataset.register("fabbri2020")
class Fabbri2020(Dataset):
    """SummEval: 16 systems on 100 CNN/DM documents, four aspects by 3 experts and 5 crowd workers."""

    licence = f"Annotations: MIT. {LICENCE}"
    homepage = "https://github.com/Yale-LILY/SummEval"
    size = "not stated; all stories 534 MB"
    needs = (
        "model_annotations.aligned.jsonl, from https://storage.googleapis.com/"
        "sfr-summarization-repo-research/model_annotations.aligned.jsonl",
        f"{NEEDS} (not needed for metrics without documents)",
        "M0.tar.gz ... M23.tar.gz, if all 11,490 outputs of the judged systems are wanted",
    )
    citation = (
        "Fabbri, Kryscinski, McCann, Xiong, Socher, Radev. 2021. SummEval: Re-evaluating "
        "Summarization Evaluation. TACL 9"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """One reference in `*.jsonl`; `crowd.summaries.jsonl` has all eleven; `all.*` if there."""
        stories = Stories(raw)
        judged, crowd = Judgments(), Judgments()

        def add_record(record: Record) -> None:
            topic, system = record.identifier("id"), record.identifier("model_id")
            references = record.strings("references")
            if not references:
                raise record.error("no references")
            # The first is CNN/DM's own (SummEval issue 8).
            named = [
                ("ground-truth" if not at else f"turker-{at}", text)
                for at, text in enumerate(references)
            ]
            path = record.values.get("filepath")
            text = record.string("decoded")
            judged.add_summary(topic, system, text, references=named[:1], filepath=path)
            crowd.add_summary(topic, system, text, references=named, filepath=path)
            for group in ("expert", "turker"):
                ratings = record.inners(f"{group}_annotations")
                values = {name: [rating.number(name) for rating in ratings] for name in ASPECTS}
                judged.add_scores(topic, system, {group: values})
            if topic not in judged.documents:
                document = record.values.get("text")
                if document is None and stories and path:
                    document = stories.article(path)
                if document is not None:
                    judged.add_documents(topic, [{"text": document}])

        file = raw.one("model_annotations.aligned*.jsonl")
        raw.for_each(file.records(), add_record)
        judged.write(out)
        crowd.as_met = out.as_met
        out.write("crowd.summaries.jsonl", crowd.summary_rows())
        out.write("crowd.references.jsonl", crowd.reference_rows())
        with out.opened("all.summaries.jsonl") as put, out.opened("all.documents.jsonl") as tell:
            _write_all(raw, judged, out, put, _documents(stories, out, tell))


_Put = Callable[[Any], None]


def _documents(stories: Stories, out: Output, tell: _Put) -> Callable[[str, Any], None]:
    """Return a function that writes an input's document once, if its story is present."""
    seen: set[str] = set()

    def document(topic: str, path: Any) -> None:
        if topic in seen or not stories or not isinstance(path, str):
            return
        seen.add(topic)
        article = stories.article(path) if path in stories else []
        if article:
            highlights = stories.highlights(path)
            tell(
                {
                    "instance_id": topic,
                    "documents": [{"text": article}],
                    "highlights": highlights,
                }
            )
        else:
            out.leave_out("documents of all outputs whose story is not there")

    return document


def _write_all(
    raw: Raw, judged: Judgments, out: Output, put: _Put, document: Callable[[str, Any], None]
) -> None:
    """Write all outputs of the judged systems on the test set.

    If an input occurs twice, the judged text counts, or else the first.
    """
    for system, name in sorted(JUDGED.items()):
        archive = raw.maybe(f"{system}.tar.gz")
        tree = archive.archive() if archive is not None else raw
        file = tree.maybe(f"{system}/aligned/{name}")
        if file is None:
            continue
        seen: set[str] = set()

        def write_row(record: Record, system: str = system, seen: set[str] = seen) -> None:
            topic = record.identifier("id")
            if topic.endswith(".story"):
                # One row has its path where the others have their id.
                topic = f"dm-test-{topic.rpartition('/')[2].removesuffix('.story')}"
            summary = record.values.get("decoded")
            # One row of M2 has no text where its summary is empty.
            text = summary if isinstance(summary, str) else ""
            reference = {"summarizer_id": "ground-truth", "text": record.string("reference")}
            right = judged.summaries.get(topic, {}).get(system)
            if topic in seen or (right is not None and not _same(text, right.text)):
                out.leave_out("outputs of an input that is there twice")
                return
            seen.add(topic)
            path = record.values.get("filepath")
            document(topic, path)
            put(
                {
                    "instance_id": topic,
                    "summarizer_id": system,
                    "summarizer_type": "peer",
                    **({"filepath": path} if isinstance(path, str) else {}),
                    "summary": {"text": text if right is None else right.text},
                    "references": [reference],
                }
            )

        raw.for_each(file.records(), write_row)
        lost = [
            t for t, summaries in judged.summaries.items() if system in summaries and t not in seen
        ]
        out.leave_out("judged summaries that are not among all outputs", len(lost))


def _same(left: str, right: object) -> bool:
    """Whether two texts are equal, apart from characters damaged by a wrong encoding."""
    return isinstance(right, str) and _ascii(left) == _ascii(right)


def _ascii(text: str) -> str:
    return "".join(c for c in text if c.isascii() and c.isalnum())
