"""The stemmers on 70,513 words of WordNet, as the original programs stem them.

`porter`: Martin Porter's Java program as SIMetrix ships it; `porter2`: the Snowball stemmer inside the
METEOR 1.5 jar; `porter2-nltk`: NLTK 3.10.
"""

from __future__ import annotations

import gzip
from functools import cache
from operator import ne
from pathlib import Path

import pytest

from rubrica.core.python import stem as stem_py
from rubrica.text.stem import STEMMERS, stem_words

GOLDENS = Path(__file__).parent / "metrics" / "stemmers.tsv.gz"


@cache
def columns() -> dict[str, tuple[str, ...]]:
    lines = gzip.decompress(GOLDENS.read_bytes()).decode().splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return dict(
        zip(("word", "porter", "porter2", "porter2-nltk"), zip(*rows, strict=True), strict=True)
    )


@pytest.mark.parametrize("stemmer", ["porter", "porter2", "porter2-nltk"])
def test_every_word_has_the_stem_of_the_original(stemmer: str) -> None:
    words, expected = columns()["word"], columns()[stemmer]
    assert len(words) == 70_513
    stems = stem_words(list(words), stemmer)
    assert [w for w, s, e in zip(words, stems, expected, strict=True) if s != e] == []


@pytest.mark.slow
@pytest.mark.parametrize("stemmer", ["porter", "porter2", "porter2-nltk"])
def test_the_definition_meets_a_sample_of_them(stemmer: str) -> None:
    # It meets them all where it is what runs: with RUBRICA_CORE=python, and without a compiler.
    words, expected = columns()["word"][::5], columns()[stemmer][::5]
    stems = stem_py.stem_words(list(words), stemmer)
    assert [w for w, s, e in zip(words, stems, expected, strict=True) if s != e] == []


# All words of WordNet on which NLTK and Snowball differ, as each stems them.
DIFFERING = """
communization communize communiz
ionization ionize ioniz
irrationality irrate irrat
irrationally irrate irrat
peptization peptize peptiz
poetizer poetize poetiz
quantization quantize quantiz
realization realize realiz
rotationally rotate rotat
sensationalism sensate sensat
sensationally sensate sensat
solmization solmize solmiz
stylization stylize styliz
theorization theorize theoriz
theorizer theorize theoriz
vocationally vocate vocat
"""


@pytest.mark.parametrize("line", DIFFERING.split("\n")[1:-1])
def test_where_the_two_kinds_of_porter2_differ(line: str) -> None:
    word, nltk, snowball = line.split()
    assert stem_words([word], "porter2-nltk") == [nltk]
    assert stem_words([word], "porter2") == [snowball]


def test_the_page_on_stemmers_counts_the_differences_right() -> None:
    words = list(columns()["word"])
    stems = {name: stem_words(words, name) for name in STEMMERS}
    page = (Path(__file__).parents[2] / "docs" / "stemmers.md").read_text("utf-8")
    for name, own in stems.items():
        counts = [sum(map(ne, own, other)) for other in stems.values()]
        assert f"| `{name}` | {' | '.join(map(str, counts))} |" in page
