"""The drop-ins against the packages whose interfaces they have.

rouge-score, pandas and polars run live. Of torchmetrics and Hugging Face's evaluate there are recorded values,
and evaluate's "rouge" is played by what it consists of: rouge-score, and numpy's global generator seeded for the
time of `compute`. In test_ecosystem.py they and the harnesses run themselves.
"""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rubrica.compat import mlflow as compat_mlflow
from rubrica.compat.callables import inspect_scorer, process_results, scorer
from rubrica.compat.evaluate import load
from rubrica.compat.pandas import score as pandas_score
from rubrica.compat.polars import score as polars_score
from rubrica.compat.rouge_score import rouge_scorer, scoring
from rubrica.compat.torchmetrics import ROUGEScore
from rubrica.errors import ComparabilityWarning, RubricaError
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.non_ascii import mostly_dropped
from rubrica.text.sentences import punkt_tokenizer
from support import rouge_check

TYPES = ["rouge1", "rouge2", "rouge4", "rougeL", "rougeLsum"]


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, list[str]]]:
    cases = list(rouge_check.cases().values())
    return [case for case in cases if case[1]][:120]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComparabilityWarning)
        yield


# ---------------------------------------------------------------- rouge-score


@pytest.mark.parametrize("stem", [False, True])
def test_rouge_scorer_gives_rouge_scores_numbers(stem: bool, texts: Any) -> None:
    theirs = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(TYPES, use_stemmer=stem)
    ours = rouge_scorer.RougeScorer(TYPES, use_stemmer=stem, fallback="none")
    usual = rouge_scorer.RougeScorer(TYPES, use_stemmer=stem)
    other_letters = 0
    for summary, references in texts:
        expected = theirs.score(references[0], summary)
        found = ours.score(references[0], summary)
        assert list(found) == TYPES
        assert found == expected
        if mostly_dropped(summary) or mostly_dropped(references[0]):
            other_letters += 1
        else:
            assert usual.score(references[0], summary) == expected
        assert ours.score_multi(references, summary) == theirs.score_multi(references, summary)
    batch = ours.score_all([refs[0] for _, refs in texts], [summary for summary, _ in texts])
    assert batch == [ours.score(refs[0], summary) for summary, refs in texts]
    assert 0 < other_letters < len(texts) / 4


THAI, CHINESE, ARABIC = "ฝนตกหนักเมื่อคืนนี้", "昨晚城里下了大雨", "هطلت أمطار غزيرة في المدينة"


@pytest.mark.parametrize("text", [THAI, CHINESE, ARABIC])
def test_identical_texts_of_any_script_score_1_in_every_drop_in(text: str) -> None:
    for found in (
        rouge_scorer.RougeScorer(TYPES[:2]).score(text, text)["rouge2"].fmeasure,
        load("rouge").compute(predictions=[text], references=[text])["rougeL"],
        float(ROUGEScore()(text, text)["rougeLsum_fmeasure"]),
        scorer("rouge-2.f1")(text, text) / 100,
    ):
        assert found == 1.0
    exact = rouge_scorer.RougeScorer(["rouge1"], fallback="none")
    assert exact.score(text, text)["rouge1"].fmeasure == 0.0


class ByLetters:
    """Cuts a whole text otherwise than its lines."""

    def tokenize(self, text: str) -> list[str]:
        return [text[i : i + 2] for i in range(0, len(text), 2)]


@pytest.mark.parametrize("types", [TYPES, ["rougeLsum"], ["rouge1"], ["rougeL"]])
def test_a_tokenizer_object_is_used_as_rouge_score_uses_it(types: list[str], texts: Any) -> None:
    package = pytest.importorskip("rouge_score.rouge_scorer")
    theirs = package.RougeScorer(types, use_stemmer=True, tokenizer=ByLetters())
    ours = rouge_scorer.RougeScorer(types, use_stemmer=True, tokenizer=ByLetters())
    for summary, references in texts[:80]:
        assert ours.score_multi(references, summary) == theirs.score_multi(references, summary)


