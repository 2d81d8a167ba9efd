"""Modules that have moved can be imported under their old names, with a warning that says the new one."""

from __future__ import annotations

import importlib
import pickle
import sys

import pytest

from rubrica.moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_the_old_name_gives_the_module_and_a_warning(old: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=MOVED[old]):
        module = importlib.import_module(old)
    assert module is importlib.import_module(MOVED[old])
    assert module.__name__ == MOVED[old]
    assert module.__spec__ is not None
    assert module.__spec__.name == MOVED[old]


def test_what_moved_can_still_be_pickled() -> None:
    from rubrica.statistics.intervals import Resampling

    assert pickle.loads(pickle.dumps(Resampling(7))) == Resampling(7)


def test_names_that_never_were_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        importlib.import_module("rubrica.meta.nothing")
