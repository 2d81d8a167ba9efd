"""Texts in every script: identical ones never score 0, tokenizers by name, stemmers, and hints."""

from __future__ import annotations

import json
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from rubrica.errors import (
    ComparabilityWarning,
    MissingResourceError,
    ParameterError,
    UnknownNameError,
)
from rubrica.metrics import Metric, Rouge
from rubrica.text.scripts import hint, main_script
from rubrica.text.stem import stem_function
from rubrica.text.tokenize import fold, tokenizer

TEXTS = {
    "THAI": "ฝนตกหนักในเมืองเมื่อคืนนี้",
    "CJK": "昨晚城里下了大雨",
    "HIRAGANA": "昨夜、町で大雨が降りました。",
    "ARABIC": "هطلت أمطار غزيرة في المدينة الليلة الماضية",
    "DEVANAGARI": "कल रात शहर में भारी बारिश हुई",
    "CYRILLIC": "Прошлой ночью в городе шёл сильный дождь",
    "HANGUL": "어젯밤 도시에 폭우가 내렸다",
    "GREEK": "Χθες το βράδυ έβρεξε πολύ στην πόλη",
    "KHMER": "យប់មិញមានភ្លៀងធ្លាក់ខ្លាំងនៅក្នុងទីក្រុង",
    "LATIN": "Anoche llovió mucho en la ciudad",
}


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize("choice", [{}, {"tokenizer": "characters"}, {"tokenizer": "jieba"}])
def test_identical_texts_never_score_zero(script: str, choice: dict[str, Any]) -> None:
    metric = Rouge(2, compute_rouge_l=True, profile="unicode", **choice)
    scores = metric.score(TEXTS[script], [TEXTS[script]])
    assert {value for key in scores.values() for value in key.values()} == {100.0}


@pytest.mark.parametrize("script", [script for script in TEXTS if script != "LATIN"])
def test_a_profile_that_drops_the_text_warns_and_says_what_reads_it(script: str) -> None:
    assert main_script([TEXTS[script]]) == script
    for profile in ("rouge-1.5.5", "rouge-score"):
        with pytest.warns(ComparabilityWarning, match="profile='unicode' reads every script"):
            scores = Rouge(1, profile=profile).score(TEXTS[script], [TEXTS[script]])
        assert scores["rouge-1"]["f1"] == 0.0


def test_no_warning_where_a_tokenizer_reads_the_text_or_most_letters_are_kept() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = Rouge(1, profile="rouge-score", tokenizer="words")
        assert own.score(TEXTS["THAI"], [TEXTS["THAI"]])["rouge-1"]["f1"] == 1.0
        Rouge(1).score(TEXTS["LATIN"], [TEXTS["LATIN"]])


def test_hints_name_what_knows_the_words_of_a_language() -> None:
    assert "tokenizer='jieba'" in hint([TEXTS["CJK"]])
    assert "tokenizer='fugashi'" in hint([TEXTS["HIRAGANA"]])
    assert "Thai as characters" in hint([TEXTS["THAI"]])
    assert "Arabic as words" in hint([TEXTS["ARABIC"]])
    assert main_script(["12 + 34", ""]) == ""
    assert hint([]) == "profile='unicode' reads every script"


def test_tokenizers() -> None:
    assert tokenizer("words")("Don't e-mail STRASSE ﬁne 3.14!") == [
        "don't", "e", "mail", "strasse", "fine", "3.14"
    ]  # fmt: skip
    assert tokenizer("characters")("Né e\u0301!") == ["n", "é", "é"]
    assert tokenizer("jieba")("我爱北京。") == ["我", "爱", "北京"]
    assert "東京" in tokenizer("fugashi")("東京に行きました。")
    assert tokenizer("textwrap:wrap")("a b") == ["a b"]
    assert tokenizer(str.split)("a B") == ["a", "B"]
    assert fold("ＡＢＣ Straße") == "abc strasse"


def test_wrong_tokenizers_are_told() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'jieba'"):
        tokenizer("jeiba")
    with pytest.raises(ParameterError, match="cannot be imported"):
        tokenizer("nowhere:cut")
    with pytest.raises(ParameterError, match="is not a function"):
        tokenizer("sys:path")
    with pytest.raises(ParameterError, match="must give a list of texts"):
        Rouge(1, profile="unicode", tokenizer=str.upper).score("a", ["b"])
    with pytest.raises(ParameterError, match="has no tokenizer"):
        Rouge(1, tokenizer="words")
    with pytest.raises(ParameterError, match="has no stemmer"):
        Rouge(1, profile="rouge-score", stemmer="german")


def test_a_package_that_is_missing_is_told_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.text import tokenize

    for module, name, extra in (("jieba", "jieba", "chinese"), ("regex", "words", "unicode")):
        tokenize._named.cache_clear()
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingResourceError, match=rf"rubrica\[{extra}\]"):
            tokenizer(name)
    tokenize._named.cache_clear()


def test_snowball_stemmers() -> None:
    assert stem_function("german")("häuser") == stem_function("german")("hauses")
    with pytest.raises(UnknownNameError, match="did you mean 'german'"):
        Rouge(1, profile="unicode", stemmer="germn")
    plain = Rouge(1, profile="unicode")
    stemmed = Rouge(1, profile="unicode", stemmer="russian")
    texts = ("в городах", ["в городе"])
    assert stemmed.score(*texts)["rouge-1"]["f1"] == 100.0 > plain.score(*texts)["rouge-1"]["f1"]


def test_signatures_name_tokenizer_stemmer_and_versions() -> None:
    shown = str(Rouge(1, profile="unicode", tokenizer="jieba", stemmer="german").signature())
    assert "|tokenizer:jieba|stemmer:german|jieba:" in shown
    assert "|PyStemmer:" in shown
    assert "|tokenizer:builtins" not in shown
    own = str(Rouge(1, profile="unicode", tokenizer=json.dumps).signature())
    assert "|tokenizer:json.dumps" in own


def test_a_metric_with_a_tokenizer_goes_to_other_processes_and_configurations() -> None:
    metric = Rouge(1, profile="unicode", tokenizer=json.loads)
    again = pickle.loads(pickle.dumps(metric))
    assert again.score('["a"]', ['["a"]'])["rouge-1"]["f1"] == 100.0
    named = Metric.from_config({"type": "rouge", "profile": "unicode", "tokenizer": "json:loads"})
    assert named.score('["a"]', ['["b"]'])["rouge-1"]["f1"] == 0.0


def test_the_command_line_takes_them(rubrica: Any, tmp_path: Path) -> None:
    file = tmp_path / "thai.txt"
    file.write_text(TEXTS["THAI"] + "\n", encoding="utf-8")
    words = ["rouge", "--p", file, "--r", file, "--profile", "unicode", "--max_ngram", 1]
    assert rubrica(*words, "--tokenizer", "characters").out == "rouge1:  100.0\nrougeL:  100.0\n"
    answer = rubrica("rouge", "--p", file, "--r", file)
    assert "Thai as characters" in answer.err
