"""Constructor parameters as data: the source of options, configuration keys and signatures."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Union, Unpack, get_args, get_origin

from rubrica.errors import DefinitionError, ParameterError, UnknownNameError

REQUIRED = inspect.Parameter.empty
# The default seed of everything random.
SEED = 12345
IMPORT_REFUSED = (
    "is not imported: addresses module:name in a file need --trust-config on the command line, "
    "or allow_import=True in Python"
)


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
        """Return whether a value of exactly this type is among those allowed."""
        return kind in _alternatives(self.annotation)

    @property
    def many(self) -> bool:
        """Whether it takes a list, tuple or mapping."""
        kinds = (get_origin(kind) or kind for kind in _alternatives(self.annotation))
        return any(
            isinstance(kind, type) and kind is not str and issubclass(kind, _CONTAINERS)
            for kind in kinds
        )

    @property
    def takes_function(self) -> bool:
        """Whether it takes a function, which a configuration names by its address."""
        return any(get_origin(kind) is Callable for kind in _alternatives(self.annotation))

    def metavar(self) -> str:
        """Return the placeholder for the value in a usage line."""
        for kind in _alternatives(self.annotation):
            if get_origin(kind) is typing.Literal:
                return "|".join(str(value) for value in get_args(kind))
            if kind in _WORD_FOR:
                return _WORD_FOR[kind]
        return "X"

    def type_text(self) -> str:
        """Return the type as help texts show it."""
        return _type_text(self.annotation)

    def convert(self, value: Any, *, where: str = "") -> Any:
        """Return the value as the declared type, or raise `ParameterError`; never coerces silently."""
        import msgspec

        if self.annotation is Any:
            return value
        try:
            # JSON and TOML write 1 for 1.0; msgspec takes that for a float, never 1.5 for an int.
            return msgspec.convert(value, self.annotation, dec_hook=_path)
        except msgspec.ValidationError as error:
            raise ParameterError(
                f"{where}parameter {self.name!r} takes {self.type_text()}, not {value!r}"
            ) from error
        except TypeError:
            # A type msgspec does not know (a class of ours): the constructor checks it.
            return value

    def refuse_lookalikes(self, value: Any, *, where: str = "") -> None:
        """Raise for a text where a boolean, number or choice is declared, and for 2.5 or 2^63 where an integer is."""
        kinds = _alternatives(self.annotation)
        choices = [k for k in kinds if get_origin(k) is typing.Literal]
        plain = choices or not {bool, int, float}.isdisjoint(kinds)
        if isinstance(value, str) and str not in kinds and plain:
            self.convert(value, where=where)
        if isinstance(value, float) and int in kinds and float not in kinds:
            raise ParameterError(
                f"{where}parameter {self.name!r} takes {self.type_text()}, not {value!r}"
            )

        if type(value) is int and int in kinds and not -(2**63) <= value < 2**63:
            # Kernels count in 64 bits.
            raise ParameterError(
                f"{where}parameter {self.name!r} takes a whole number of 64 bits, not {value}"
            )

    def as_declared(self, value: Any) -> Any:
        """Return a whole number as a float if only floats are declared, so that 1 and 1.0 are equal."""
        if type(value) is int and self.accepts(float) and not self.accepts(int):
            return float(value)
        return value

    def parse(self, text: str) -> Any:
        """Return the value of command-line words: as a plain type, else as JSON."""
        import msgspec

        kinds = _alternatives(self.annotation)
        # "none" may be a valid text (a tokenizer's name); "null" never is.
        if type(None) in kinds and text.lower() in (
            ("null",) if str in kinds else ("none", "null")
        ):
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

    def parse_many(self, words: list[str]) -> Any:
        """Return a list or mapping from words: one word of JSON, `key=value` words, or plain words."""
        import msgspec

        if len(words) == 1 and words[0].lower() in ("none", "null"):
            return self.convert(None)
        if len(words) == 1 and words[0][:1] in "[{":
            try:
                return self.convert(msgspec.json.decode(words[0].encode()))
            except msgspec.DecodeError as error:
                raise ParameterError(
                    f"{self.name}: not valid JSON: {words[0]} ({error})"
                ) from error
        kinds = [get_origin(kind) or kind for kind in _alternatives(self.annotation)]
        if any(isinstance(kind, type) and issubclass(kind, Mapping) for kind in kinds):
            value_types = [get_args(kind)[1:] for kind in _alternatives(self.annotation)]
            if (str,) in value_types:
                # A plain name stands for itself: `bart t5` is `bart=bart t5=t5`.
                words = [word if "=" in word else f"{word}={word}" for word in words]
            pairs = parse_pairs(words)
            # If any value is allowed, 2000 is a number and null is None.
            if (Any,) in value_types:
                return self.convert({key: _json_or_text(value) for key, value in pairs.items()})
            return self.convert(pairs)
        try:
            return self.convert([_plain(word) for word in words])
        except ParameterError:
            return self.convert(words)


_CONTAINERS = (list, tuple, set, frozenset, Mapping, Sequence)
_WORD_FOR: dict[Any, str] = {int: "N", float: "X", str: "TEXT", Path: "PATH"}


def _path(kind: type, value: Any) -> Any:
    """Return a text as a path where a path is declared, and an object of the declared class as it is."""
    if isinstance(value, kind):
        return value
    if issubclass(kind, PurePath) and isinstance(value, str):
        return kind(value)
    raise ValueError(f"not a {kind.__name__}")


def _json_or_text(value: str | list[str]) -> Any:
    """Return a word parsed as JSON, else the word itself."""
    import msgspec

    if isinstance(value, list):
        return [_json_or_text(item) for item in value]
    try:
        return msgspec.json.decode(value.encode())
    except msgspec.DecodeError:
        return value


def _plain(word: str) -> Any:
    """Return the word as a number if it is one."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def parse_pairs(words: Iterable[str]) -> dict[str, str | list[str]]:
    """Return words of a command line, `["a=x", "b=y,z"]`, as a mapping.

    A comma at the end makes a list of one: `b=y,`.
    """
    pairs: dict[str, str | list[str]] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key, values = key.strip(), [part.strip() for part in text.removesuffix(",").split(",")]
        if not (key and equals and all(values)):
            raise ParameterError(f"expected key=value or key=value1,value2; not {word!r}")
        if key in pairs:
            raise ParameterError(f"{key!r} is given twice; write {key}=a,b for two values")
        pairs[key] = values if "," in text else values[0]
    return pairs


