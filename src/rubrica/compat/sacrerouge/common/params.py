"""Parameters of a configuration file: JSON or Jsonnet, with overrides merged deeply."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from rubrica.data.files import open_binary
from rubrica.errors import DataError, MissingResourceError, ParameterError


class ConfigurationError(ParameterError):
    """A configuration that cannot be used."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


_REQUIRED: Any = object()


class Params(MutableMapping[str, Any]):
    """A mapping whose values are taken with `pop`, so that what is left over is known to be unknown."""

    DEFAULT = _REQUIRED

    def __init__(self, params: Mapping[str, Any], history: str = "") -> None:
        self.params: dict[str, Any] = _none_for_text(dict(params))
        self.history = history

    def pop(self, key: str, default: Any = _REQUIRED, keep_as_dict: bool = False) -> Any:
        """Remove a value and return it; mappings are `Params` unless `keep_as_dict`."""
        if key not in self.params and default is _REQUIRED:
            raise ConfigurationError(f'key "{key}" is required at location "{self.history}"')
        value = self.params.pop(key, default)
        return value if keep_as_dict or value is default else self._wrapped(key, value)

    def pop_int(self, key: str, default: Any = _REQUIRED) -> int | None:
        """Remove a value and return it as an integer."""
        value = self.pop(key, default)
        return None if value is None else int(value)

    def pop_float(self, key: str, default: Any = _REQUIRED) -> float | None:
        """Remove a value and return it as a float."""
        value = self.pop(key, default)
        return None if value is None else float(value)

    def pop_bool(self, key: str, default: Any = _REQUIRED) -> bool | None:
        """Remove a value and return it; the words `true` and `false` are understood."""
        value = self.pop(key, default)
        if value is None or isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return bool(value == "true")
        raise ValueError(f"cannot convert variable to bool: {value}")

    def pop_choice(
        self, key: str, choices: list[Any], default_to_first_choice: bool = False
    ) -> Any:
        """Remove a value that must be one of `choices` (or the full path of a class)."""
        value = self.pop(key, choices[0] if default_to_first_choice else _REQUIRED)
        if value not in choices and "." not in str(value):
            raise ConfigurationError(f"{value} not in acceptable choices for {key}: {choices}")
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value and leave it in place."""
        return self._wrapped(key, self.params[key]) if key in self.params else default

    def as_dict(self, quiet: bool = False, infer_type_and_cast: bool = False) -> dict[str, Any]:
        """Return the values as a plain mapping."""
        return self.params

    def as_flat_dict(self) -> dict[str, Any]:
        """Return the values by dotted keys."""
        return dict(_flattened(self.params))

    def duplicate(self) -> Params:
        """Return an independent copy."""
        return Params(copy.deepcopy(self.params), self.history)

    def assert_empty(self, class_name: str) -> None:
        """Raise where values are left that nothing has taken."""
        if self.params:
            raise ConfigurationError(f"Extra parameters passed to {class_name}: {self.params}")

    def to_file(self, params_file: str, preference_orders: Any = None) -> None:
        """Write the values as JSON."""
        with open(params_file, "w", encoding="utf-8") as stream:
            json.dump(self.params, stream, indent=4)

    @classmethod
    def from_file(
        cls,
        params_file: str | os.PathLike[str],
        params_overrides: str | Mapping[str, Any] | None = "",
        ext_vars: Mapping[str, str] | None = None,
    ) -> Params:
        """Read a JSON or Jsonnet file; overrides are merged into it, key by key.

        Environment variables are Jsonnet's external variables, beside `ext_vars`.
        """
        name = os.fspath(params_file)
        with open_binary(name) as stream:
            text = stream.read().decode("utf-8")
        variables = {**os.environ, **(ext_vars or {})}
        values = _evaluated(text, name, variables)
        overrides = params_overrides or {}
        if isinstance(overrides, str):
            overrides = _evaluated(overrides, "--overrides", variables)
        return cls(with_fallback(unflatten(overrides), values))

    def _wrapped(self, key: str, value: Any) -> Any:
        history = f"{self.history}{key}."
        if isinstance(value, Mapping):
            return Params(value, history)
        if isinstance(value, list):
            return [self._wrapped(f"{key}.{at}", item) for at, item in enumerate(value)]
        return value

    def __getitem__(self, key: str) -> Any:
        return self._wrapped(key, self.params[key])

    def __setitem__(self, key: str, value: Any) -> None:
        self.params[key] = value

    def __delitem__(self, key: str) -> None:
        del self.params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self.params)

    def __str__(self) -> str:
        return f"{self.history}Params({self.params})"


def with_fallback(preferred: Any, fallback: Any) -> Any:
    """Return `fallback` with the values of `preferred` put over it at every depth.

    A mapping over a list replaces the items whose places its keys name.
    """
    if isinstance(preferred, Mapping) and isinstance(fallback, Mapping):
        return {
            **fallback,
            **{
                key: with_fallback(value, fallback[key]) if key in fallback else value
                for key, value in preferred.items()
            },
        }
    if isinstance(preferred, Mapping) and isinstance(fallback, list):
        merged = list(fallback)
        for key, value in preferred.items():
            if not (str(key).isdigit() and int(key) < len(merged)):
                raise ConfigurationError(f"could not find key {key!r} in a list of {len(merged)}")
            merged[int(key)] = with_fallback(value, merged[int(key)])
        return merged
    return preferred


def unflatten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted keys as nested mappings: `{"a.b": 1}` is `{"a": {"b": 1}}`."""
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *parents, last = key.split(".")
        node = nested
        for parent in parents:
            node = node.setdefault(parent, {})
            if not isinstance(node, dict):
                raise ConfigurationError(f"key {key!r} and the key of its parent are both set")
        node[last] = value
    return nested


def parse_overrides(serialized_overrides: str | None) -> dict[str, Any]:
    """Return overrides, a JSON or Jsonnet object with dotted keys, as nested mappings."""
    text = serialized_overrides or "{}"
    return unflatten(_evaluated(text, "--overrides", dict(os.environ)))


def _evaluated(text: str, name: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """The object that a text holds: as JSON, else as Jsonnet."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        values = json.loads(_jsonnet(text, name, variables, error))
    if not isinstance(values, dict):
        raise DataError("must hold an object", file=name)
    return values


def _jsonnet(text: str, name: str, variables: Mapping[str, str], error: Exception) -> str:
    try:
        import _jsonnet
    except ImportError:
        raise MissingResourceError(
            f"{name}: not JSON ({error}); if it is Jsonnet: pip install 'rubrica[jsonnet]'"
        ) from error
    try:
        evaluated = _jsonnet.evaluate_snippet(name, text, ext_vars=dict(variables))
    except RuntimeError as problem:
        raise DataError(f"neither JSON ({error}) nor Jsonnet: {problem}", file=name) from problem
    return str(evaluated)


def _none_for_text(value: Any) -> Any:
    """The text "None" as null, as AllenNLP reads it."""
    if isinstance(value, dict):
        return {key: _none_for_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_none_for_text(inner) for inner in value]
    return None if value == "None" else value


def _flattened(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
