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
from rubrica.metrics import Bleu, Metric, Rouge
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


OTHER = [script for script in TEXTS if script != "LATIN"]


@pytest.mark.parametrize("script", OTHER)
def test_identical_texts_never_score_zero_unless_a_profile_is_named(script: str) -> None:
    text = TEXTS[script]
    for metric in (Rouge(2, compute_rouge_l=True), Rouge(2, fallback="characters")):
        with pytest.warns(ComparabilityWarning, match="instead"):
            scores = metric.score(text, [text])
        assert {value for key in scores.values() for value in key.values()} == {100.0}
    for limit in ({"max_words": 2}, {"max_bytes": 7}, {"remove_stopwords": True}):
        with pytest.warns(ComparabilityWarning, match="instead"):
            assert Rouge(1, **limit).score(text, [text])["rouge-1"]["f1"] == 100.0


@pytest.mark.filterwarnings("ignore::rubrica.errors.ComparabilityWarning")
def test_the_fallback_gives_the_numbers_of_the_unicode_profile() -> None:
    pairs = [
        (TEXTS["CJK"], "今晚城里没有下雨"),
        (TEXTS["ARABIC"], "أمطار في المدينة"),
        ("ferry", TEXTS["THAI"]),
    ]
    plain, other = Rouge(2, compute_rouge_l=True), Rouge(2, compute_rouge_l=True, profile="unicode")
    for summary, reference in pairs:
        assert plain.score(summary, [reference]) == other.score(summary, [reference])
        # Lines are sentences for both.
        lines = f"{summary}\n{reference}"
        assert plain.score([summary, reference], [lines]) == other.score(lines, [lines])


@pytest.mark.filterwarnings("ignore::rubrica.errors.ComparabilityWarning")
def test_a_text_that_the_profile_reads_keeps_its_numbers_beside_others() -> None:
    english = ("running dogs", ["the dog ran", "dogs run"])
    alone = Rouge(2, compute_rouge_l=True).score(*english)
    assert alone == Rouge(2, compute_rouge_l=True, profile="rouge-1.5.5").score(*english)
    mixed = Rouge(2, compute_rouge_l=True).score_all(
        [TEXTS["CJK"], english[0]], [[TEXTS["CJK"]], english[1]]
    )
    assert mixed[1] == alone
    assert mixed[0]["rouge-2"]["f1"] == 100.0


@pytest.mark.filterwarnings("ignore::rubrica.errors.ComparabilityWarning")
def test_with_several_references_each_pair_is_read_alone_so_that_jackknifing_is_exact() -> None:
    references = [TEXTS["CJK"], "rain fell in the city", "今晚城里没有下雨"]
    metric = Rouge(1)
    ((both,),) = metric.score_with_jackknife([[TEXTS["CJK"]]], [references])
    sets = [references[:k] + references[k + 1 :] for k in range(3)]
    expected = [metric.score(TEXTS["CJK"], one)["rouge-1"]["f1"] for one in sets]
    assert both[1] is not None
    assert both[1]["rouge-1"]["f1"] == pytest.approx(sum(expected) / 3)


def test_signatures_tell_the_fallback_where_it_is_not_the_usual_one() -> None:
    assert "fallback" not in str(Rouge(1).signature())
    assert str(Rouge(1, profile="rouge-1.5.5", fallback="words").signature()) == str(
        Rouge(1).signature()
    )
    for metric in (Rouge(1, profile="rouge-1.5.5"), Rouge(1, fallback="none")):
        assert "|fallback:none|" in str(metric.signature())
    assert "fallback" not in str(Rouge(1, profile="rouge-score").signature())
    google = Rouge(1, profile="rouge-score", fallback="characters")
    assert "|fallback:characters|" in str(google.signature())


@pytest.mark.parametrize("script", OTHER)
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


@pytest.mark.parametrize("script", ["THAI", "CJK", "HIRAGANA", "KHMER"])
def test_bleu_tells_that_its_tokenizer_leaves_such_texts_in_one_piece(script: str) -> None:
    text = TEXTS[script]
    with pytest.warns(ComparabilityWarning, match="1 of 1 references.*tokenize='zh'"):
        assert Bleu().evaluate([text], [[text]])[0]["bleu"] == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Bleu(tokenize="char").evaluate([text], [[text]])[0]["bleu"] == pytest.approx(100)
        for spaced in ("ARABIC", "HANGUL", "LATIN"):
            Bleu().score(TEXTS[spaced], [TEXTS[spaced]])


def letters(text: str) -> list[str]:
    return list(text)


def test_tokenizers() -> None:
    assert tokenizer("words")("Don't e-mail STRASSE ﬁne 3.14!") == [
        "don't", "e", "mail", "strasse", "fine", "3.14"
    ]  # fmt: skip
    assert tokenizer("characters")("Né e\u0301!") == ["n", "é", "é"]
    assert tokenizer("jieba")("我爱北京。") == ["我", "爱", "北京"]
    assert "東京" in tokenizer("fugashi")("東京に行きました。")
    assert tokenizer(f"{__name__}:letters")("ab") == ["a", "b"]
    assert tokenizer(str.split)("a B") == ["a", "B"]
    assert fold("ＡＢＣ Straße") == "abc strasse"