_WORDS = {
    **dict.fromkeys(("true", "yes", "y", "t", "on", "1"), True),
    **dict.fromkeys(("false", "no", "n", "f", "off", "0"), False),
}


def parameters_of(cls: type) -> list[Parameter]:
    """Return the constructor's parameters, described by the class's or the constructor's `Args:` section."""
    constructor = vars(cls).get("__init__") or cls.__init__  # type: ignore[misc]
    if constructor is object.__init__:
        return []
    hints = _hints(constructor)
    described = {**_descriptions(cls.__doc__), **_descriptions(constructor.__doc__)}
    parameters = []
    for name, parameter in list(inspect.signature(constructor).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD and get_origin(hints.get(name)) is Unpack:
            parameters += _shared_parameters(get_args(hints[name])[0])
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        parameters.append(
            Parameter(
                name, hints.get(name, _guess(parameter)), parameter.default, described.get(name, "")
            )
        )
    return parameters


def _shared_parameters(options: Any) -> list[Parameter]:
    """Return parameters that several constructors take as `**options: Unpack[...]`; their default is None."""
    described = _descriptions(options.__doc__)
    return [
        Parameter(name, hint, None, described.get(name, ""))
        for name, hint in typing.get_type_hints(options).items()
    ]


def build(
    cls: type[Any], values: Mapping[str, Any], *, what: str, allow_import: bool = False
) -> Any:
    """Return an instance from named values, checked against the constructor.

    A parameter that takes a function takes its address `module:name` only with `allow_import`.
    """
    known = {parameter.name: parameter for parameter in parameters_of(cls)}
    arguments = {}
    for name, value in values.items():
        parameter = known.get(name) or known.get(name.replace("-", "_"))
        if parameter is None:
            raise UnknownNameError("parameter", name, known, owner=what)
        address = parameter.takes_function and isinstance(value, str) and ":" in value
        if address and not allow_import:
            raise ParameterError(
                f"{what}: parameter {parameter.name!r}: {value!r} {IMPORT_REFUSED}"
            )
        arguments[parameter.name] = parameter.convert(value, where=f"{what}: ")
    missing = [p.name for p in known.values() if p.required and p.name not in arguments]
    if missing:
        raise ParameterError(f"{what} needs {', '.join(missing)}")
    try:
        return cls(**arguments)
    except SystemExit as error:
        raise DefinitionError(f"{what} ends the program when it is made: {error!r}") from error


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except NameError:
        # The annotation uses names imported for type checkers only.
        return {}


def _guess(parameter: inspect.Parameter) -> Any:
    default = parameter.default
    return Any if default is REQUIRED or default is None else type(default)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(
            kind for alternative in get_args(annotation) for kind in _alternatives(alternative)
        )
    return (annotation,)


def _type_text(annotation: Any) -> str:
    kinds = _alternatives(annotation)
    if len(kinds) > 1:
        return " or ".join(_type_text(kind) for kind in kinds)
    if get_origin(annotation) is typing.Literal:
        return "one of " + ", ".join(str(value) for value in get_args(annotation))
    if annotation in _TYPE_TEXTS:
        return _TYPE_TEXTS[annotation]
    if get_origin(annotation) is not None:
        return "JSON " + str(annotation).replace("typing.", "").replace("collections.abc.", "")
    return getattr(annotation, "__name__", str(annotation))


_TYPE_TEXTS: dict[Any, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
}
_ENTRY = re.compile(r"^(\w+)(?: \([^)]*\))?: (.*)$")


def _descriptions(docstring: str | None) -> dict[str, str]:
    """Return the parameter descriptions of an `Args:` section, with continuation lines joined."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    if "Args:" not in lines:
        return {}
    descriptions: dict[str, str] = {}
    name = indent = ""
    for line in lines[lines.index("Args:") + 1 :]:
        if line and not line.startswith(" "):
            break
        indent = indent or line[: len(line) - len(line.lstrip())]
        entry = _ENTRY.match(line[len(indent) :])
        if entry:
            name = entry[1]
            descriptions[name] = entry[2]
        elif name and line.strip():
            descriptions[name] += " " + line.strip()
    return descriptions
