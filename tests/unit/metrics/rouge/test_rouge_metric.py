from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rubrica.data import EvalInstance, Fields
from rubrica.errors import (
    ComparabilityWarning,
    ParameterError,
    UndefinedScoreWarning,
    UnknownNameError,
)
from rubrica.metrics import Metric, PythonRouge, Rouge
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.scoring import evaluate
from rubrica.statistics.intervals import Resampling

SUMMARY = "Dan walked to the bakery this morning."
REFERENCE = "Dan went to buy scones earlier this morning."
TEXTS = [
    "The ferry drifted onto a sandbank.\nNobody was hurt.",
    "A ferry with forty passengers ran aground; rescue crews came within an hour.",
    "Passengers were rescued from a stranded ferry. It had drifted in the fog.",
    "Fog hid the harbour lights, said the captain of the ferry.",
]


def test_the_example_of_sacrerouge_has_the_digits_that_rouge_prints() -> None:
    # SacreROUGE multiplies by 100 and shows 14.285999999999998.
    assert Rouge(max_ngram=2).score(SUMMARY, [REFERENCE]) == {
        "rouge-1": {"recall": 50.0, "precision": 57.143, "f1": 53.333},
        "rouge-2": {"recall": 14.286, "precision": 16.667, "f1": 15.385},
    }


def test_scores_of_five_printed_digits_have_three_after_the_point() -> None:
    metric = Rouge(max_ngram=2, compute_rouge_l=True)
    rows = metric.score_all([SUMMARY, *TEXTS], [[REFERENCE], *[TEXTS[1:]] * len(TEXTS)])
    system = metric.summarize(
        ["f1"], np.array([[row["rouge-2"]["f1"]] for row in rows]), Resampling(200)
    )
    numbers = [number for row in rows for part in row.values() for number in part.values()]
    numbers += [system[0].value, system[0].lower, system[0].upper]
    assert numbers == [round(number, 3) for number in numbers]
    assert any(number != number // 1 for number in numbers)


def test_full_precision_is_not_rounded() -> None:
    scores = Rouge(1, full_precision=True).score(SUMMARY, [REFERENCE])
    assert scores["rouge-1"]["precision"] == 4 / 7 * 100


def test_keys_are_those_of_sacrerouge() -> None:
    metric = Rouge(1, compute_rouge_l=True, wlcs_weight=1.2, skip_bigram_gap_length=4)
    assert list(metric.score(SUMMARY, [REFERENCE])) == [
        "rouge-1",
        "rouge-l",
        "rouge-w-1.2",
        "rouge-su4",
    ]
    any_gap = Rouge(0, skip_bigram_gap_length=-1, skip_unigrams=False)
    assert list(any_gap.score(SUMMARY, [REFERENCE])) == ["rouge-s*"]


def test_columns_and_dicts_hold_the_same_numbers() -> None:
    metric = Rouge(2, compute_rouge_l=True)
    references = [TEXTS[:2], TEXTS[1:], TEXTS[2:], TEXTS[:1]]
    columns = metric.score_columns(TEXTS, references)
    rows = metric.score_all(TEXTS, references)
    assert list(columns) == rows[0].measure_names()
    for name, column in columns.items():
        assert column.tolist() == [row.lookup(name) for row in rows]


@pytest.mark.parametrize("scoring_function", ["average", "max"])
def test_jackknifing_from_counts_equals_scoring_again(scoring_function: Any) -> None:
    metric = Rouge(2, compute_rouge_l=True, wlcs_weight=1.2, scoring_function=scoring_function)
    groups = [TEXTS[:2], TEXTS[2:]], [TEXTS[1:], TEXTS[:1]]
    assert metric.score_with_jackknife(*groups) == Metric.score_with_jackknife(metric, *groups)


def test_a_list_of_sentences_is_its_lines() -> None:
    metric = Rouge(2, compute_rouge_l=True)
    lines = [text.split("\n") for text in TEXTS]
    assert metric.score(lines[0], lines[1:]) == metric.score(TEXTS[0], TEXTS[1:])
    assert metric.score([TEXTS[0]], TEXTS[1:]) == metric.score(TEXTS[0], TEXTS[1:])


def test_the_best_reference_depends_on_the_rule() -> None:
    references = ["a b c d e f", "a"]
    by_recall = Rouge(1, scoring_function="max").score("a b c", references)
    by_f = Rouge(1, profile="rouge-score").score("a b c", references)
    assert by_recall["rouge-1"]["recall"] == 100.0
    assert by_f["rouge-1"]["recall"] == 0.5


def test_empty_texts_score_0() -> None:
    for profile in PROFILES:
        metric = Rouge(2, compute_rouge_l=True, profile=profile)
        for summary, reference in (("", "a b"), ("a b", ""), ("", ""), ([], ["a b"])):
            leaves = [value for _, value in metric.score(summary, [reference]).leaves()]
            assert leaves == [0.0] * 9, profile


def test_rouge_w_of_an_empty_reference_is_0_with_a_warning() -> None:
    with pytest.warns(UndefinedScoreWarning, match="1 of 1 pairs"):
        scores = Rouge(0, wlcs_weight=1.2).score("a b", ["..."])
    assert scores["rouge-w-1.2"] == {"recall": 0.0, "precision": 0.0, "f1": 0.0}


def test_a_script_that_the_profile_drops_is_told_once_with_counts() -> None:
    thai = "สวัสดีครับ ผมชื่อแดน"
    with pytest.warns(ComparabilityWarning, match="2 of 3 texts") as told:
        scores = Rouge(1, profile="rouge-1.5.5").score_all([thai, "a b"], [[thai], [thai]])
    assert len(told) == 1
    assert scores[0]["rouge-1"]["f1"] == 0.0
    with pytest.warns(ComparabilityWarning, match=r"2 of 3 texts.*fallback='words'") as told:
        scores = Rouge(1).score_all([thai, "a b"], [[thai], [thai]])
    assert len(told) == 1
    assert [row["rouge-1"]["f1"] for row in scores] == [100.0, 0.0]
    assert Rouge(1, profile="unicode").score(thai, [thai])["rouge-1"]["f1"] == 100.0
    assert Rouge(1, profile="character").score(thai, [thai])["rouge-1"]["f1"] == 100.0


def test_the_unicode_profile_folds_case_and_compatibility_forms() -> None:
    metric = Rouge(1, profile="unicode")
    assert metric.score("STRASSE ﬁne Å", ["straße fine Å"])["rouge-1"]["f1"] == 100.0
    assert metric.score("don't", ["don t"])["rouge-1"]["f1"] == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_bytes": 10, "max_words": 10}, "cannot both"),
        ({"wlcs_weight": 0.0}, "greater than 0"),
        ({"wlcs_weight": math.inf}, "greater than 0"),
        ({"wlcs_weight": 1000}, "at most 7: 1000"),
        ({"wlcs_weight": 1e-320}, "at least 0.001"),
        ({"alpha": 1.5}, "between 0 and 1"),
        ({"max_ngram": 0}, "no measure"),
        ({"max_ngram": -1}, "between 0 and 1000"),
        ({"profile": "rouge-score", "wlcs_weight": 1.2}, "has no wlcs_weight"),
        ({"profile": "rouge-score", "skip_bigram_gap_length": 0}, "has no skip_bigram_gap_length"),
        ({"compute_rouge_lsum": True}, "use compute_rouge_l"),
        ({"profile": "rouge-score", "scoring_function": "average"}, "only max"),
        ({"profile": "rouge", "use_porter_stemmer": True}, "has no use_porter_stemmer"),
        ({"profile": "unicode", "exceptions": "empty"}, "no table of exceptions"),
        ({"profile": "unicode", "fallback": "words"}, "has no fallback"),
        ({"profile": "py-rouge", "fallback": "words"}, "has no fallback"),
        ({"profile": "rouge-score", "tokenizer": "words", "fallback": "words"}, "no fallback"),
        ({"fallback": "letters"}, "fallback"),
    ],
)
def test_choices_that_nobody_has_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Rouge(**parameters)


