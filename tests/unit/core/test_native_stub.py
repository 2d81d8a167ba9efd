"""The hand-written stub of the native module says what the module has.

mypy's stubtest does not take nanobind's functions for functions; their own signatures serve here.
"""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import rubrica.core

STUB = Path(rubrica.core.__file__).with_name("_native.pyi")


@pytest.fixture(scope="module")
def native() -> ModuleType:
    if importlib.util.find_spec("rubrica.core._native") is None:
        pytest.skip("plain kernels: there is no native module")
    return importlib.import_module("rubrica.core._native")


def test_stub_and_module_have_the_same_names(native):
    defined = {
        ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else node.name
        for node in ast.parse(STUB.read_text("utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))
    }
    assert defined == {name for name in dir(native) if not name.startswith("_")}


def test_stub_and_module_have_the_same_parameters(native):
    for node in ast.parse(STUB.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            assert _stub_parameters(node) == _module_parameters(getattr(native, node.name))
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                assert isinstance(method, ast.FunctionDef)
                found = getattr(getattr(native, node.name), method.name)
                if isinstance(found, property):
                    continue
                assert _stub_parameters(method) == _module_parameters(found)


def _stub_parameters(node: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Names, and whether there is a default."""
    names = [argument.arg for argument in node.args.args]
    required = len(names) - len(node.args.defaults)
    return [(name, at >= required) for at, name in enumerate(names)]


def _module_parameters(function) -> list[tuple[str, bool]]:
    # "def f(values: ndarray[shape=(*, *)], rounds: int, first: int = \0) -> ..."
    text = function.__nb_signature__[0][0].partition("(")[2]
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [(part.partition(":")[0].strip(), " = " in part) for part in parts if part.strip()]