def test_the_aggregator_is_rouge_scores_in_the_same_random_state(texts: Any) -> None:
    package = pytest.importorskip("rouge_score.scoring")
    scores = [
        rouge_scorer.RougeScorer(["rouge1", "rougeL"]).score(refs[0], s) for s, refs in texts[:40]
    ]
    theirs = package.BootstrapAggregator(confidence_interval=0.9, n_samples=200)
    ours = scoring.BootstrapAggregator(
        confidence_interval=0.9, n_samples=200, random_state=np.random.RandomState(3)
    )
    for one in scores:
        theirs.add_scores(one)
        ours.add_scores(one)
    state = np.random.get_state()
    np.random.seed(3)
    expected = theirs.aggregate()
    np.random.set_state(state)
    found = ours.aggregate()
    assert found == {key: tuple(value) for key, value in expected.items()}
    assert type(found["rouge1"].mid) is scoring.Score
    again = scoring.BootstrapAggregator()
    for one in scores:
        again.add_scores(one)
    assert again.aggregate() == again.aggregate()


def test_what_rouge_score_refuses_is_refused() -> None:
    for wrong in ("rouge", "rouge0", "rouge10", "rougeX"):
        with pytest.raises(ValueError, match=r"[Ii]nvalid|positive"):
            rouge_scorer.RougeScorer([wrong]).score("a", "b")
    with pytest.raises(ValueError, match="n_samples must be positive"):
        scoring.BootstrapAggregator(n_samples=0)
    with pytest.raises(ValueError, match="confidence_interval"):
        scoring.BootstrapAggregator(confidence_interval=2)


def test_sentences_are_nltks_as_in_rouge_score(monkeypatch: pytest.MonkeyPatch, texts: Any) -> None:
    package = pytest.importorskip("rouge_score.rouge_scorer")
    # NLTK would look for a model that must be downloaded; ours comes from a package.
    monkeypatch.setattr(package.nltk, "sent_tokenize", punkt_tokenizer())
    for tokenizer in (None, ByLetters()):
        more: dict[str, Any] = {"split_summaries": True, "tokenizer": tokenizer}
        theirs = package.RougeScorer(["rougeLsum"], **more)
        ours = rouge_scorer.RougeScorer(["rougeLsum"], **more, fallback="none")
        for summary, references in texts[:60]:
            one, other = " ".join([summary, "Mr. X left. It rained!"]), references[0]
            if tokenizer is None or "\n" not in one + other:
                assert ours.score(other, one) == theirs.score(other, one)


# ---------------------------------------------------------------- evaluate


def as_evaluate(predictions: Any, references: Any, seed: int, stem: bool, tokenizer: Any) -> Any:
    """What evaluate's module "rouge" does, with the packages it does it with."""
    package = pytest.importorskip("rouge_score.rouge_scorer")
    aggregator = pytest.importorskip("rouge_score.scoring").BootstrapAggregator()
    wrapped = None if tokenizer is None else SimpleNamespace(tokenize=tokenizer)
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    theirs = package.RougeScorer(types, use_stemmer=stem, tokenizer=wrapped)
    for summary, target in zip(predictions, references, strict=True):
        several = isinstance(target, list)
        aggregator.add_scores((theirs.score_multi if several else theirs.score)(target, summary))
    state = np.random.get_state()
    np.random.seed(seed)
    found = aggregator.aggregate()
    np.random.set_state(state)
    return {key: one.mid.fmeasure for key, one in found.items()}


@pytest.mark.parametrize("stem", [False, True])
@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_evaluate_with_a_seed_is_equal_to_the_last_bit(
    stem: bool, tokenizer: Any, texts: Any
) -> None:
    predictions = [summary for summary, _ in texts[:30]]
    for references in ([refs for _, refs in texts[:30]], [refs[0] for _, refs in texts[:30]]):
        expected = as_evaluate(predictions, references, 42, stem, tokenizer)
        found = load("rouge", seed=42, fallback="none").compute(
            predictions=predictions, references=references, use_stemmer=stem, tokenizer=tokenizer
        )
        assert found == expected
        assert list(found) == list(expected)


