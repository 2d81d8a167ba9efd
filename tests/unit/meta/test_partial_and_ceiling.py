"""Partial correlation, the length baseline, and the noise ceiling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rubrica.core.python.common import uniforms
from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.correlation import correlate
from rubrica.meta.correlation.partial import (
    length_baseline,
    partial_given_length,
    partial_given_system,
)
from rubrica.meta.judges.ceiling import disattenuated, noise_ceiling, spearman_brown
from rubrica.neural.progress import listening
from rubrica.statistics.intervals import Resampling

NAN = math.nan


def three(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    length = rng.normal(size=(6, 10))
    return length + rng.normal(size=(6, 10)), length + rng.normal(size=(6, 10)), length


def residuals(y: np.ndarray, design: np.ndarray) -> np.ndarray:
    return y - design @ np.linalg.lstsq(design, y, rcond=None)[0]


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_given_system_is_the_correlation_of_one_hot_residuals(name: str) -> None:
    x, z, _ = three()
    x[0, 0] = z[3, 4] = NAN
    cells = ~np.isnan(x + z)
    one_hot = np.eye(6)[np.nonzero(cells)[0]]
    a, b = residuals(x[cells], one_hot), residuals(z[cells], one_hot)
    judge = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = partial_given_system(x, z, coefficient=name)  # type: ignore[arg-type]
    assert found.value == pytest.approx(judge[name](a, b).statistic)
    assert found.plain == pytest.approx(judge[name](x[cells], z[cells]).statistic)
    assert found.cells == 58


def test_a_metric_that_only_knows_the_system_has_nothing_given_system() -> None:
    knows = np.repeat([[0.1], [0.2], [0.3]], 7, axis=1)
    human = knows + np.random.default_rng(1).normal(size=knows.shape) * 0.01
    found = partial_given_system(knows, human)
    assert found.value is None
    assert found.plain is not None
    assert found.plain > 0.9
    assert partial_given_system([[1.0], [2.0]], [[1.0], [2.0]]).left_out == 2


def test_given_length_is_the_correlation_of_regression_residuals() -> None:
    x, z, length = three(2)
    design = np.column_stack([np.ones(60), length.ravel()])
    expected = np.corrcoef(residuals(x.ravel(), design), residuals(z.ravel(), design))[0, 1]
    assert partial_given_length(x, z, length, level="global").value == pytest.approx(expected)
    ranked = [stats.rankdata(one).astype(float) for one in (x, z, length)]
    design = np.column_stack([np.ones(60), ranked[2]])
    expected = np.corrcoef(residuals(ranked[0], design), residuals(ranked[1], design))[0, 1]
    found = partial_given_length(x, z, length, level="global", coefficient="spearman")
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize("level", ["summary", "system", "global"])
def test_the_baseline_holds_the_plain_correlations(level: str) -> None:
    x, z, length = three(3)
    length[0, 0] = NAN
    x_kept, z_kept = np.where(np.isnan(length), NAN, x), np.where(np.isnan(length), NAN, z)
    found = length_baseline(x, z, length, level=level, coefficient="kendall")  # type: ignore[arg-type]
    assert found.metric == correlate(x_kept, z_kept, level, "kendall")
    assert found.length == correlate(length, z_kept, level, "kendall")
    assert found.metric_with_length == correlate(x_kept, length, level, "kendall")
    if level == "summary":
        parts = []
        for j in range(10):
            keep = ~np.isnan(length[:, j])
            mh, ml, hl = (
                stats.kendalltau(a[keep, j], b[keep, j]).statistic
                for a, b in ((x, z), (x, length), (z, length))
            )
            if max(abs(ml), abs(hl)) < 1 - 1e-9:
                parts.append((mh - ml * hl) / math.sqrt((1 - ml**2) * (1 - hl**2)))
        assert found.beyond.value == pytest.approx(np.mean(parts))
        assert found.beyond.defined == len(parts)


def test_length_itself_is_nothing_beyond_length() -> None:
    _, z, length = three(4)
    found = partial_given_length(length * 2 + 1, z, length, level="system")
    assert (found.value, found.undefined) == (None, 1)
    with pytest.raises(MismatchError, match="length has shape"):
        partial_given_length(length, z, length[:, :3])


def judged(noise: float, judges: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(30, 40))
    return truth, truth + noise * rng.normal(size=(judges, 30, 40))


def test_the_ceiling_finds_the_known_reliability() -> None:
    # Truth and noise of variance 1, four judges: reliability of the mean is 4 / (4 + 1).
    truth, judgments = judged(1.0)
    found = noise_ceiling(judgments, level="global", resampling=Resampling(rounds=50))
    assert found.reliability == pytest.approx(0.8, abs=0.02)
    assert found.half == pytest.approx(2 / 3, abs=0.03)
    assert found.lengthened == 2.0
    best = np.corrcoef(truth.ravel(), judgments.mean(axis=0).ravel())[0, 1]
    assert found.ceiling == pytest.approx(best, abs=0.02)
    assert disattenuated(best, found.reliability) == pytest.approx(1.0, abs=0.02)


def test_an_odd_judge_sits_out_and_the_factor_knows() -> None:
    _, judgments = judged(1.0, judges=3)
    found = noise_ceiling(judgments, level="global", resampling=Resampling(rounds=20))
    assert found.lengthened == 3.0
    assert found.reliability == pytest.approx(0.75, abs=0.03)


def test_gaps_make_some_cells_longer_than_others() -> None:
    _, judgments = judged(1.0)
    judgments[2:, :, ::2] = NAN
    judgments[1:, 0, 0] = NAN
    found = noise_ceiling(judgments, level="global", resampling=Resampling(rounds=20))
    assert found.left_out == 1
    assert found.judges == pytest.approx(3.0, abs=0.01)
    # Half the cells have reliability 2/3, half 4/5.
    assert found.reliability == pytest.approx(0.74, abs=0.04)


def test_judges_can_be_split_as_persons() -> None:
    _, judgments = judged(1.0)
    found = noise_ceiling(judgments, split="judges", resampling=Resampling(rounds=1, seed=3))
    first = np.argsort(uniforms(3, 0, 4), kind="stable")[:2]
    second = np.setdiff1d(np.arange(4), first)
    one, two = (judgments[half].mean(axis=(0, 2)) for half in (first, second))
    assert found.half == pytest.approx(np.corrcoef(one, two)[0, 1])


def test_no_agreement_leaves_no_ceiling() -> None:
    opposed = np.array([[[1.0, 2, 3, 4]], [[4.0, 3, 2, 1]]])
    found = noise_ceiling(opposed, level="global", resampling=Resampling(rounds=5))
    assert found.half == pytest.approx(-1.0)
    assert (found.reliability, found.ceiling) == (None, None)
    alone = noise_ceiling(opposed[:1], level="global", resampling=Resampling(rounds=5))
    assert (alone.half, alone.left_out, alone.undefined) == (None, 4, 5)
    with pytest.raises(DataError, match="judges x systems x inputs"):
        noise_ceiling([[1.0, 2.0]])


def test_spearman_brown() -> None:
    assert spearman_brown(0.5, 2.0) == pytest.approx(2 / 3)
    assert spearman_brown(1.0, 5.0) == 1.0
    assert spearman_brown(-1.0, 2.0) is None
    assert disattenuated(0.5, None) is None
    assert disattenuated(0.6, 0.25) == pytest.approx(1.2)


def test_the_ceiling_reports_its_splits() -> None:
    reports: list[tuple[str, int, int]] = []
    judgments = np.arange(24.0).reshape(2, 3, 4) % 5
    with listening(lambda *progress: reports.append(progress)):
        noise_ceiling(judgments, resampling=Resampling(7))
    assert reports[0] == ("splits", 0, 7)
    assert reports[-1] == ("splits", 7, 7)
