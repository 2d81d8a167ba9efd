"""Score tables from and to pandas, polars and numpy."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, MismatchError, MissingResourceError, UnknownNameError

COLUMNS: dict[str, list[Any]] = {
    "instance_id": ["d1", "d1", "d2"],
    "summarizer_id": ["a", "b", "a"],
    "summarizer_type": ["peer", "peer", "peer"],
    "rouge": [0.1, 0.2, None],
    "length": [3, 4, 5],
}


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_frame_becomes_a_table_and_comes_back(package: str) -> None:
    module = pytest.importorskip(package)
    read = getattr(ScoreTable, f"from_{package}")
    table = read(module.DataFrame(COLUMNS))
    assert (table.systems, table.inputs, table.measures) == (
        ("a", "b"),
        ("d1", "d2"),
        ("rouge", "length"),
    )
    expected = [[0.1, math.nan], [0.2, math.nan]]
    assert np.array_equal(table.matrix("rouge"), expected, equal_nan=True)
    back = getattr(table, f"to_{package}")()
    assert list(back.columns) == ["instance_id", "summarizer_id", "rouge", "length"]
    assert len(back) == 3
    again = read(back)
    assert np.array_equal(again.values, table.values, equal_nan=True)
    assert read(module.DataFrame(COLUMNS), ["length"]).measures == ("length",)


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_what_is_not_a_table_is_refused(package: str) -> None:
    module = pytest.importorskip(package)
    read = getattr(ScoreTable, f"from_{package}")
    with pytest.raises(UnknownNameError, match="instance_id"):
        read(module.DataFrame({"instance": ["d1"], "summarizer_id": ["a"]}))
    with pytest.raises(UnknownNameError, match="did you mean 'rouge'"):
        read(module.DataFrame(COLUMNS), ["rogue"])
    with pytest.raises(MismatchError, match="two rows"):
        read(module.DataFrame({"instance_id": [1, 1], "summarizer_id": ["a", "a"]}))
    with pytest.raises(DataError, match="not numbers"):
        read(module.DataFrame({**COLUMNS, "text": ["x", "y", "z"]}))
    with pytest.raises(DataError, match="without an id"):
        read(module.DataFrame({**COLUMNS, "instance_id": ["d1", "d1", None]}))


def test_an_array_becomes_a_table() -> None:
    table = ScoreTable.from_array([[1.0, 2.0], [3.0, math.nan]], measures=["m"])
    assert table.systems == ("system-1", "system-2")
    assert table.inputs == ("input-1", "input-2")
    assert np.array_equal(table.matrix("m"), [[1.0, 2.0], [3.0, math.nan]], equal_nan=True)
    cube = ScoreTable.from_array(np.zeros((2, 3, 4)), systems=["x", "y"])
    assert (cube.systems, len(cube.measures)) == (("x", "y"), 4)
    with pytest.raises(MismatchError, match="2 different system names"):
        ScoreTable.from_array(np.zeros((2, 3)), systems=["x", "x"])
    with pytest.raises(DataError, match="1 dimensions"):
        ScoreTable.from_array([1.0])


def test_without_pandas_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingResourceError, match="pip install pandas"):
        ScoreTable.from_array([[1.0]]).to_pandas()


def test_rows_of_scores_may_have_different_measures_in_different_orders() -> None:
    rows = [
        Metrics("a", "x", "peer", MetricsDict({"r": {"f": 1.0, "p": 2.0}, "h": [1, 2]})),
        Metrics("b", "x", "peer", MetricsDict({"h": 4, "r": {"p": None, "f": 3.0}})),
        Metrics("a", "y", "peer", MetricsDict({"k": 5.0})),
    ]
    table = ScoreTable.from_metrics(rows, ["r_f", "h", "r.p", "k"])
    nan = np.nan
    wanted = [[[1, 1.5, 2, nan], [3, 4, nan, nan]], [[nan, nan, nan, 5], [nan] * 4]]
    assert np.array_equal(table.values, wanted, equal_nan=True)
    assert ScoreTable.from_metrics(rows).measures == ("r.f", "r.p", "h", "k")
    with pytest.raises(DataError, match=r"'r' holds several measures; name one of r\.f, r\.p"):
        ScoreTable.from_metrics(rows, ["r"])
    with pytest.raises(UnknownNameError, match="no measure 'q'"):
        ScoreTable.from_metrics(rows, ["q"])


def test_a_key_with_a_point_is_not_taken_for_a_path() -> None:
    row = Metrics("a", "x", "peer", MetricsDict({"r": {"f": 1.0}, "r.f": 2.0}))
    assert ScoreTable.from_metrics([row], ["r.f"]).values.tolist() == [[[2.0]]]
