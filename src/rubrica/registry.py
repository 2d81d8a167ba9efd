"""Names for things: a registry maps a name to a class, or to the address of one not yet imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rubrica.errors import (
    DefinitionError,
    MissingResourceError,
    ParameterError,
    UnknownNameError,
)
from rubrica.parameters import build

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
C = TypeVar("C", bound=type)


class Registry(Generic[T]):
    """Classes of one kind by name.

    A name is known from three sources: the built-in table of addresses (`"module:attribute"`),
    classes registered by a decorator, and entry points of other installed packages. Nothing is
    imported before it is asked for.
    """

    def __init__(self, kind: str, group: str, base: type[T], builtin: Mapping[str, str]) -> None:
        self.kind, self.group, self._base = kind, group, base
        self._known: dict[str, type[T] | str] = dict(builtin)
        self._plugins: dict[str, EntryPoint] | None = None

    def register(self, name: str, *, replace: bool = False) -> Callable[[C], C]:
        """Class decorator: make the class known as `name`."""

        def add(cls: C) -> C:
            self._add(name, cls, replace)
            return cls

        return add

    def _add(self, name: str, cls: type[T], replace: bool) -> None:
        if not name or name.startswith("-") or any(c.isspace() or c == ":" for c in name):
            raise DefinitionError(
                f"{self.kind} name {name!r} cannot be used: no blanks, no colon, no leading hyphen"
            )
        there = self._known.get(name)
        address = f"{cls.__module__}:{cls.__qualname__}"
        # Importing a built-in module, or importing a module again, registers the same class again.
        same = there == address or (
            isinstance(there, type) and f"{there.__module__}:{there.__qualname__}" == address
        )
        if there is not None and not same and not replace:
            raise DefinitionError(
                f"{self.kind} {name!r} is registered already ({there}); "
                "choose another name or register with replace=True"
            )
        self._known[name] = cls
        cls.name = name  # type: ignore[attr-defined]

    def builtin_names(self) -> list[str]:
        """Names known without looking at other installed packages (which costs start-up time)."""
        return sorted(self._known)

    def names(self) -> list[str]:
        """All names, those of plug-ins included."""
        return sorted({*self._known, *self._entry_points()})

    def get(self, name: str) -> type[T]:
        """The class called `name`, or the class at the address `module:Class`."""
        found = self._known.get(name)
        if isinstance(found, type):
            return found
        if found is not None:
            return self._check(name, _load(found, f"{self.kind} {name!r}"))
        if ":" in name:
            return self._check(name, _load(name, f"{self.kind} {name!r}"))
        plugin = self._entry_points().get(name)
        if plugin is not None:
            return self._check(name, _load(plugin.value, f"plug-in {self.kind} {name!r}"))
        raise UnknownNameError(
            self.kind, name, self.names(), remedy=f"See: rubrica list {self.kind}s"
        )

    def find(self, name: str) -> type[T] | None:
        """The class registered as `name`; None for any other name. No address is imported."""
        return self.get(name) if name in self.names() else None

    def make(self, config: str | Mapping[str, Any]) -> T:
        """An instance from a name, or from `{"type": name, parameter: value, ...}`."""
        if not isinstance(config, (str, Mapping)):
            raise ParameterError(f"a {self.kind} is its name or a table with a 'type': {config!r}")
        values = {"type": config} if isinstance(config, str) else dict(config)
        name = values.pop("type", None)
        if not isinstance(name, str):
            raise ParameterError(f"a {self.kind} needs a 'type', its name: {config!r}")
        made = build(self.get(name), values, what=f"{self.kind} {name!r}")
        assert isinstance(made, self._base)
        return made

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (
            name in self._known or ":" in name or name in self._entry_points()
        )

    def _entry_points(self) -> dict[str, EntryPoint]:
        if self._plugins is None:
            # Imported here: it is the dearest part of start-up, and seldom needed.
            from importlib.metadata import entry_points

            self._plugins = {point.name: point for point in entry_points(group=self.group)}
        return self._plugins

    def _check(self, name: str, cls: object) -> type[T]:
        if not (isinstance(cls, type) and issubclass(cls, self._base)):
            raise DefinitionError(f"{name!r} is not a {self.kind}: it must extend {self._base}")
        # A class loaded by address may not have registered itself under a name of its own.
        if "name" not in vars(cls):
            cls.name = name  # type: ignore[attr-defined]
        if ":" not in name:
            self._known[name] = cls
        return cls


def _load(address: str, what: str) -> object:
    module_name, _, attribute = address.partition(":")
    try:
        found: object = importlib.import_module(module_name)
    except Exception as error:
        # A module of somebody else's may fail in any way.
        raise MissingResourceError(
            f"{what} cannot be imported from {address!r}: {type(error).__name__}: {error}"
        ) from error
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise DefinitionError(f"{what}: module {module_name!r} has no {attribute!r}") from error
    return found
