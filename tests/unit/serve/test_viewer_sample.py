"""One sample of the viewer: ranks among all rows, disagreements in order, differences word by word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.data.instance import EvalInstance, ReferenceType, SummaryType
from rubrica.errors import DataError, ParameterError, RubricaError
from rubrica.metrics import Metric
from rubrica.metrics.base.alignment import Link, TokenAlignment
from rubrica.metrics.base.bases import DocumentBasedMetric
from rubrica.metrics.base.units import CheckedUnit
from rubrica.serve.viewer.differences import MAX_WORDS, differences
from rubrica.serve.viewer.explained import Explainer
from rubrica.serve.viewer.library import Library
from rubrica.serve.viewer.sample import read_next, read_sample
from rubrica.serve.viewer.table import Sample

NEWS = Path(__file__).resolve().parents[3] / "examples" / "news"
# Scores of (input, system): ROUGE and people agree but for b/s1.
SCORES = {
    ("a", "s1"): (10.0, 1.0),
    ("a", "s2"): (20.0, 2.0),
    ("b", "s1"): (40.0, 1.5),
    ("b", "s2"): (30.0, 3.0),
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(str(tmp_path))
    library.table.add(
        Sample(
            name, system, summary=f"text of {name}", scores={"rouge-1.f1": rouge, "relevance": people, "ter": -rouge}
        )
        for (name, system), (rouge, people) in SCORES.items()
    )  # fmt: skip
    return library


def test_ranks_are_shares_of_worse_rows_in_the_direction_of_the_measure(library: Library) -> None:
    ranks = {
        (name, summary["system"]): summary["ranks"]
        for name in ("a", "b")
        for summary in read_sample(library, {"input": name})["summaries"]
    }
    assert [ranks[key]["rouge-1.f1"] for key in SCORES] == pytest.approx([0, 1 / 3, 1, 2 / 3])
    # Of TER lower values are better, so the order is the same.
    assert [ranks[key]["ter"] for key in SCORES] == pytest.approx([0, 1 / 3, 1, 2 / 3])


def test_equal_values_share_a_rank(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    library.table.add(Sample(str(n), "s", scores={"m": value}) for n, value in enumerate([1, 1, 2]))
    assert library.distributions.ranks("m").tolist() == [0.25, 0.25, 1.0]
    histogram = library.distributions.histogram("m")
    assert histogram is not None
    assert (histogram.low, histogram.high, sum(histogram.counts)) == (1.0, 2.0, 3)


def test_disagreements_come_in_order_and_begin_again(library: Library) -> None:
    query = {"by": "rouge1", "against": "relevance"}
    first = read_next(library, query)
    assert (first["input"], first["system"], first["place"]) == ("b", "s1", 1)
    assert first["value"] == pytest.approx(2 / 3)
    seen = [first]
    for _ in range(4):
        seen.append(read_next(library, query | {"input": seen[-1]["input"], "system": seen[-1]["system"]}))  # fmt: skip
    assert len({(sample["input"], sample["system"]) for sample in seen}) == 4
    assert seen[4] == first
    assert read_next(library, query | {"find": "input=a"})["input"] == "a"


def test_systems_disagree_where_their_ranks_are_far_apart(library: Library) -> None:
    library.table.add([Sample("a", "s3", scores={"rouge-1.f1": 50.0})])
    found = read_next(library, {"by": "rouge-1.f1", "against": "systems"})
    assert (found["input"], found["value"], found["count"]) == ("a", 1.0, 2)


def test_a_disagreement_that_cannot_be_computed_is_an_error(library: Library) -> None:
    with pytest.raises(RubricaError, match="no column 'fluency'"):
        read_next(library, {"by": "rouge-1.f1", "against": "fluency"})
    with pytest.raises(RubricaError, match="two different measures"):
        read_next(library, {"by": "ter", "against": "ter"})
    with pytest.raises(DataError, match="no row here has values"):
        read_next(library, {"by": "ter", "against": "relevance", "find": "none"})


def test_measures_that_no_metric_computes_are_those_of_people(library: Library) -> None:
    assert library.distributions.is_of_people("relevance")
    assert not library.distributions.is_of_people("rouge-1.f1")


def test_a_sample_has_its_source_references_differences_and_units(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    names = ("summaries", "documents", "pyramids", "pyramid-annotations")
    for name in names:
        library.open(str(NEWS / f"{name}.jsonl"))
    sample = read_sample(library, {"input": "d01", "system": "lead3", "other": "abstractor"})
    assert len(sample["references"]) == 3
    assert "Marlow Street" in str(sample["documents"][0])
    assert len(sample["summaries"]) == 9
    assert [row.system for row in sample["matches"].rows][:2] == ["lead3", "centroid"]
    assert len(sample["differences"]) == 2
    assert sample["units"][0]["weight"] == 3
    assert sum("lead3" in unit["systems"] for unit in sample["units"]) == 6


def test_words_of_one_text_only_are_marked() -> None:
    found = differences("The council voted, late.", ["The Council", "met late"])
    assert found == (
        [(False, "The council "), (True, "voted, "), (False, "late.")],
        [(False, "The Council\n"), (True, "met "), (False, "late")],
    )
    assert differences("x " * (MAX_WORDS + 1), "x") is None


@given(st.text(), st.text())
def test_segments_join_to_the_texts(first: str, second: str) -> None:
    found = differences(first, second)
    assert found is not None
    for text, segments in zip((first, second), found, strict=True):
        joined = "".join(words for _, words in segments)
        assert joined == (text if text.strip() else "")


class Aligning(Metric):
    """Link the first tokens; count how often all rows are asked for."""

    name = "aligning"
    needs_whole_input = True

    def __init__(self) -> None:
        super().__init__(["summary"], ["references"])
        self.fitted: list[int] = []

    def score_one(self, summary: Any, references: Any) -> dict[str, Any]:
        return {"f1": 0.5}

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        self.fitted.append(len(list(instances)))
        return self

    def align(self, summary: SummaryType, reference: ReferenceType) -> TokenAlignment:
        tokens = str(summary).split(), str(reference).split()
        cosines = [[1 / 3 for _ in tokens[1]] for _ in tokens[0]]
        return TokenAlignment(*tokens, "cosine", cosines, [Link(0, 0, 1.0, "match")], {"f1": 0.5})


def test_links_are_those_of_the_metric_and_its_input_is_read_once(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    rows = [
        Sample("a", system, summary=f"text of {system}", references=["one text", "another"])
        for system in ("s1", "s2")
    ]
    library.table.add([*rows, Sample("b", "s1", summary="without references")])
    metric = Aligning()
    library.explainer = Explainer(metric, library.table)
    query = {"input": "a", "system": "s2", "reference": "1"}
    answer = library.explainer.read(query)
    assert answer["alignment"].summary == ["text", "of", "s2"]
    assert answer["alignment"].closeness[0][0] == 0.33333
    assert library.explainer.read(query | {"reference": "2"})["alignment"].reference == ["another"]
    assert metric.fitted == [2]
    library.table.add([Sample("c", "s1", summary="a text", references=["a text"])])
    library.explainer.read(query)
    assert metric.fitted == [2, 3], "another row, another input"
    assert read_sample(library, {"input": "a"})["explained"] == {"by": "aligning", "kind": "links"}
    for wrong in ({"reference": "3"}, {"reference": "0"}, {"input": "b", "system": "s1"}):
        with pytest.raises(DataError, match="this summary has no reference"):
            library.explainer.read(query | wrong)


class Checking(DocumentBasedMetric):
    """Find support for sentences that a document has."""

    name = "checking"
    unit_source = "sentences"

    def score_one(self, summary: Any, documents: Any) -> dict[str, Any]:
        return {"checking": 1.0}

    def check_units(
        self, summary: Any, *, documents: Sequence[Any], references: Sequence[Any]
    ) -> list[CheckedUnit]:
        return [CheckedUnit(line, support=float(line in documents[0])) for line in summary]


def test_units_are_those_that_the_metric_checked(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    rows = [
        Sample("a", "s1", summary=["It rained.", "It snowed."], documents=["It rained. All day."]),
        Sample("b", "s1", summary=["It rained."]),
    ]
    library.table.add(rows)
    library.explainer = Explainer(Checking(), library.table)
    answer = library.explainer.read({"input": "a", "system": "s1"})
    assert answer["source"] == "sentences"
    assert [(unit.text, unit.support) for unit in answer["units"]] == [
        ("It rained.", 1.0),
        ("It snowed.", 0.0),
    ]
    # One of two units: Wilson's interval.
    assert answer["share"] == 0.5
    assert answer["bounds"] == pytest.approx((0.0945, 0.9055), abs=1e-4)
    assert read_sample(library, {"input": "a"})["explained"] == {"by": "checking", "kind": "units"}
    with pytest.raises(DataError, match="checking needs documents"):
        library.explainer.read({"input": "b", "system": "s1"})


def test_a_metric_that_explains_nothing_is_refused(library: Library) -> None:
    with pytest.raises(ParameterError, match=r"rouge cannot show .*bertscore.*minicheck"):
        Explainer(Metric.from_config({"type": "rouge"}), library.table)
    rating = Metric.from_config({"type": "judge", "model": "m", "endpoint": "http://127.0.0.1:9"})
    with pytest.raises(ParameterError, match=r"judge .*one score for the whole summary"):
        Explainer(rating, library.table)
