"""Slices of the viewer: every row with a value in one of them, means with intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rubrica.errors import RubricaError
from rubrica.serve.viewer import slices as viewer_slices
from rubrica.serve.viewer.library import Library
from rubrica.serve.viewer.slices import Slices, read_slices
from rubrica.serve.viewer.table import Sample
from rubrica.statistics.intervals import Resampling, bootstrap_means, normal_means

DOCUMENT = "a b c d e f g h i j"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(str(tmp_path))
    texts = ["a b c", "i j x y", "x y z", "d e f g"]
    library.table.add(
        Sample(
            f"d{number}",
            "s",
            summary=texts[number % 4],
            documents=[DOCUMENT],
            scores={"m": float(number)} | ({"n": 1.0} if number % 2 else {}),
            fields={"topic": "city" if number < 6 else "sport"},
        )
        for number in range(8)
    )
    return library


def sliced(library: Library, by: str, find: str = "", measures: tuple[str, ...] = ("m",)) -> Slices:
    return read_slices(library.table, library.query, library.query.rows(find), by, measures)


def test_a_field_gives_a_slice_per_value_the_largest_first(library: Library) -> None:
    found = sliced(library, "topic", measures=("m", "n"))
    assert [(s.name, s.rows, s.scores[0].value) for s in found.slices] == [
        ("city", 6, 2.5),
        ("sport", 2, 6.5),
    ]
    assert found.slices[0].scores == bootstrap_means(
        np.array([[n, 1.0 if n % 2 else np.nan] for n in range(6)], dtype=float), Resampling()
    )
    assert [s.rows for s in sliced(library, "topic", "m>=5").slices] == [2, 1]


@pytest.mark.parametrize("by", ["length", "m", "novelty", "position"])
def test_quarters_of_a_number_hold_every_row_that_has_it(library: Library, by: str) -> None:
    found = sliced(library, by)
    # Without words of the document, "x y z" has no position in it.
    assert sum(s.rows for s in found.slices) == (6 if by == "position" else 8)
    assert 1 < len(found.slices) <= 4


def test_novelty_and_position_are_those_of_pairs_of_words(library: Library) -> None:
    names = {by: [s.name for s in sliced(library, by).slices] for by in ("novelty", "position")}
    # New pairs: 0 of 2, 2 of 3, 2 of 2, 0 of 3.
    assert names["novelty"] == ["0 %", "66.7 %", "100 %"]
    # First pairs at places 0, 1; 8; 3, 4, 5 of 0 to 8.
    assert names["position"] == ["6.2 %", "50 %", "100 %"]
    assert [s.name for s in sliced(library, "length").slices] == ["3 words", "4 words"]
    assert [s.name for s in sliced(library, "m").slices][:2] == ["0 to 2", "over 2 to 4"]


def test_many_texts_are_sampled_and_the_answer_says_so(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_slices, "MAX_TEXTS", 5)
    found = sliced(library, "novelty")
    assert (found.rows, found.looked_at) == (8, 5)
    assert sliced(library, "novelty") == found


def test_small_slices_of_many_are_left_out(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer_slices, "MAX_SLICES", 3)
    found = sliced(library, "input")
    assert (len(found.slices), found.left_out) == (3, 5)


def test_what_cannot_be_sliced_is_an_error(library: Library) -> None:
    with pytest.raises(RubricaError, match=r"no column 'tpoic'.*topic"):
        sliced(library, "tpoic")
    with pytest.raises(RubricaError, match="no row here has a value of topic"):
        sliced(library, "topic", "m>100")
    with pytest.raises(RubricaError, match="choose another column"):
        sliced(library, "summary")


def test_normal_intervals_of_many_rows_agree_with_the_bootstrap() -> None:
    values = np.random.default_rng(0).normal(3.0, 2.0, (4000, 1))
    values[::7] = np.nan
    normal, resampled = normal_means(values)[0], bootstrap_means(values, Resampling())[0]
    assert normal.value == resampled.value
    assert normal.lower == pytest.approx(resampled.lower, abs=0.02)
    assert normal.upper == pytest.approx(resampled.upper, abs=0.02)
    assert normal_means(values[:2])[0].lower is None