# evaluate 0.4.6 with its module "rouge" of 2026-04-08 and rouge-score 0.1.2, load(..., seed=42).
RECORDED_EVALUATE = {
    "several plain": {
        "rouge1": 0.7788631956569321,
        "rouge2": 0.572656177897686,
        "rougeL": 0.6762217676499753,
        "rougeLsum": 0.698803171439478,
    },
    "several stem": {
        "rouge1": 0.7788631956569321,
        "rouge2": 0.5809411105661207,
        "rougeL": 0.6762217676499753,
        "rougeLsum": 0.6995993509188232,
    },
    "one plain": {
        "rouge1": 0.7030168163445225,
        "rouge2": 0.4887520991311421,
        "rougeL": 0.5925701526692067,
        "rougeLsum": 0.6190442097120423,
    },
    "one stem": {
        "rouge1": 0.7030168163445225,
        "rouge2": 0.5013239854980949,
        "rougeL": 0.5946104984210803,
        "rougeLsum": 0.6210882118385257,
    },
}


@pytest.mark.parametrize("key", RECORDED_EVALUATE)
def test_evaluate_gives_the_recorded_numbers_of_evaluate(key: str) -> None:
    cases = list(rouge_check.cases().values())
    chosen = [case for case in cases if case[1]][:25]
    chosen += [case for case in cases if len(case[1]) > 1][:25]
    several, stem = key.startswith("several"), key.endswith("stem")
    found = load("rouge", seed=42, fallback="none").compute(
        predictions=[summary for summary, _ in chosen],
        references=[refs if several else refs[0] for _, refs in chosen],
        use_stemmer=stem,
    )
    assert found == RECORDED_EVALUATE[key]


def test_evaluate_without_an_aggregator_gives_lists_and_takes_batches() -> None:
    module = load("rouge", "default", cache_dir="unused")
    module.add(prediction="hello there", reference="hello there")
    module.add_batch(predictions=["general kenobi"], references=["general grievous"])
    found = module.compute(use_aggregator=False, rouge_types=["rouge1"])
    assert found == {"rouge1": [1.0, 0.5]}
    same = load("rouge").compute(predictions=["hello there"] * 2, references=["hello there"] * 2)
    assert same == {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0, "rougeLsum": 1.0}


def test_evaluate_tells_mistakes() -> None:
    wrong: dict[str, Any]
    for wrong in (
        {"predictions": ["a"], "references": ["a", "b"]},
        {"predictions": "a", "references": "b"},
        {"predictions": ["a"]},
        {"predictions": [], "references": []},
        {},
    ):
        with pytest.raises(RubricaError):
            load("rouge").compute(**wrong)
    with pytest.raises(RubricaError, match="no module here 'bleu'"):
        load("bleu")


# ---------------------------------------------------------------- torchmetrics


@pytest.mark.parametrize("accumulate", ["best", "avg"])
@pytest.mark.parametrize("stem", [True, False])
def test_rouge_score_of_torchmetrics(accumulate: Any, stem: bool) -> None:
    cases = rouge_check.cases()
    # The recording cut at line breaks, for the model of sentences was not there.
    metric = ROUGEScore(
        use_stemmer=stem, accumulate=accumulate, fallback="none", split_summaries=False
    )
    checked = 0
    for row in rouge_check.read(rouge_check.HERE / "recorded_torchmetrics.jsonl.gz")[1:]:
        summary, references = cases[row["case"]]
        found = metric(summary, references)
        for key, expected in row[f"{accumulate} {'stem' if stem else 'plain'}"].items():
            for part, value in zip(("recall", "precision", "fmeasure"), expected, strict=True):
                assert float(found[f"{key}_{part}"]) == np.float32(value)
                checked += 1
    assert checked > 1500


