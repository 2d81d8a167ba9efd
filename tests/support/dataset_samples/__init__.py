"""Raw data of every data set in its real layout, written for these tests, with all known quirks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.dataset_samples import (
    cnn,
    duc,
    duc_early,
    factuality,
    modern,
    multiling,
    pairs,
    realsumm,
    tac,
)
from support.dataset_samples.build import Tree, put

SAMPLES: dict[str, Callable[[], Tree]] = {
    **duc_early.SAMPLES,
    **duc.SAMPLES,
    **tac.SAMPLES,
    **multiling.SAMPLES,
    **realsumm.SAMPLES,
    **cnn.SAMPLES,
    **pairs.SAMPLES,
    **factuality.SAMPLES,
    **modern.SAMPLES,
}


def write_sample(name: str, folder: Path) -> Path:
    """Write the raw data of a data set below `folder`, which is returned."""
    put(folder, SAMPLES[name]())
    return folder
