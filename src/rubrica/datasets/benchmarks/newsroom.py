"""Newsroom's human evaluation (Grusky et al. 2018): seven systems on sixty articles."""

from __future__ import annotations

import html
import re

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments
from rubrica.datasets.output import Output
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.tree import Raw

ASPECTS = ("Coherence", "Fluency", "Informativeness", "Relevance")
_BREAK = re.compile(r"</?(?:p|br|div)\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@Dataset.register("newsroom")
class Newsroom(Dataset):
    """Newsroom: 60 articles x 7 systems x 3 raters, four aspects from 1 to 5."""

    licence = "Newsroom's terms: for research; https://lil.nlp.cornell.edu/newsroom/"
    homepage = "https://github.com/lil-lab/newsroom/tree/master/humaneval"
    size = "not stated"
    needs = (
        "newsroom-human-eval.csv, from a clone of https://github.com/lil-lab/newsroom (humaneval/)",
    )
    citation = (
        "Grusky, Naaman, Artzi. 2018. Newsroom: A Dataset of 1.3 Million Summaries with Diverse "
        "Extractive Strategies. NAACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `documents`, `summaries`, `metrics` (a list of three ratings each)."""
        judgments = Judgments()

        def add_record(record: Record) -> None:
            topic, system = record.identifier("ArticleID"), record.identifier("System")
            if topic not in judgments.documents:
                document = {"text": _paragraphs(record.string("ArticleText"))}
                judgments.add_documents(
                    topic, [document], title=_plain(record.string("ArticleTitle"))
                )
            judgments.add_summary(
                topic, system, " ".join(_paragraphs(record.string("SystemSummary")))
            )
            for aspect in ASPECTS:
                rating = record.number(f"{aspect}Rating")
                judgments.append_score(topic, system, aspect.lower(), rating)

        raw.for_each(raw.one("newsroom-human-eval.csv").records(), add_record)
        judgments.write(out)


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text in HTML, as shown to the raters."""
    pieces = (_plain(piece) for piece in _BREAK.split(text))
    return [piece for piece in pieces if piece]


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())
