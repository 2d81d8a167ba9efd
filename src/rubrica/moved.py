"""Modules documented in 0.1 that have moved: their old names work in 0.2, with a warning."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "rubrica.datasets.record": "rubrica.datasets.raw.record",
    "rubrica.meta.agreement": "rubrica.meta.judges.agreement",
    "rubrica.meta.calibration": "rubrica.meta.ranking.calibration",
    "rubrica.meta.ceiling": "rubrica.meta.judges.ceiling",
    "rubrica.meta.decisions": "rubrica.meta.ranking.decisions",
    "rubrica.meta.differences": "rubrica.meta.correlation.differences",
    "rubrica.meta.jsonable": "rubrica.formatting.jsonable",
    "rubrica.meta.kappa": "rubrica.meta.judges.kappa",
    "rubrica.meta.pairs": "rubrica.meta.ranking.pairs",
    "rubrica.meta.partial": "rubrica.meta.correlation.partial",
    "rubrica.meta.plain": "rubrica.formatting.jsonable",
    "rubrica.meta.preferences": "rubrica.meta.ranking.preferences",
    "rubrica.meta.ratings": "rubrica.meta.judges.ratings",
    "rubrica.meta.significant_inputs": "rubrica.meta.correlation.significant_inputs",
    "rubrica.meta.soft_pairwise": "rubrica.meta.ranking.soft_pairwise",
    "rubrica.meta.stability": "rubrica.meta.ranking.stability",
    "rubrica.meta.thresholds": "rubrica.meta.ranking.thresholds",
    "rubrica.meta.ties": "rubrica.meta.ranking.ties",
    "rubrica.meta.unpaired": "rubrica.meta.correlation.unpaired",
    "rubrica.metrics.alignment": "rubrica.metrics.base.alignment",
    "rubrica.metrics.intervals": "rubrica.statistics.intervals",
}


class _MovedModules:
    """Finds a module under its old name, after all other finders have failed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to load a moved module."""
        return ModuleSpec(name, self, origin=MOVED[name]) if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module under its new name; remember its own specification, which the import replaces."""
        new = MOVED[spec.name]
        warnings.warn(
            f"{spec.name} has moved to {new}; the old name will be removed in the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        module = importlib.import_module(new)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore what the import replaced; the module itself was executed before."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Make the old names importable."""
    sys.meta_path.append(_MovedModules())
