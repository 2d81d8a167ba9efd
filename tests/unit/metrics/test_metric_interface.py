"""The Metric interface: what an author writes, and what follows from it."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from typing import Any

import pytest

import rubrica
from rubrica.data import EvalInstance, Fields, MetricsDict, ReferencesJackknifer
from rubrica.errors import (
    DefinitionError,
    MetricFailedError,
    MismatchError,
    ParameterError,
    UnknownNameError,
    UsageError,
)
from rubrica.metrics import (
    CorpusMetric,
    DocumentBasedMetric,
    Metric,
    PairwiseMetric,
    ReferenceBasedMetric,
    SummaryOnlyMetric,
)
from rubrica.parameters import build
from rubrica.scoring import evaluate, score


@Metric.register("test-word-recall", replace=True)
class WordRecall(ReferenceBasedMetric):
    """Share of reference words the summary repeats."""

    def __init__(self, min_length: int = 1) -> None:
        super().__init__()
        self.min_length = min_length

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        wanted = {w for text in references for w in text.split() if len(w) >= self.min_length}
        return {"word-recall": len(wanted & set(summary.split())) / max(1, len(wanted))}


@Metric.register("test-my-metric", replace=True)
class MyMetric(ReferenceBasedMetric):
    """The example of SacreROUGE's README, with the `self` and the colon it lacks."""

    def __init__(self) -> None:
        super().__init__(["summary"], ["references"], jackknifer=ReferencesJackknifer())

    def score_multi_all(
        self, summaries_list: list[list[str]], references_list: list[list[str]]
    ) -> list[list[MetricsDict]]:
        output_metrics: list[list[MetricsDict]] = []
        for summaries, references in zip(summaries_list, references_list, strict=True):
            output_metrics.append([])
            for summary in summaries:
                value = float(sum(float(summary) * float(one) for one in references))
                output_metrics[-1].append(MetricsDict({"my-metric": value}))
        return output_metrics


class CountingPairs(PairwiseMetric):
    """Counts how many pairs it was asked for."""

    pairs = 0

    def score_pairs(self, summaries: Sequence[Any], references: Sequence[Any]) -> list[Any]:
        self.pairs += len(summaries)
        return [{"sum": float(s) + float(r)} for s, r in zip(summaries, references, strict=True)]


class Unshared(ReferenceBasedMetric):
    """The mean over pairs without reuse: the judge of `PairwiseMetric`."""

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        return {"sum": sum(float(summary) + float(r) for r in references) / len(references)}


def test_one_written_method_gives_all_five() -> None:
    metric = WordRecall()
    refs = [["a b"], ["b c", "d"]]
    assert metric.score("a", refs[0]) == {"word-recall": 0.5}
    assert metric.score_all(["a", "b"], refs) == [{"word-recall": 0.5}, {"word-recall": 1 / 3}]
    assert metric.score_multi(["a", "a b"], refs[0]) == [{"word-recall": 0.5}, {"word-recall": 1}]
    assert metric.score_multi_all([["a", "b"], ["d"]], refs) == [
        [{"word-recall": 0.5}, {"word-recall": 0.5}],
        [{"word-recall": 1 / 3}],
    ]
    macro, micro = metric.evaluate(["a", "b"], refs)
    assert micro == metric.score_all(["a", "b"], refs)
    assert macro == {"word-recall": pytest.approx((0.5 + 1 / 3) / 2)}


def test_sacrerouges_example_class_works_as_printed() -> None:
    metric = MyMetric()
    assert metric.score("2", ["10", "100"]) == {"my-metric": 220.0}
    assert metric.required_summary_fields == ("summary",)
    assert metric.requires_jackknifing
    assert Metric.by_name("test-my-metric") is MyMetric


def test_a_class_that_defines_no_scoring_is_refused_when_it_is_made() -> None:
    for base in (ReferenceBasedMetric, DocumentBasedMetric, SummaryOnlyMetric, Metric):
        with pytest.raises(DefinitionError, match="must define score_one or score_multi_all"):
            type("Empty", (base,), {})
    with pytest.raises(DefinitionError, match="must define score_pairs"):
        type("Empty", (PairwiseMetric,), {})
    with pytest.raises(DefinitionError, match="must define statistics"):
        type("Empty", (CorpusMetric,), {})


