"""Automatic pyramids: which segments make units, and what a summary gets for expressing them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rubrica.errors import MetricFailedError, ParameterError
from rubrica.metrics import PyrEvalStyle
from rubrica.metrics.pyreval import units as pyreval_units
from rubrica.metrics.pyreval.units import Segments, content_units, least_likeness
from support.vectors import write_glove

# Topics at right angles; a word's partner is near it.
TABLE = {
    "ferry": [1.0, 0.0, 0.0, 0.0],
    "boat": [0.9, 0.1, 0.0, 0.0],
    "library": [0.0, 1.0, 0.0, 0.0],
    "books": [0.0, 0.9, 0.1, 0.0],
    "storm": [0.0, 0.0, 1.0, 0.0],
    "rain": [0.0, 0.0, 0.9, 0.1],
    "tax": [0.0, 0.0, 0.0, 1.0],
}


@pytest.fixture
def metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PyrEvalStyle:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "data"))
    return PyrEvalStyle(embeddings=str(write_glove(tmp_path / "vectors.txt", TABLE)))


def segments(metric: PyrEvalStyle, *texts: list[str]) -> Segments:
    flat = [segment for text in texts for segment in text]
    owners = [number for number, text in enumerate(texts) for _ in text]
    return Segments(flat, metric._vectors(flat), owners)


REFERENCES = [["ferry", "library", "storm"], ["boat", "books", "tax"], ["boat", "rain", "tax"]]


def test_alike_segments_of_different_references_make_a_unit(metric: PyrEvalStyle) -> None:
    made = segments(metric, *REFERENCES)
    found = [sorted(made.texts[one] for one in unit.members) for unit in content_units(made)]
    # Room: (9 + 10) / 3^2.5 = 1 unit of weight 3, (9 + 10) / 2^2.5 = 3 of weight 2.
    assert found == [
        ["boat", "boat", "ferry"],
        ["tax", "tax"],
        ["books", "library"],
        ["rain", "storm"],
    ]


def test_every_segment_is_in_one_unit_and_a_unit_has_one_of_a_reference(
    metric: PyrEvalStyle,
) -> None:
    made = segments(metric, *REFERENCES)
    members = [one for unit in content_units(made) for one in unit.members]
    assert sorted(members) == list(range(9))
    for unit in content_units(made):
        owners = [made.owners[one] for one in unit.members]
        assert len(set(owners)) == len(owners)


def test_the_cut_is_a_percentile_of_pairs_of_different_references(metric: PyrEvalStyle) -> None:
    made = segments(metric, ["ferry", "tax"], ["ferry", "library"])
    assert least_likeness(made) == pytest.approx(np.percentile([1, 0, 0, 0], 83))
    assert least_likeness(segments(metric, ["ferry"])) == 0.5
    assert least_likeness(segments(metric, ["ferry"], ["tax"])) > 0


def test_scores_by_hand(metric: PyrEvalStyle) -> None:
    references = [["ferry", "tax"], ["ferry", "library"]]
    # Units: ferry (2), tax (1), library (1); two segments a reference.
    both = metric.score(["ferry", "tax"], references)["pyreval-style"]
    assert both == {"raw": 3.0, "quality": 1.0, "coverage": 1.0, "comprehensive": 1.0}
    one = metric.score(["library"], references)["pyreval-style"]
    assert one == {
        "raw": 1.0,
        "quality": 0.5,
        "coverage": pytest.approx(1 / 3),
        "comprehensive": pytest.approx(5 / 12),
    }


def test_a_unit_counts_once_however_often_it_is_said(metric: PyrEvalStyle) -> None:
    references = [["ferry", "tax"], ["ferry", "library"]]
    twice = metric.score(["ferry", "ferry"], references)["pyreval-style"]
    assert twice["raw"] == 2.0
    assert twice["quality"] == pytest.approx(2 / 3)


def test_stop_words_and_unknown_words_say_nothing(metric: PyrEvalStyle) -> None:
    references = [["the ferry"], ["a ferry"]]
    assert metric.score("The ferry is there.", references)["pyreval-style"]["raw"] == 2.0
    nothing = metric.score("Something is there.", references)["pyreval-style"]
    assert set(nothing.values()) == {0.0}


def test_a_string_is_split_into_sentences(metric: PyrEvalStyle) -> None:
    references = [["ferry", "tax"], ["ferry", "library"]]
    assert metric.score("Ferry. Tax.", references) == metric.score(["Ferry.", "Tax."], references)


def test_one_reference_makes_units_of_weight_one(metric: PyrEvalStyle) -> None:
    found = metric.score(["ferry"], [["ferry", "tax"]])["pyreval-style"]
    assert found["raw"] == 1.0
    assert found["coverage"] == 0.5


def test_too_many_groups_are_refused(metric: PyrEvalStyle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyreval_units, "MAX_GROUPS", 50)
    with pytest.raises(MetricFailedError, match="too similar"):
        metric.score(["ferry"], [["ferry"] * 5] * 3)


def test_a_threshold_is_a_cosine(metric: PyrEvalStyle) -> None:
    with pytest.raises(ParameterError, match="-1 to 1"):
        PyrEvalStyle(threshold=2)
