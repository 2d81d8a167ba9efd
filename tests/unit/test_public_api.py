"""The public API: every name loads on first use, and every function is documented with an example that runs."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rubrica
import rubrica.meta

FUNCTIONS = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in (rubrica, rubrica.meta)
    for name in vars(package)["__all__"]
    if inspect.isfunction(getattr(package, name))
}


def test_the_functions_of_a_session_are_there() -> None:
    names = [name.removeprefix("rubrica.") for name in FUNCTIONS]
    assert sorted(name for name in names if "." not in name) == [
        *("compare", "correlate", "evaluate", "explain", "load"),
        *("meta_evaluate", "read", "report", "score"),
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_documents_every_argument_and_what_it_returns(name: str) -> None:
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    for section in ("Args:", "Returns:", "Example:"):
        assert f"\n{section}\n" in text
    arguments = text.split("\nArgs:\n")[1].split("\nReturns:\n")[0]
    for parameter in inspect.signature(function).parameters:
        assert f"    {parameter}: " in arguments


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_function_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(FUNCTIONS[name]) or "", names, name, name, 0
    )
    assert test.examples
    output: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=output.append)
    assert not output, "".join(output)


@pytest.mark.parametrize(
    ("old", "new"), [("Interval", "CorrelationInterval"), ("compare", "compare_metrics")]
)
def test_old_names_of_rubrica_meta_work_with_a_warning(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"rubrica.meta.{old} is now {new}"):
        assert getattr(rubrica.meta, old) is getattr(rubrica.meta, new)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, rubrica; dir(rubrica); print(*sorted({'numpy', 'scipy', 'msgspec'} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == []


def test_what_has_a_command_for_metrics_is_in_one_place() -> None:
    for name in (
        *("meta_evaluate", "correlate", "compare_metrics", "partial_conjunction", "kendall_like"),
        *("ranking_stability", "partial_given_system", "choose_threshold", "preference_agreement"),
        *("krippendorff_alpha", "alt_test", "audit_judge", "estimate_systems"),
        *("power_of_correlations", "power_of_means", "join_scores"),
    ):
        assert callable(getattr(rubrica.meta, name))
