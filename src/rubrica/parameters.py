"""Constructor parameters as data: what options, configuration files and signatures are made of."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin

from rubrica.errors import ParameterError, UnknownNameError

REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """One constructor parameter: its name, type, default and description."""

    name: str
    annotation: Any
    default: Any
    help: str = ""

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    def accepts(self, kind: type) -> bool:
        """Whether a value of exactly this type is among those allowed."""
        return kind in _alternatives(self.annotation)

    def type_text(self) -> str:
        """The type as a reader of help texts wants it."""
        return _type_text(self.annotation)

    def convert(self, value: Any, *, where: str = "") -> Any:
        """The value as the declared type, or a `ParameterError`; nothing is coerced silently."""
        import msgspec

        if self.annotation is Any:
            return value
        try:
            # JSON and TOML write 1 for 1.0; msgspec takes that for a float, never 1.5 for an int.
            return msgspec.convert(value, self.annotation)
        except msgspec.ValidationError as error:
            raise ParameterError(
                f"{where}parameter {self.name!r} takes {self.type_text()}, not {value!r} ({error})"
            ) from error
        except TypeError:
            # A type msgspec does not know (a class of ours): the constructor judges.
            return value

    def parse(self, text: str) -> Any:
        """The value from the words of a command line: as a plain type, else as JSON."""
        import msgspec

        kinds = _alternatives(self.annotation)
        if type(None) in kinds and text.lower() in ("none", "null"):
            return None
        if bool in kinds and text.lower() in _WORDS:
            return _WORDS[text.lower()]
        for kind in (int, float):
            if kind in kinds:
                try:
                    return kind(text)
                except ValueError:
                    continue
        if str in kinds or any(get_origin(k) is typing.Literal for k in kinds):
            return self.convert(text)
        try:
            return self.convert(msgspec.json.decode(text.encode()))
        except msgspec.DecodeError:
            return self.convert(text)


_WORDS = {
    **dict.fromkeys(("true", "yes", "y", "t", "on", "1"), True),
    **dict.fromkeys(("false", "no", "n", "f", "off", "0"), False),
}


def parameters_of(cls: type) -> list[Parameter]:
    """The constructor's parameters, described by the class's or the constructor's `Args:` section."""
    constructor = vars(cls).get("__init__") or cls.__init__  # type: ignore[misc]
    if constructor is object.__init__:
        return []
    hints = _hints(constructor)
    described = {**_described(cls.__doc__), **_described(constructor.__doc__)}
    found = []
    for name, parameter in list(inspect.signature(constructor).parameters.items())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        found.append(
            Parameter(
                name, hints.get(name, _guess(parameter)), parameter.default, described.get(name, "")
            )
        )
    return found


def build(cls: type[Any], values: Mapping[str, Any], *, what: str) -> Any:
    """Make an instance from named values, checked against the constructor."""
    known = {parameter.name: parameter for parameter in parameters_of(cls)}
    made = {}
    for name, value in values.items():
        parameter = known.get(name) or known.get(name.replace("-", "_"))
        if parameter is None:
            raise UnknownNameError(f"parameter of {what}", name, known)
        made[parameter.name] = parameter.convert(value, where=f"{what}: ")
    missing = [p.name for p in known.values() if p.required and p.name not in made]
    if missing:
        raise ParameterError(f"{what} needs {', '.join(missing)}")
    return cls(**made)


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except NameError:
        # Names imported for type checkers only.
        return {}


def _guess(parameter: inspect.Parameter) -> Any:
    default = parameter.default
    return Any if default is REQUIRED or default is None else type(default)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(kind for one in get_args(annotation) for kind in _alternatives(one))
    return (annotation,)


def _type_text(annotation: Any) -> str:
    kinds = _alternatives(annotation)
    if len(kinds) > 1:
        return " or ".join(_type_text(kind) for kind in kinds)
    if get_origin(annotation) is typing.Literal:
        return "one of " + ", ".join(str(one) for one in get_args(annotation))
    if annotation is type(None):
        return "none"
    if annotation is bool:
        return "true or false"
    if get_origin(annotation) is not None:
        return "JSON " + str(annotation).replace("typing.", "").replace("collections.abc.", "")
    return getattr(annotation, "__name__", str(annotation))


_ENTRY = re.compile(r"^(\w+)(?: \([^)]*\))?: (.*)$")


def _described(docstring: str | None) -> dict[str, str]:
    """Parameter descriptions of an `Args:` section, with continuation lines joined."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    if "Args:" not in lines:
        return {}
    found: dict[str, str] = {}
    name = indent = ""
    for line in lines[lines.index("Args:") + 1 :]:
        if line and not line.startswith(" "):
            break
        indent = indent or line[: len(line) - len(line.lstrip())]
        entry = _ENTRY.match(line[len(indent) :])
        if entry:
            name = entry[1]
            found[name] = entry[2]
        elif name and line.strip():
            found[name] += " " + line.strip()
    return found
