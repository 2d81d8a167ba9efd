"""SIMetrix: its words, its undefined cases, and the features that need a background."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import DataError, ParameterError
from rubrica.metrics import Metric, SIMetrix
from rubrica.metrics.simetrix.metric import _tokens


@pytest.fixture
def background(tmp_path: Path) -> dict[str, str]:
    """1,000 documents and 10,000 words in which floods are rare."""
    idf, counts = tmp_path / "idf.txt", tmp_path / "counts.txt"
    idf.write_text("1000\nflood 4.5\ntown 2.25\nriver 3.0\n")
    counts.write_text("floods 1\nflood 2\ntown 300\nriver 40\nother 9657\n")
    return {"background_idf": str(idf), "background_counts": str(counts)}


DOCUMENT = "Flood in town.\nThe flood took the river town.\nFlooding floods."
SUMMARY = "Floods took the bridge."


def test_words_are_ascii_and_a_line_of_marks_is_one_empty_word() -> None:
    assert _tokens("A-B café\r\n---\r \x0b\n\nc3") == ["a", "b", "caf", "", "c3"]
    assert _tokens([]) == _tokens("") == []


def test_topic_words_and_cosines_come_from_the_background(background: dict[str, Any]) -> None:
    scores = SIMetrix(**background, full_precision=True).score(SUMMARY, [DOCUMENT])
    # Documents: flood 4, town 2, river 1 ("took" is a stop word); summary: flood 1, bridg 1.
    idf = {"flood": 4.5, "town": 2.25, "river": 3.0, "bridg": math.log(1000)}
    assert scores["percentTopicTokens"] == 1 / 2
    source, own = Counter(flood=4, town=2, river=1), Counter(flood=1, bridg=1)

    def cosine(a: Counter[str], b: Counter[str]) -> float:
        dot = sum(a[w] * b[w] * idf[w] ** 2 for w in idf)
        return dot / math.sqrt(
            sum((a[w] * idf[w]) ** 2 for w in idf) * sum((b[w] * idf[w]) ** 2 for w in idf)
        )

    assert scores["cosineAllWords"] == pytest.approx(cosine(source, own))
    # -2 log10 of the likelihood ratio: of the three words only flood passes 10.
    ratios = {
        word: _ratio(count, 7, {"flood": 3, "town": 300, "river": 40}[word], 10_000)
        for word, count in source.items()
    }
    assert [word for word, ratio in ratios.items() if ratio > 10] == ["flood"]
    assert scores["fractionTopicWords"] == 1.0
    assert scores["topicWordOverlap"] == pytest.approx(cosine(Counter(flood=4), own))


def _ratio(a: int, n: int, b: int, m: int) -> float:
    def log(k: int, of: int, p: float) -> float:
        return k * math.log10(p) + (of - k) * math.log10(1 - p)

    return 2 * (log(a, n, a / n) + log(b, m, b / m) - log(a + b, n + m, (a + b) / (n + m)))


def test_cosines_need_only_one_of_the_files(background: dict[str, Any]) -> None:
    scores = SIMetrix(background_idf=background["background_idf"]).score(SUMMARY, [DOCUMENT])
    assert list(scores)[4:] == ["cosineAllWords", "unigramProb", "multinomialProb"]
    with pytest.raises(ParameterError, match="background_idf"):
        SIMetrix(background_counts=background["background_counts"])


def test_empty_summaries_and_documents() -> None:
    assert SIMetrix().score("", [DOCUMENT])["unsmoothedJSD"] == 0.34657
    assert SIMetrix().score("", [DOCUMENT])["unigramProb"] == 0
    assert set(SIMetrix().score(SUMMARY, ["", " \n"]).values()) == {None}


def test_several_documents_are_pooled() -> None:
    together = SIMetrix().score(SUMMARY, [DOCUMENT])
    assert SIMetrix().score(SUMMARY, DOCUMENT.splitlines()) == together
    assert SIMetrix().score(SUMMARY, [DOCUMENT.splitlines()]) == together


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("background_idf", "flood 4.5\n", "number of documents"),
        ("background_idf", "10\nflood\n", "idf.txt:2: expected 'word idf'"),
        ("background_idf", "10\nflood nan\n", "idf.txt:2: expected 'word idf'"),
        ("background_counts", "flood 4.5\n", "counts.txt:1: expected 'word count'"),
        ("background_counts", "", "no background counts"),
    ],
)
def test_files_that_are_no_background_are_told(
    background: dict[str, Any], name: str, text: str, told: str
) -> None:
    Path(background[name]).write_text(text)
    with pytest.raises(DataError, match=told):
        SIMetrix(**background)


def test_a_missing_file_is_told_when_the_metric_is_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be opened"):
        SIMetrix(background_idf=str(tmp_path / "none.txt"))
    with pytest.raises(ParameterError, match=r"bgIdfValues\.stemmed\.txt"):
        SIMetrix(simetrix_root=str(tmp_path))


def test_a_checkout_of_simetrix_serves_both_files(
    background: dict[str, Any], tmp_path: Path
) -> None:
    data = tmp_path / "root" / "src" / "main" / "resources" / "data"
    data.mkdir(parents=True)
    Path(background["background_idf"]).rename(data / "bgIdfValues.stemmed.txt")
    Path(background["background_counts"]).rename(data / "bgFreqCounts.unstemmed.txt")
    metric = SIMetrix(simetrix_root=str(tmp_path / "root"))
    assert len(metric.score(SUMMARY, [DOCUMENT])) == 10
    shown = str(metric.signature())
    assert "bgIdfValues.stemmed.txt@" in shown
    assert str(tmp_path) not in shown
    assert Metric.from_config(metric.to_config()).signature() == metric.signature()
