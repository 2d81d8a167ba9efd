"""Constructor signatures as command-line options: one `--option` per parameter, in both spellings."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable
from typing import Any

from rubrica.cli.parser import Parser
from rubrica.errors import RubricaError
from rubrica.parameters import Parameter, parameters_of


def add_parameters(
    parser: Parser,
    title: str,
    cls: type,
    *,
    prefix: str,
    taken_prefix: str = "",
    only: Container[str] | None = None,
) -> list[tuple[str, Parameter]]:
    """Add an option for every constructor parameter of `cls`, or for some `only`.

    Returns (name in the parsed namespace, parameter) pairs. If the name of an option is taken, the option
    is spelled with `taken_prefix`.
    """
    parameters = [p for p in parameters_of(cls) if only is None or p.name in only]
    group = parser.add_argument_group(title) if parameters else None
    taken = set(parser.option_names())
    destinations = []
    for parameter in parameters:
        names = _spellings(parameter.name)
        if taken & set(names):
            names = _spellings(f"{taken_prefix}{parameter.name}")
        elif parameter.name == "seed" and taken_prefix:
            # Some commands have a seed of their own; the longer spelling works in all.
            names += _spellings(f"{taken_prefix}{parameter.name}")
        assert group is not None
        destination = f"{prefix}{parameter.name}"
        group.add_argument(
            *names,
            dest=destination,
            default=argparse.SUPPRESS,
            required=parameter.required,
            help=_help(parameter),
            **_argument(parameter),
        )
        destinations.append((destination, parameter))
    return destinations


def explicit_parameters(
    arguments: argparse.Namespace, destinations: Iterable[tuple[str, Parameter]]
) -> dict[str, Any]:
    """Return the parameters that the command line gives, by their own names."""
    values = vars(arguments)
    return {
        parameter.name: values[destination]
        for destination, parameter in destinations
        if destination in values
    }


def _spellings(name: str) -> list[str]:
    return list(dict.fromkeys([f"--{name}", f"--{name.replace('_', '-')}"]))


def _argument(parameter: Parameter) -> dict[str, Any]:
    if parameter.accepts(bool):
        return {
            "nargs": "?",
            "const": True,
            "type": _typed(parameter),
            "metavar": "true|false",
        }
    if parameter.many:
        return {"nargs": "+", "action": _Many, "parameter": parameter, "metavar": "X"}
    return {"type": _typed(parameter), "metavar": parameter.metavar()}


class _Many(argparse.Action):
    """Several words, or one word of JSON, for a list or a mapping."""

    def __init__(self, *words: Any, parameter: Parameter, **options: Any) -> None:
        self.parameter = parameter
        super().__init__(*words, **options)
        self._words = f"words of {self.dest}"

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        # A repeated option adds words, as those of `_Store` do.
        words = [*getattr(namespace, self._words, ()), *values]
        setattr(namespace, self._words, words)
        try:
            setattr(namespace, self.dest, self.parameter.parse_many(words))
        except RubricaError as error:
            raise argparse.ArgumentError(self, str(error)) from error


def _typed(parameter: Parameter) -> Any:
    def parse(text: str) -> Any:
        try:
            return parameter.parse(text)
        except RubricaError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parse


def _help(parameter: Parameter) -> str:
    text = _fragment(parameter.help)
    if parameter.required:
        text = f"{text} (required)"
    elif parameter.default is not None:
        # Where it is null, the description says what happens.
        text = f"{text} (default: {_shown(parameter.default)})"
    # argparse formats help with %, so a percent sign in a description must be doubled.
    return text.strip().replace("%", "%%")


def _fragment(sentence: str) -> str:
    """Return a description from a docstring as help shows texts: in lower case, without a full stop."""
    text = sentence if sentence.endswith("...") else sentence.removesuffix(".")
    first = text.partition(" ")[0]
    # Words such as ROUGE, JSON and T5 are names.
    return text[:1].lower() + text[1:] if first[1:].islower() or first == "A" else text


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return str(default) or "''"
