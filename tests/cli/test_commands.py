"""Every command follows one protocol, has one registry line, and shows an example in its help."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import pytest

from rubrica.cli.verbs import VERBS, Entry, Group

COMMANDS: dict[str, Entry] = {
    " ".join(filter(None, (name, inner))): entry
    for name, value in VERBS.items()
    for inner, entry in (value.commands.items() if isinstance(value, Group) else [("", value)])
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_a_module_with_add_arguments_and_run(name: str) -> None:
    module = import_module(COMMANDS[name].module)
    assert list(inspect.signature(module.add_arguments).parameters) == ["parser", "words"]
    assert module.__doc__
    assert callable(module.run)
    assert not hasattr(module, "main")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_goes_to_standard_output(name: str, rubrica: Any) -> None:
    answer = rubrica(*name.split(), "--help")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("usage: rubrica ")


@pytest.mark.parametrize(
    "group", [name for name, entry in VERBS.items() if isinstance(entry, Group)]
)
def test_a_group_lists_its_commands_and_suggests_near_names(group: str, rubrica: Any) -> None:
    entry = VERBS[group]
    assert isinstance(entry, Group)
    answer = rubrica(group, "--help")
    assert answer.code == 0
    assert all(f"  {command} " in answer.out for command in entry.commands)
    first = next(iter(entry.commands))
    answer = rubrica(group, f"{first}x")
    assert answer.code == 2
    assert f"did you mean {first}" in answer.err


def test_quiet_prints_the_result_unless_a_file_holds_it(rubrica: Any, tmp_path: Any) -> None:
    texts = tmp_path / "a.txt"
    texts.write_text("a cat sat\n")
    words = ("js", "evaluate", "--input-files", texts, "--references", texts)
    for option in ("-q", "--quiet", "--silent"):
        answer = rubrica(*words, option)
        assert answer.code == 0
        assert "js" in answer.out
        assert answer.err == ""
        assert rubrica(*words, option, "--macro-output-json", tmp_path / "o.json").out == ""