def test_an_unknown_profile_is_answered_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'rouge-1\.5\.5'"):
        Rouge(profile="rouge155")


def test_the_signature_always_names_the_profile() -> None:
    assert "profile:rouge-1.5.5" in str(Rouge().signature())
    assert "regex:" in str(Rouge(profile="unicode").signature())
    assert "/data" not in str(Rouge(rouge_root="/data").signature())


def test_official_averages_are_means_of_seeded_resamples() -> None:
    metric = Rouge(1)
    references = [[TEXTS[(i + 1) % 4]] for i in range(4)]
    macro, rows = metric.evaluate(TEXTS, references)
    names = rows[0].measure_names()
    values = np.array([[row.lookup(name) for name in names] for row in rows])
    intervals = metric.summarize(names, values, Resampling())
    assert [one.value for one in intervals] == [macro.lookup(name) for name in names]
    assert all(one.lower <= one.value <= one.upper for one in intervals)  # type: ignore[operator]
    # The plain mean is near, and not the same.
    assert macro["rouge-1"]["f1"] != round(values[:, 2].mean(), 3)
    assert macro["rouge-1"]["f1"] == pytest.approx(values[:, 2].mean(), abs=0.5)


def test_the_empty_table_of_exceptions_changes_irregular_words_only() -> None:
    wordnet, empty = Rouge(1), Rouge(1, exceptions="empty")
    assert wordnet.score("two oxen", ["two ox"])["rouge-1"]["f1"] == 100.0
    assert empty.score("two oxen", ["two ox"])["rouge-1"]["f1"] == 50.0
    assert empty.score("two ferries", ["two ferry"])["rouge-1"]["f1"] == 100.0