def test_wrong_tokenizers_are_told() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'jieba'"):
        tokenizer("jeiba")
    with pytest.raises(ParameterError, match="cannot be imported"):
        tokenizer("nowhere:cut")
    with pytest.raises(ParameterError, match="must be a Python function"):
        tokenizer("sys:path")
    with pytest.raises(ParameterError, match="must return a list of texts"):
        Rouge(1, profile="unicode", tokenizer=str.upper).score("a", ["b"])
    with pytest.raises(ParameterError, match="has no tokenizer"):
        Rouge(1, tokenizer="words")
    with pytest.raises(ParameterError, match="has no stemmer"):
        Rouge(1, profile="rouge-score", stemmer="german")


def test_a_package_that_is_missing_is_told_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from rubrica.text import tokenize

    packages = (("jieba", "jieba", r"'rubrica\[chinese\]'"), ("regex", "words", "regex"))
    for module, name, package in packages:
        tokenize._find.cache_clear()
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingResourceError, match=f"pip install {package}"):
            tokenizer(name)
    tokenize._find.cache_clear()


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
    config = {"type": "rouge", "profile": "unicode", "tokenizer": f"{__name__}:letters"}
    assert (
        Metric.from_config(config, allow_import=True).score("ab", ["b"])["rouge-1"]["recall"] == 100
    )


def test_the_command_line_takes_them(rubrica: Any, tmp_path: Path) -> None:
    file = tmp_path / "thai.txt"
    file.write_text(TEXTS["THAI"] + "\n", encoding="utf-8")
    words = ["rouge", "--p", file, "--r", file, "--profile", "unicode", "--max_ngram", 1]
    assert rubrica(*words, "--tokenizer", "characters").out == "rouge1:  100.0\nrougeL:  100.0\n"
    answer = rubrica("rouge", "--p", file, "--r", file)
    assert answer.out == "rouge1:  1.0\nrouge2:  1.0\nrougeL:  1.0\n"
    assert "Thai as characters" in answer.err
    exact = rubrica("rouge", "--p", file, "--r", file, "--profile", "rouge-score")
    assert exact.out.startswith("rouge1:  0.0\n")


def test_a_run_says_in_its_signature_that_the_fallback_was_used(
    rubrica: Any, tmp_path: Path
) -> None:
    thai, english = tmp_path / "thai.txt", tmp_path / "english.txt"
    thai.write_text(f"{TEXTS['THAI']}\nrain fell\n", encoding="utf-8")
    english.write_text("rain fell\nrain fell\n", encoding="utf-8")
    told = rubrica("compare", "-r", thai, thai, "-m", "rouge", "--interval-rounds", 0)
    assert "100.00" in told.out
    assert "|refs:1|fallback:words|regex:" in told.out
    assert "instead (fallback='words')" in told.err
    evaluated = rubrica("rouge", "evaluate", "--input-files", thai, "--references", thai)
    assert "|refs:1|fallback:words|regex:" in evaluated.out
    plain = rubrica("compare", "-r", english, english, "-m", "rouge", "--interval-rounds", 0)
    assert "fallback" not in plain.out + plain.err


def test_a_row_says_in_its_signature_that_the_fallback_read_it(
    rubrica: Any, tmp_path: Path
) -> None:
    file = tmp_path / "texts.txt"
    file.write_text(f"rain fell\n{TEXTS['THAI']}\n", encoding="utf-8")
    words = ["--input-files", file, "--references", file, "--silent"]
    for task in (["score", "-"], ["evaluate", "--micro-output-jsonl", "-"]):
        rows = [json.loads(line) for line in rubrica("rouge", *task, *words).out.splitlines()]
        plain, thai = (row["signatures"][0] for row in rows)
        assert "fallback" not in plain
        assert thai.startswith(f"{plain}|fallback:words|regex:")


def test_a_gate_compares_rows_that_the_fallback_read_with_others(
    rubrica: Any, tmp_path: Path
) -> None:
    thai, english = tmp_path / "thai.txt", tmp_path / "english.txt"
    thai.write_text(f"{TEXTS['THAI']}\n" * 9, encoding="utf-8")
    english.write_text("rain fell\n" * 9, encoding="utf-8")
    rows = tmp_path / "baseline.jsonl"
    words = ["--input-files", english, "--references", english, "--micro-output-jsonl", rows]
    rubrica("rouge", "evaluate", *words, "--max_ngram", "1")
    answer = rubrica(
        *("gate", thai, "-r", english, "--baseline", rows),
        *("--measures", "rouge-1.f1", "-m", "rouge,max_ngram=1"),
    )
    assert answer.code == 4, answer.err
    assert "scored in another way" not in answer.err
