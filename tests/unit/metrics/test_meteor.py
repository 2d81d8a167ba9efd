"""METEOR: its words and synonyms, several references, its table of paraphrases, and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubrica.errors import DataError, ParameterError
from rubrica.metrics.meteor.metric import Meteor
from rubrica.metrics.meteor.paraphrases import build, load_paraphrases
from rubrica.metrics.meteor.words import FUNCTION_WORDS, base_form, synsets
from rubrica.text.wordnet import wordnet


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "data"))


def test_wordnet_has_all_lemmas_and_irregular_forms_of_release_3() -> None:
    known = wordnet()
    assert len(known) == 147_306
    assert known.bases("geese") == ["goose"]
    assert known.bases("axes") == ["ax", "axis"]
    assert known.synsets("car") & known.synsets("automobile")
    assert known.senses("car", "n")[0] in known.senses("motorcar", "n")
    assert known.senses("car", "v") == []
    assert known.synsets("no such lemma") == frozenset()


def test_a_word_has_the_synsets_of_its_base_forms() -> None:
    assert base_form("cars") == "car"
    assert base_form("glass") == "glass"
    assert base_form("qwxes") == ""
    assert set(synsets("bought")) >= wordnet().synsets("buy")
    assert len(FUNCTION_WORDS) == 93


def test_synonyms_match_only_with_their_module() -> None:
    summary, references = "They purchase automobiles", ["They buy cars"]
    exact = Meteor(modules="exact").score(summary, references)["METEOR"]
    assert exact < Meteor().score(summary, references)["METEOR"]


def test_several_references_are_averaged_or_the_best_counts() -> None:
    summary, references = "a cat sat on a mat", ["a cat sat on a mat", "dogs bark at night"]
    pairs = [Meteor().score(summary, [one])["METEOR"] for one in references]
    assert pairs == [1.0, 0.0]
    assert Meteor().score(summary, references)["METEOR"] == 0.5
    assert Meteor(multi_reference="best").score(summary, references)["METEOR"] == 1.0


def test_a_system_is_scored_from_summed_counts() -> None:
    summaries, references = ["a cat sat", "x"], [["a cat sat"], ["something else entirely"]]
    macro, rows = Meteor().evaluate(summaries, references)
    assert [row["METEOR"] for row in rows] == [1.0, 0.0]
    assert 0 < macro["METEOR"] != 0.5


def table(folder: Path, text: str) -> str:
    file = folder / "table.txt"
    file.write_text(text, "utf-8")
    return str(file)


def test_paraphrases_match_whole_phrases(tmp_path: Path) -> None:
    file = table(tmp_path, "0.5\nout of service\nnot running\n")
    summary, references = "the ferry is not running", ["the ferry is out of service"]
    assert Meteor().score(summary, references)["METEOR"] < 0.6
    assert Meteor(paraphrases=file).score(summary, references)["METEOR"] > 0.6
    # The table works in both directions.
    assert Meteor(paraphrases=file).score(references[0], [summary])["METEOR"] > 0.6


def test_the_table_is_made_once_and_named_by_its_content(tmp_path: Path) -> None:
    file = table(tmp_path, "0.5\na b\nc\n0.1\na b\nd e f\n0.2\na\nc\n")
    first = load_paraphrases(file)
    kept = list((tmp_path / "data").rglob("*.bin"))
    assert len(kept) == 1
    assert first.digest in kept[0].name
    assert first.digest in str(Meteor(paraphrases=file).signature())
    assert str(tmp_path) not in str(Meteor(paraphrases=file).signature())
    made, words = build(file)
    assert {word: number for number, word in enumerate(words)} == first.words
    assert made.entry_words.tolist() == first.table.entry_words.tolist()


def test_a_damaged_cache_is_told(tmp_path: Path) -> None:
    file = table(tmp_path, "0.5\nthis is\nanother table\n")
    from rubrica.metrics.meteor import paraphrases

    load_paraphrases(file)
    (kept,) = (tmp_path / "data").rglob("*.bin")
    kept.write_bytes(kept.read_bytes()[:-3])
    paraphrases._load.cache_clear()
    with pytest.raises(DataError, match="delete it"):
        load_paraphrases(file)


def test_a_cache_whose_numbers_point_elsewhere_is_told(tmp_path: Path) -> None:
    file = table(tmp_path, "0.5\none more\ntable\n0.5\nx\ny z\n")
    from rubrica.metrics.meteor import paraphrases

    load_paraphrases(file)
    (kept,) = (tmp_path / "data").rglob("*.bin")
    sound = kept.read_bytes()
    for at in range(1024, len(sound) - 20, 4):
        kept.write_bytes(sound[:at] + b"\xff\xff\xff\x7f" + sound[at + 4 :])
        paraphrases._load.cache_clear()
        try:
            loaded = load_paraphrases(file)
        except DataError:
            continue
        # What is not refused are words: another word is another table, and does no harm.
        assert Meteor(paraphrases=file).score("one more x", ["table y z"])["METEOR"] >= 0
        assert loaded.table.entry_words.max() >= 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("0.5\nonly a phrase\n", "cut off"),
        ("a phrase\nits paraphrase\n0.5\n", r":1: expected a probability"),
        ("0.5\n \nits paraphrase\n", "empty phrase"),
    ],
)
def test_a_file_that_is_no_table_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        load_paraphrases(table(tmp_path, text))


def test_parameters_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="pycocoevalcap"):
        Meteor(paraphrases=str(tmp_path / "none.gz"))
    with pytest.raises(ParameterError, match="leaves one of these out"):
        Meteor(modules="exact", paraphrases=table(tmp_path, "0.5\na\nb\n"))
    with pytest.raises(ParameterError, match="normalize"):
        Meteor(normalize=False, keep_punctuation=False)
