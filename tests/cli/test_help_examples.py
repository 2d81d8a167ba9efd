"""Every command's help ends with an example, which the command's own parser accepts."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from importlib import import_module

import pytest

from rubrica.cli.app import main
from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.cli.verbs import VERBS, Command, Group
from rubrica.metrics import ADDRESSES

VERBATIM = {"rouge155"}
# First words of help texts that are names.
NAMES = {"Williams'"}


def _commands() -> dict[str, str]:
    modules: dict[str, str] = {}
    for name, entry in VERBS.items():
        if isinstance(entry, Group):
            modules |= {f"{name} {word}": own.module for word, own in entry.commands.items()}
        else:
            modules[name] = entry.module
    # The commands of single metrics.
    modules |= {
        "bleurt convert-checkpoint": "rubrica.cli.setup.convert_bleurt",
        "qa-eval convert-checkpoint": "rubrica.cli.setup.convert_qaeval",
        "sum-qe convert-checkpoint": "rubrica.cli.setup.convert_sumqe",
        "alignscore convert-checkpoint": "rubrica.cli.setup.convert_alignscore",
        "bertscore make-baseline": "rubrica.cli.setup.make_baseline",
    }
    return modules


def _parser(command: Command, name: str, words: list[str]) -> Parser:
    parser = Parser(prog=f"rubrica {name}", description="")
    add_general_options(parser)
    command.add_arguments(parser, words)
    return parser


@pytest.mark.parametrize("name", sorted(set(_commands()) - VERBATIM))
def test_the_example_of_a_command_parses(name: str) -> None:
    command: Command = import_module(_commands()[name])
    example = _parser(command, name, []).example
    # Without the shell's words around it.
    for line in re.findall(r"rubrica [^()|]+", example):
        words = shlex.split(line)
        count = 1 + len(name.split())
        assert words[:count] == ["rubrica", *name.split()]
        _parser(command, name, words[count:]).parse(words[count:])
    assert example


@pytest.mark.parametrize("name", sorted(set(_commands()) - VERBATIM))
def test_usage_has_what_a_command_needs_and_no_list_of_options(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command: Command = import_module(_commands()[name])
    with suppress(SystemExit):
        _parser(command, name, []).parse(["--help"])
    assert "[-h]" not in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(set(_commands()) - VERBATIM))
def test_help_of_options_is_made_of_fragments(name: str) -> None:
    command: Command = import_module(_commands()[name])
    for action in _parser(command, name, [])._actions:
        text = re.sub(r"\([^()]*\)$", "", action.help or "").strip()
        assert not text.endswith((".", " ")) or text.endswith("..."), text
        assert not re.match(r"(A|[A-Z][a-z]+) ", text) or text.split()[0] in NAMES, text
        assert (action.help or "").count("(default") <= 1, action.help


@pytest.mark.parametrize("words", [["rouge155"], ["compare"], ["rouge"], ["rouge", "score"]])
def test_help_shows_the_example(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):
        main([*words, "--help"])
    assert f"example:\n  rubrica {words[0]} " in capsys.readouterr().out


def test_the_commands_of_metrics_are_those_tested() -> None:
    names = {name.split()[0] for name in _commands() if name.split()[0] not in VERBS}
    assert names <= set(ADDRESSES)
