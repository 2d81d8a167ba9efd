"""ROUGE-WE and the movers' similarities: what holds by definition."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import MissingResourceError, ParameterError, RubricaError
from rubrica.metrics import S3, SMS, SWMS, WMS, RougeWE
from rubrica.text import emd
from rubrica.text.embeddings import glove
from support.vectors import write_glove

# On a line: distances between the words can be read off.
LINE = {"river": [0.0], "stream": [1.0], "road": [4.0], "car": [6.0]}
# In a plane: cosines of "big" with "large" 0.98, with "small" 0.6.
PLANE = {"big": [1.0, 0.0], "large": [0.98, 0.199], "small": [0.6, 0.8], "dog": [-1.0, 0.1]}


@pytest.fixture
def line(tmp_path: Path) -> str:
    return str(write_glove(tmp_path / "line.txt", LINE))


@pytest.fixture
def plane(tmp_path: Path) -> str:
    return str(write_glove(tmp_path / "plane.txt", PLANE))


def we(metric: RougeWE, summary: str, *references: str) -> dict[str, float]:
    return metric.score(summary, references)["rouge-we-1"]


def test_similar_words_match_and_others_do_not(plane: str) -> None:
    metric = RougeWE(1, plane)
    assert we(metric, "large dog", "big dog")["recall"] == 1.0
    assert we(metric, "small dog", "big dog")["recall"] == 0.5
    assert we(RougeWE(1, plane, threshold=0.5), "small dog", "big dog")["recall"] == 1.0


def test_a_word_without_a_vector_matches_only_itself(plane: str) -> None:
    metric = RougeWE(1, plane, threshold=-1.0)
    assert we(metric, "unseen", "unseen")["f1"] == 1.0
    assert we(metric, "unseen", "unknown")["f1"] == 0.0


def test_a_reference_word_is_used_as_often_as_it_occurs(plane: str) -> None:
    assert we(RougeWE(1, plane), "large large large", "big big dog") == {
        "recall": pytest.approx(2 / 3),
        "precision": pytest.approx(2 / 3),
        "f1": pytest.approx(2 / 3),
    }
    # Both want the one "big"; the first has it.
    assert we(RougeWE(1, plane), "large big", "big")["recall"] == 1.0
    assert we(RougeWE(1, plane), "large big", "big")["precision"] == 0.5


def test_counts_of_references_are_summed_before_dividing(plane: str) -> None:
    scored = we(RougeWE(1, plane), "big dog", "big", "small small small")
    assert scored["recall"] == pytest.approx(1 / 4)
    assert scored["precision"] == pytest.approx(1 / 4)


def test_without_vectors_it_is_rouge(line: str) -> None:
    scored = RougeWE(2, line).score("the cat sat on the mat", ["the cat was on the mat"])
    assert scored["rouge-we-1"]["recall"] == pytest.approx(5 / 6)
    assert scored["rouge-we-2"]["recall"] == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    "wrong",
    [{"max_ngram": 0}, {"threshold": 1.1}, {"alpha": -0.1}],
    ids=lambda one: next(iter(one)),
)
def test_rouge_we_refuses_what_cannot_be(line: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        RougeWE(embeddings=line, **wrong)


def test_word_movers_similarity_by_hand(line: str) -> None:
    # Half of the weight stays at "river", half goes from 4 to 1.
    assert WMS(line).score("river road", ["river stream"])["wms"] == pytest.approx(math.exp(-1.5))
    assert WMS(line).score("River, river!", ["the river"])["wms"] == 1.0


def test_sentence_movers_similarity_by_hand(line: str) -> None:
    # Sentences at 0.5 (two words) and 6 (one); the reference at 4: 2/3 * 3.5 + 1/3 * 2.
    scored = SMS(line).score(["A river, a stream.", "Car."], ["Road road."])
    assert scored["sms"] == pytest.approx(math.exp(-3.0))


def test_both_together_by_hand(line: str) -> None:
    # river (1/4), stream (1/4) and their sentence at 0.5 (1/2), all to 4.
    scored = SWMS(line).score("river stream", ["road"])["s+wms"]
    assert scored == pytest.approx(math.exp(-(4 + 3 + 2 * 3.5) / 4))


def test_words_without_a_vector_are_the_origin_or_left_out(line: str) -> None:
    zero, skip = WMS(line), WMS(line, out_of_vocabulary="skip")
    # "unseen" at 0 is where "river" is.
    assert zero.score("unseen", ["river"])["wms"] == 1.0
    assert skip.score("unseen", ["river"])["wms"] == 0.0
    assert skip.score("unseen car", ["car"])["wms"] == 1.0


def test_stop_words_count_where_no_list_is_given(tmp_path: Path) -> None:
    table = str(write_glove(tmp_path / "the.txt", {"the": [0.0], "road": [2.0]}))
    assert WMS(table).score("the road", ["road"])["wms"] == 1.0
    scored = WMS(table, stop_list=None).score("the road", ["road"])
    assert scored["wms"] == pytest.approx(math.exp(-1.0))
    with pytest.raises(RubricaError, match="no stop list 'nltkk'; did you mean 'nltk'"):
        WMS(table, stop_list="nltkk")


def test_normalized_vectors_have_length_one(plane: str, tmp_path: Path) -> None:
    long = {word: [10 * value for value in row] for word, row in PLANE.items()}
    longer = str(write_glove(tmp_path / "long.txt", long))
    one, ten = WMS(plane, normalize=True), WMS(longer, normalize=True)
    texts = "the big dog", ["a small, large dog"]
    assert one.score(*texts)["wms"] == pytest.approx(ten.score(*texts)["wms"], rel=1e-6)


@pytest.mark.parametrize("cls", [WMS, SMS, SWMS])
def test_the_relaxed_similarity_is_never_below_the_exact_one(cls: Any, line: str) -> None:
    texts = ["River road. Car car stream."], [["Road. Stream stream car river car."]]
    exact, relaxed = cls(line).score_all(*texts)[0], cls(line, relaxed=True).score_all(*texts)[0]
    assert exact[cls.name] <= relaxed[cls.name] <= 1.0


@pytest.mark.parametrize("cls", [WMS, SMS, SWMS])
def test_sides_can_be_exchanged(cls: Any, line: str) -> None:
    one, two = "River road. Car car stream.", "Road. Stream stream car."
    there, back = cls(line).score(one, [two]), cls(line).score(two, [one])
    assert there[cls.name] == pytest.approx(back[cls.name], abs=1e-12)


@pytest.mark.parametrize("cls", [WMS, SMS, SWMS, RougeWE])
def test_signatures_name_the_vectors_even_at_their_default(cls: Any, line: str) -> None:
    assert "|embeddings:glove-6b-50d|" in str(cls().signature())
    assert "|embeddings:line.txt@" in str(cls(embeddings=line).signature())


def test_no_signature_tells_where_a_file_lies(line: str) -> None:
    for metric in (
        WMS(line),
        RougeWE(embeddings=line),
        S3(embeddings_file=line, s3_root="/home/me"),
    ):
        assert "/" not in str(metric.signature())


def test_signatures_name_what_solved_the_transport(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "|emd:POT|" in str(WMS(line).signature())
    assert "|emd:" not in str(WMS(line, relaxed=True).signature())
    monkeypatch.setattr(emd, "_pot", lambda: None)
    assert "|emd:scipy|" in str(WMS(line).signature())


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glove, "_PACKAGE", "no_such_package")
    with pytest.raises(MissingResourceError, match=r"rubrica\[embeddings\].*embeddings=PATH"):
        glove.glove_files()


def test_setup_metric_shows_how_to_get_the_default_vectors(
    rubrica: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rubrica("setup-metric", "wms").out == "wms: ready\n"
    monkeypatch.setattr(WMS, "packages", {"no_such_vectors": "embeddings"})
    answer = rubrica("setup-metric", "wms")
    assert answer.code == 3
    assert "pip install 'rubrica[embeddings]'" in answer.err