def test_split_summaries_cuts_at_sentence_ends() -> None:
    whole, cut = (Rouge(0, compute_rouge_l=True, split_summaries=split) for split in (False, True))
    summary, reference = "B c. A d.", "A d. B c."
    assert whole.score(summary, [reference])["rouge-l"]["f1"] == 50.0
    assert cut.score(summary, [reference])["rouge-l"]["f1"] == 100.0


# The golden sentence of SacreROUGE's tests.
def test_python_rouge_stems_as_sacrerouge_does() -> None:
    text = (
        "Xu Wenli, Wang Youchai, and Qin Yongmin, leading dissidents and prominent members of the "
        "China-Democracy-Party, were found guilty of subversion and sentenced to 13, 11, and 12 "
        "years in prison, respectively."
    )
    stems = (
        "xu wenli wang youchai and qin yongmin lead dissid and promin member of the china democraci "
        "parti be find guilti of subvers and sentenc to 13 11 and 12 year in prison respect"
    )
    splitter = PythonRouge().engine.splitter
    assert splitter is not None
    assert splitter([text]) == [stems.split()]


def test_python_rouge_limits() -> None:
    reference = ["one two three", "four five"]
    limits: list[dict[str, Any]] = [{"max_sentences": 1}, {"max_words": 3}, {"max_bytes": 13}]
    for limit in limits:
        scores = PythonRouge(ngram_orders=[1], **limit).score(["one two three"], [reference])
        assert scores["python-rouge-1"] == {"precision": 100.0, "recall": 100.0, "f1": 100.0}
    with pytest.raises(ParameterError, match="only one"):
        PythonRouge(max_words=3, max_bytes=3)


@pytest.mark.parametrize("profile", ["rouge-1.5.5", "rouge-score", "rouge-metric"])
def test_a_systems_score_is_the_same_from_the_metric_and_from_a_run(profile: str) -> None:
    metric = Rouge(1, profile=profile)
    summaries, references = ["a b c d", "a x y z w q"], [["a b c d e f g h"], ["a x"]]
    macro, _ = metric.evaluate(summaries, references)
    instances = [
        EvalInstance(str(n), "s", "peer", Fields(summary=one, references=two))
        for n, (one, two) in enumerate(zip(summaries, references, strict=True))
    ]
    evaluation, _ = evaluate(instances, [metric])
    assert evaluation.overall.metrics().approx_equal(macro, rel=1e-12)
    if profile == "rouge-metric":
        # Mean recall 0.75 and mean precision 2/3 make this F; the mean of the Fs is 0.583.
        assert macro["rouge-1"]["f1"] == pytest.approx(12 / 17)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"use_porter_stemmer": True}),
        ({"profile": "rouge-score"}, {"profile": "rouge-score", "use_porter_stemmer": False}),
        ({}, {"scoring_function": "average"}),
        ({}, {"max_words": 0}),
        ({"profile": "py-rouge"}, {"profile": "py-rouge", "max_bytes": 665}),
        ({"alpha": 1}, {"alpha": 1.0}),
        ({"wlcs_weight": 2}, {"wlcs_weight": 2.0}),
    ],
)
def test_equal_methods_have_equal_signatures_and_keys(one: Any, other: Any) -> None:
    first, second = Rouge(**one), Rouge(**other)
    assert str(first.signature()) == str(second.signature())
    assert first.keys == second.keys


def test_a_limit_that_changes_scores_is_in_the_signature() -> None:
    plain, no_limit = Rouge(profile="py-rouge"), Rouge(profile="py-rouge", max_words=0)
    long = "word " * 300
    assert plain.score(long, [long + "other " * 300]) != no_limit.score(
        long, [long + "other " * 300]
    )
    assert str(plain.signature()) != str(no_limit.signature())


# Values of py-rouge 1.1.
@pytest.mark.parametrize(
    ("summary", "references", "measure", "expected"),
    [
        ("rain fell", ["rain fell", ""], "rouge-2", [0.0, 0.5, 0.0]),
        (
            "the old ferry sailed",
            ["old ferry sailed", "rain", "snow"],
            "rouge-3",
            [-1.0, 0.16666666666666666, 0.39999999999999997],
        ),
        ("far far", ["far\nfar far"], "rouge-w-1", [0.6666666666666666, 1.0, 0.8]),
    ],
)
def test_py_rouge_divides_by_negative_counts_and_loses_no_run_with_weight_1(
    summary: str, references: list[str], measure: str, expected: list[float]
) -> None:
    scores = Rouge(3, profile="py-rouge", wlcs_weight=1.0).score(summary, references)[measure]
    assert [scores["recall"], scores["precision"], scores["f1"]] == expected


@pytest.mark.parametrize(("profile", "highest"), [("rouge-1.5.5", 100.0), ("rouge-score", 1.0)])
def test_rows_say_the_scale_of_the_profile(profile: str, highest: float) -> None:
    fields = Fields(summary="a cat sat", references=["the cat sat"])
    metric = Rouge(max_ngram=1, profile=profile)
    _, rows = evaluate([EvalInstance("1", "a", "peer", fields)], [metric])
    assert [group.range for group in rows[0].measures] == [(0.0, highest)]