def test_a_string_for_references_is_refused_with_the_remedy() -> None:
    with pytest.raises(ParameterError, match=r"write \[reference\]"):
        WordRecall().score("a", "a reference")
    with pytest.raises(ParameterError, match="without references"):
        WordRecall().score("a", [])


def nested(levels: int) -> dict[str, Any]:
    """Return a score in this many dicts, one in another."""
    value: Any = 1.0
    for _ in range(levels):
        value = {"a": value}
    scores: dict[str, Any] = value
    return scores


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({1: 2.0}, "a score named 1, which is no text"),
        ({"\ud800": 2.0}, r"a score named '\\ud800', which is no text"),
        ({"x": 10**400}, "the score 'x' is 10+, not a number"),
        ({"x": [1.0]}, r"the score 'x' is \[1.0\], not a number"),
        (nested(33), "scores nested more than 32 levels deep"),
    ],
)
def test_scores_that_no_file_could_hold_are_refused(scores: Any, message: str) -> None:
    class Odd(SummaryOnlyMetric):
        """Returns what it should not."""

        def score_one(self, summary: str) -> dict[str, float]:
            result: dict[str, float] = scores
            return result

    with pytest.raises(MetricFailedError, match=message):
        Odd().score("a text")


def test_a_metric_that_ends_the_program_is_an_error_with_its_summary() -> None:
    class Quits(SummaryOnlyMetric):
        """Ends on one text."""

        def score_one(self, summary: str) -> dict[str, float]:
            if summary == "b":
                sys.exit(0)
            return {"x": 1.0}

    instances = [EvalInstance(text, "s", "peer", Fields(summary=text)) for text in "abc"]
    with pytest.raises(MetricFailedError, match=r"failed on .*instance 'b'.*SystemExit"):
        evaluate(instances, [Quits()])


def test_a_constructor_that_ends_the_program_is_an_error() -> None:
    class Quits(WordRecall):
        """Ends at once."""

        def __init__(self) -> None:
            sys.exit("bye")

    with pytest.raises(DefinitionError, match="metric 'quits' ends the program when it is made"):
        build(Quits, {}, what="metric 'quits'")


def test_lists_of_unequal_length_are_refused_with_their_lengths() -> None:
    with pytest.raises(MismatchError, match=r"2 summary, 1 references"):
        WordRecall().score_all(["a", "b"], [["c"]])


def test_keyword_arguments_have_the_names_of_sacrerouge() -> None:
    assert WordRecall().score(summary="a", references=["a"]) == {"word-recall": 1.0}
    assert WordRecall().score_all(summaries=["a"], references_list=[["a"]])[0]["word-recall"] == 1


def test_a_jackknifer_lists_the_fields_without_each_reference() -> None:
    listed = ReferencesJackknifer().get_jackknifing_fields_list
    made = listed(Fields(summary="s", references=["a", "b", "c"]))
    assert made == [
        Fields(summary="s", references=left) for left in (["b", "c"], ["a", "c"], ["a", "b"])
    ]
    assert listed(Fields(summary="s", references=["a"])) is None


def test_pair_scores_are_shared_between_plain_and_jackknifed_values() -> None:
    fields = Fields(summary="1", references=["10", "20", "60"])
    instances = [EvalInstance("d", "s", "peer", fields)]
    shared, unshared = CountingPairs(), Unshared()
    row = score(instances, [shared], workers=1)[0]
    assert row.metrics == score(instances, [unshared], workers=1)[0].metrics
    assert row.metrics == {"sum": 31.0, "sum_jk": 31.0}
    assert shared.pairs == 3


def test_parameters_given_in_any_way_are_in_the_signature_and_the_config() -> None:
    for metric in (WordRecall(3), WordRecall(min_length=3)):
        assert metric.parameters() == {"min_length": 3}
        assert str(metric.signature()).startswith("test-word-recall|min_length:3|core:")
        assert metric.to_config() == {"type": "test-word-recall", "min_length": 3}
    assert WordRecall(1).to_config() == {"type": "test-word-recall"}
    assert WordRecall(True).to_config() == {"type": "test-word-recall", "min_length": True}


