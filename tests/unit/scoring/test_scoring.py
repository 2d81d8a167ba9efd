"""evaluate() and score(): grouping, jackknifing, what is refused, what is left out."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rubrica.data import EvalInstance, Fields, MetricsDict
from rubrica.datasets.readers.base import DatasetReader
from rubrica.errors import DataError, DataWarning, MismatchError, ParameterError
from rubrica.metrics import (
    Bleu,
    JensenShannon,
    ReferenceBasedMetric,
    Rouge,
    SentBleu,
    SummaryOnlyMetric,
)
from rubrica.scoring import evaluate, score
from rubrica.statistics.intervals import Resampling


class Product(ReferenceBasedMetric):
    """The sum of summary times reference: SacreROUGE's `testing` metric."""

    calls: list[tuple[int, int]]

    def __init__(self) -> None:
        super().__init__()
        self.calls = []

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        self.calls.append((len(summaries_list), sum(map(len, summaries_list))))
        return [
            [MetricsDict({"test": sum(float(s) * float(r) for r in references)}) for s in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]


class Half(SummaryOnlyMetric):
    """Undefined for texts that are not numbers."""

    def score_one(self, summary: str) -> dict[str, float | None]:
        return {"half": float(summary) / 2 if summary.isdigit() else None}


def instance(
    summary: str, references: Sequence[str], who: str = "s", kind: str = "peer", doc: str = "D1"
) -> EvalInstance:
    return EvalInstance(doc, who, kind, Fields(summary=summary, references=list(references)))


# The arithmetic of SacreROUGE's numeric fixture: one instance, two peers, three references.
NUMERIC = [
    instance("1", ["10", "100", "1000"], "1"),
    instance("2", ["10", "100", "1000"], "2"),
    instance("10", ["100", "1000"], "A", "reference"),
    instance("100", ["10", "1000"], "B", "reference"),
    instance("1000", ["10", "100"], "C", "reference"),
]


def test_jackknifing_follows_sacrerouges_definition() -> None:
    rows = score(NUMERIC, [Product()])
    assert [row.metrics for row in rows] == [
        {"test": 1110.0, "test_jk": 740.0},
        {"test": 2220.0, "test_jk": 1480.0},
        {"test_jk": 11000.0},
        {"test_jk": 101000.0},
        {"test_jk": 110000.0},
    ]


def test_peers_can_be_left_unjackknifed() -> None:
    rows = score(NUMERIC, [Product()], disable_peer_jackknifing=True)
    assert rows[0].metrics == {"test": 1110.0}
    assert rows[2].metrics == {"test_jk": 11000.0}


def test_a_peer_with_one_reference_has_no_jackknifed_value() -> None:
    assert score([instance("3", ["7"])], [Product()])[0].metrics == {"test": 21.0}


def test_a_reference_that_holds_itself_is_scored_without_itself_and_told() -> None:
    own = instance("10", ["10", "100", "1000"], "A", "reference")
    with pytest.warns(DataWarning, match="hold the summary itself"):
        rows = score([own], [Product()])
    assert rows[0].metrics == {"test_jk": 11000.0}


def test_a_reference_with_only_itself_has_no_value() -> None:
    with pytest.warns(DataWarning):
        rows = score([instance("10", ["10"], "A", "reference")], [Product()])
    assert rows[0].metrics == {}


def test_rows_with_equal_contexts_are_scored_together_in_one_call() -> None:
    metric = Product()
    peers = [instance(str(n), ["1", "2"], f"s{n}", doc=f"d{n % 2}") for n in range(6)]
    evaluate(peers, [metric], workers=1)
    assert metric.calls == [(1, 6)]


def test_rows_come_in_input_order_whatever_the_batches_and_workers() -> None:
    rows = [instance(str(n), ["1", str(n % 3)], f"s{n}") for n in range(50)]
    expected = evaluate(rows, [SentBleu()], workers=1)
    for batch_size, workers in ((1, 1), (7, 1), (50, 2), (10, 2)):
        assert evaluate(rows, [SentBleu()], workers=workers, batch_size=batch_size) == expected


def test_systems_are_scored_apart_and_references_left_out() -> None:
    evaluation, rows = evaluate(NUMERIC, [Product()])
    assert len(rows) == 5
    told = evaluation.to_dict()
    assert told["metrics"] == {"test": 1665.0}
    assert told["num_summaries"] == 2
    assert told["left_out"] == {"reference": 3}
    assert told["systems"]["2"]["metrics"] == {"test": 2220.0}
    assert "|refs:3|bs:1000|seed:12345" in told["signatures"][0]


def test_references_count_on_request() -> None:
    evaluation, _ = evaluate(NUMERIC, [Product()], include_references=True)
    # SacreROUGE's expected macro for this fixture.
    assert evaluation.to_dict()["metrics"] == {"test": 45066.0}


def test_empty_input_is_a_clear_error() -> None:
    with pytest.raises(DataError, match="no peer summaries"):
        evaluate([], [Product()])
    with pytest.raises(DataError, match=r"only 3 references.*`include_references=True`"):
        evaluate(NUMERIC[2:], [Product()])


def test_duplicates_are_refused_with_both_places() -> None:
    fields = Fields(summary="1", references=["1"])
    twice = [
        EvalInstance("d", "s", "peer", fields, origin="a.jsonl:3"),
        EvalInstance("d", "t", "peer", fields, origin="a.jsonl:4"),
        EvalInstance("d", "s", "peer", fields, origin="b.jsonl:7"),
    ]
    for task in (score, evaluate):
        with pytest.raises(MismatchError, match=r"b\.jsonl:7 .*already appear at a\.jsonl:3"):
            task(twice, [Product()])


def test_ids_that_only_look_alike_are_not_duplicates() -> None:
    fields = Fields(summary="1", references=["1"])
    rows = [EvalInstance("1", "11", "peer", fields), EvalInstance("11", "1", "peer", fields)]
    assert len(score(rows, [Product()])) == 2


def test_a_missing_field_says_who_needs_it() -> None:
    bare = EvalInstance("d", "s", "peer", Fields(summary="1"), origin="x.jsonl:2")
    with pytest.raises(DataError, match=r"x\.jsonl:2 .*no field 'references' \(found: summary\)"):
        score([bare], [Product()])
    with pytest.raises(DataError, match="at least one"):
        score([instance("1", [])], [Product()])


def test_two_metrics_with_the_same_names_are_refused_unless_one_is_put_elsewhere() -> None:
    rows = [instance("a b", ["a b"])]
    with pytest.raises(ParameterError, match=r"two metrics give bleu.*\"as\""):
        evaluate(rows, [Bleu(), Bleu(lowercase=True)])
    other = Bleu(lowercase=True)
    other.output_key = "lower"
    evaluation, scored = evaluate(rows, [Bleu(), other])
    assert set(scored[0].metrics) == {"bleu", "lower"}
    assert evaluation.overall.metrics()["lower"]["bleu"] == pytest.approx(
        evaluation.overall.metrics()["bleu"]
    )


def test_undefined_scores_are_counted_and_left_out_of_the_mean() -> None:
    rows = [EvalInstance(str(n), "s", "peer", Fields(summary=t)) for n, t in enumerate("2x46")]
    told = evaluate(rows, [Half()])[0].to_dict()
    assert told["metrics"] == {"half": 2.0}
    assert told["undefined"] == {"half": 1}


def test_corpus_scores_come_from_summed_statistics_not_from_means() -> None:
    import sacrebleu

    texts = ["the cat sat on the mat", "a dog", "it rains and rains in the town"]
    refs = [["the cat sat on a mat"], ["a dog ran away from home"], ["it rains in the town"]]
    rows = [instance(t, r, doc=str(n)) for n, (t, r) in enumerate(zip(texts, refs, strict=True))]
    evaluation, scored = evaluate(rows, [Bleu()])
    expected = sacrebleu.corpus_bleu(texts, [[r[0] for r in refs]]).score
    assert evaluation.overall.metrics()["bleu"] == pytest.approx(expected, rel=1e-12)
    mean = sum(row.metrics["bleu"] for row in scored) / 3
    assert evaluation.overall.metrics()["bleu"] != pytest.approx(mean)
    assert Bleu().evaluate(texts, refs)[0] == evaluation.overall.metrics()


def test_intervals_are_seeded_and_change_with_the_seed() -> None:
    rows = [instance(str(n), ["1"], doc=str(n)) for n in range(20)]

    def interval(**choices: Any) -> Any:
        told = evaluate(rows, [Product()], resampling=Resampling(**choices))[0]
        return told.to_dict()["intervals"]["test"]

    assert interval(seed=1) == interval(seed=1)
    assert interval(seed=1) != interval(seed=2)
    assert interval(rounds=0) is None
    wide, narrow = interval(confidence=99), interval(confidence=50)
    assert wide["lower"] < narrow["lower"] < 9.5 < narrow["upper"] < wide["upper"]


def test_the_data_digest_changes_with_every_text_and_order() -> None:
    rows = [instance("1", ["2"], doc="1"), instance("3", ["4"], doc="2")]

    def digest(instances: Sequence[EvalInstance]) -> str:
        signature = evaluate(instances, [Product()])[0].signatures[0]
        return signature.split("data:")[1].split("|")[0]

    variants = [
        rows,
        rows[::-1],
        [instance("1 ", ["2"], doc="1"), rows[1]],
        [instance("1", ["2", "2"], doc="1"), rows[1]],
        [instance("1", ["2"], doc="01"), rows[1]],
    ]
    digests = [digest(variant) for variant in variants]
    assert len(set(digests)) == len(digests)
    assert digest(rows) == digest(list(rows))


def test_instances_are_taken_as_a_stream() -> None:
    """Memory is bounded by batches: scoring starts before the input has been read."""
    read = 0

    def source() -> Any:
        nonlocal read
        for number in itertools.count():
            read = number
            yield instance("1", ["2"], doc=str(number))

    from rubrica.scoring import score_rows
    from rubrica.scoring.plan import Plan

    rows = score_rows(source(), Plan([Product()]), workers=1, batch_size=10)
    assert next(rows).parts[0] == {"test": 2.0}
    assert read < 40


def test_warnings_of_worker_processes_are_told_by_the_parent() -> None:
    rows = [instance("5", ["5", "6"], f"r{n}", "reference") for n in range(8)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(rows, [SentBleu()], workers=2, batch_size=2)
    assert len([one for one in caught if one.category is DataWarning]) == 8


def test_signatures_differ_where_numbers_do() -> None:
    def signature(instances: Sequence[EvalInstance], **choices: Any) -> str:
        return evaluate(instances, [Product()], **choices)[0].signatures[0]

    both = [instance("1", ["2"], "a"), instance("3", ["2"], "b")]
    as_reference = [both[0], instance("3", ["2"], "b", "reference")]
    renamed = [both[0], instance("3", ["2"], "c")]
    wider = Resampling(confidence=50)
    lines = [
        signature(both),
        signature(renamed),
        signature(as_reference),
        signature(as_reference, include_references=True),
        signature(both, resampling=wider),
        signature(both, resampling=Resampling(seed=7)),
    ]
    assert len(set(lines)) == len(lines)


def test_keyword_parameters_are_in_the_signature() -> None:
    class Loose(SummaryOnlyMetric):
        """Takes what it is given."""

        def __init__(self, **options: int) -> None:
            super().__init__()
            self.options = options

        def score_one(self, summary: str) -> dict[str, float]:
            return {"loose": float(sum(self.options.values()))}

    assert "x:1" in str(Loose(x=1).signature())
    assert Loose(x=1).signature() != Loose(x=2).signature()


def test_measures_whose_dotted_names_are_equal_are_refused() -> None:
    class Twice(SummaryOnlyMetric):
        """Two measures called a.b."""

        def score_one(self, summary: str) -> dict[str, Any]:
            return {"a.b": 1.0, "a": {"b": 2.0}}

    row = EvalInstance("1", "s", "peer", Fields(summary="x"))
    with pytest.raises(MismatchError, match=r"both called 'a\.b'"):
        evaluate([row], [Twice()])


def test_what_is_not_finite_is_undefined() -> None:
    class Endless(SummaryOnlyMetric):
        """Infinite for some."""

        def score_one(self, summary: str) -> dict[str, float]:
            return {"x": float("inf") if summary == "x" else 1.0}

    rows = [EvalInstance(str(n), "s", "peer", Fields(summary=t)) for n, t in enumerate("xab")]
    told = evaluate(rows, [Endless()])[0].to_dict()
    assert told["metrics"] == {"x": 1.0}
    assert told["undefined"] == {"x": 1}


def test_a_pyramid_of_the_reference_alone_gives_it_no_value() -> None:
    from rubrica.data.pyramid import SCU, Contributor, Pyramid
    from rubrica.metrics import PyramidScore

    unit = SCU(1, "unit", (Contributor(0, "unit", ()),))
    pyramid = Pyramid("d", ("text",), ("A",), (unit,))
    fields = Fields(annotation=pyramid.get_annotation(0), pyramid=pyramid)
    with pytest.warns(DataWarning):
        rows = score([EvalInstance("d", "A", "reference", fields)], [PyramidScore()])
    assert rows[0].metrics == {}


def test_wrong_texts_and_lookalike_parameters_are_refused() -> None:
    from rubrica.metrics import Rouge

    with pytest.raises(ParameterError, match="not dict"):
        Rouge().score({"text": "a"}, ["a"])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="found one string"):
        SentBleu().score_multi("ab", ["b"])
    with pytest.raises(ParameterError, match="takes true or false"):
        Rouge(use_porter_stemmer="false")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="one of wordnet, empty"):
        Rouge(exceptions="x")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="seed"):
        Resampling(seed=-5)
    with pytest.raises(ParameterError, match="workers"):
        score([instance("1", ["2"])], [Product()], workers=0)


def test_metrics_may_be_named_and_what_is_no_instance_is_told(news: Path) -> None:
    instances = list(
        DatasetReader.from_config("reference-based").read(str(news / "summaries.jsonl"))
    )
    named, _ = evaluate(instances, ["rouge", {"type": "js", "ngram_orders": [1]}], workers=1)
    usual = Rouge(max_ngram=2, compute_rouge_l=True)
    built, _ = evaluate(instances, [usual, JensenShannon(ngram_orders=[1])], workers=1)
    assert named.to_dict() == built.to_dict()
    assert score(instances, "rouge") == score(instances, [usual])
    assert score(instances, {"type": "rouge"}) == score(instances, Rouge())
    with pytest.raises(DataError, match=r"data:1 .*no field 'references'"):
        evaluate([{"summary": "a"}], [Rouge()])