def test_torchmetrics_style_accumulates_and_resets() -> None:
    metric = ROUGEScore(rouge_keys="rouge1")
    first = metric.forward(["a b", "a"], ["a b", ["a", "c"]])
    assert float(first["rouge1_fmeasure"]) == 1.0
    metric.update("x", "y")
    assert float(metric.compute()["rouge1_recall"]) == pytest.approx(2 / 3)
    metric.reset()
    with pytest.raises(RubricaError, match="before update"):
        metric.compute()
    own = ROUGEScore(tokenizer=list, normalizer=str.upper, rouge_keys=("rouge1", "rougeLsum"))
    assert float(own("ab", "AB")["rouge1_fmeasure"]) == 1.0
    mistakes: list[dict[str, Any]] = [{"rouge_keys": "rouge10"}, {"accumulate": "worst"}]
    for wrong in mistakes:
        with pytest.raises(RubricaError):
            ROUGEScore(**wrong)
    with pytest.raises(RubricaError, match="2 predictions and 1 targets"):
        metric.update(["a", "b"], ["a"])


# ---------------------------------------------------------------- frames


def test_pandas_and_polars_give_the_metrics_scores() -> None:
    rows: dict[str, list[Any]] = {
        "summary": ["the ferry left", None, "rain"],
        "reference": ["the ferry", "rain", "rain"],
    }
    summaries = ["the ferry left", "", "rain"]
    metric = Rouge(2, compute_rouge_l=True)
    expected = metric.score_all(summaries, [[one] for one in rows["reference"]])
    frame = pd.DataFrame(rows, index=["a", "b", "c"])
    found = pandas_score(frame, "summary", "reference", metric, ["rouge-2.f1", "rouge-l.recall"])
    assert list(found.index) == ["a", "b", "c"]
    for name in found.columns:
        assert found[name].tolist() == [row.lookup(name) for row in expected]
    every = frame.rubrica.score("summary", ["reference", "reference"], metric="chrf")
    assert every["chrf"].iloc[2] == 100.0
    lazy = (
        pl.DataFrame(rows)
        .lazy()
        .with_columns(polars_score("summary", pl.col("reference"), "rouge-2.f1"))
    )
    values = lazy.collect()["rouge-2.f1"].to_list()
    assert values == [row["rouge-2"]["f1"] for row in expected]
    several = pl.DataFrame({"s": ["rain"], "r": [["snow", "rain"]]})
    best = several.select(polars_score("s", "r", "chrf"))
    assert best["chrf"].to_list() == [100.0]
    with pytest.raises(RubricaError, match="no column 'text'"):
        pandas_score(frame, "text")
    with pytest.raises(RubricaError, match="no measure 'rouge-9"):
        pandas_score(frame, "summary", "reference", metric, ["rouge-9.f1"])


# ---------------------------------------------------------------- harnesses


def test_a_plain_callable_takes_what_harnesses_pass() -> None:
    rouge_l = scorer(
        "rouge-l.f1", {"type": "rouge", "profile": "rouge-score", "compute_rouge_l": True}
    )
    assert rouge_l("a b", "a b") == 1.0
    assert rouge_l("a", ["x", "a"]) == 1.0
    # lm-evaluation-harness passes lists by name, with arguments of its own.
    assert rouge_l(predictions=["a", "b"], references=["a", "x"], num_fewshot=2) == 0.5
    process = process_results(["rouge-1.f1", "chrf"], "highlights")
    assert process({"highlights": "rain fell"}, ["rain fell"]) == {
        "rouge-1.f1": 100.0,
        "chrf": 100.0,
    }
    assert process_results(["chrf"], lambda doc: doc["a"]["b"])({"a": {"b": "x"}}, ["x"]) == {
        "chrf": 100.0
    }


def test_missing_packages_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("inspect_ai", "inspect_ai.scorer", "mlflow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RubricaError, match="pip install inspect-ai"):
        inspect_scorer("chrf")
    with pytest.raises(RubricaError, match="pip install mlflow"):
        compat_mlflow.metric("chrf")