def test_a_config_makes_an_equal_metric_and_wrong_ones_are_told() -> None:
    config = {"type": "test-word-recall", "min_length": 3, "as": "mine"}
    metric = Metric.from_config(config)
    assert isinstance(metric, WordRecall)
    assert metric.to_config() == config
    with pytest.raises(UnknownNameError, match="did you mean 'min_length'"):
        Metric.from_config({"type": "test-word-recall", "min_lenght": 3})
    with pytest.raises(ParameterError, match=r"takes a whole number, not 1\.5"):
        Metric.from_config({"type": "test-word-recall", "min_length": 1.5})
    with pytest.raises(UnknownNameError, match="did you mean 'test-word-recall'"):
        Metric.from_config("test-word-recal")


def test_a_metric_is_known_by_its_address() -> None:
    address = f"{__name__}:WordRecall"
    assert isinstance(Metric.from_config(address, allow_import=True), WordRecall)


def test_a_name_is_not_taken_twice() -> None:
    with pytest.raises(DefinitionError, match="already registered"):
        Metric.register("bleu")(WordRecall)
    with pytest.raises(DefinitionError, match="no blanks"):
        Metric.register("two words")(WordRecall)


def test_metrics_pickle_with_their_parameters() -> None:
    metric = pickle.loads(pickle.dumps(WordRecall(4)))
    assert metric.signature() == WordRecall(4).signature()


def test_directions_and_ranges_may_differ_by_measure() -> None:
    class Mixed(SummaryOnlyMetric):
        """Length and novelty."""

        direction = {"length": "none", "*": "higher"}
        value_range = {"length": (0, 100), "novelty": (0, 1), "length.ratio": (0, 2)}

        def score_one(self, summary: str) -> dict[str, float]:
            return {"length": len(summary), "novelty": 1.0}

    assert Mixed.direction_of("length.words") == "none"
    assert Mixed.direction_of("length_jk.words") == "none"
    assert Mixed.direction_of("novelty") == "higher"
    assert Mixed.range_of("novelty_jk") == (0, 1)
    assert Mixed.range_of("length_jk.ratio") == (0, 2)
    assert Mixed.range_of("length_jk.words") == (0, 100)


def test_a_metric_of_another_package_shows_that_packages_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "package:" not in str(WordRecall().signature())
    monkeypatch.setattr(f"{__name__.partition('.')[0]}.__version__", "2.1", raising=False)
    assert f"package:{__name__.partition('.')[0]}-2.1" in str(WordRecall().signature())


def test_texts_that_are_none_are_refused_in_every_field() -> None:
    from rubrica.metrics import ChrF, DataStats, Rouge

    for metric in (Rouge(), ChrF()):
        wrong: Any
        for wrong in (None, 3):
            with pytest.raises(ParameterError, match="a text is a string or a list of sentences"):
                metric.score("a", ["a", wrong])
            with pytest.raises(ParameterError, match="a text is a string or a list of sentences"):
                metric.score_all(["a"], [[wrong]])
    with pytest.raises(ParameterError, match=r"documents must be a list of texts.*\[document\]"):
        DataStats().score("a", "a document")


def test_a_metric_is_shown_as_it_was_made() -> None:
    from rubrica.metrics import Rouge

    assert repr(Rouge()) == "Rouge()"
    assert repr(Rouge(2, compute_rouge_l=True)) == "Rouge(max_ngram=2, compute_rouge_l=True)"


def test_a_text_for_a_number_is_refused() -> None:
    from rubrica.metrics import Rouge

    with pytest.raises(ParameterError, match="'max_ngram' takes a whole number, not '2'"):
        Rouge(max_ngram="2")  # type: ignore[arg-type]


def test_the_base_class_names_what_to_use_instead() -> None:
    with pytest.raises(UsageError, match=r"rubrica\.Metric\.from_config\('chrf'\)"):
        Metric("chrf")


def test_a_metric_is_loaded_by_name_with_parameters() -> None:
    metric = rubrica.load("rouge", max_ngram=1)
    assert metric.score("the cat", ["the cat"]).measure_names() == [
        "rouge-1.recall", "rouge-1.precision", "rouge-1.f1"
    ]  # fmt: skip
    with pytest.raises(UnknownNameError, match="no_such"):
        rubrica.load("rouge", no_such=1)
