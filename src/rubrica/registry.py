"""Registries: classes by name, imported on first use.

Two entry points: `get` accepts registered names only and serves names from files; `load` also imports addresses
`module:Class` and serves names that the user typed (SECURITY.md).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rubrica.aliases import find_spelling, spelling, without_f1
from rubrica.errors import (
    DefinitionError,
    MissingResourceError,
    ParameterError,
    UnknownNameError,
)
from rubrica.parameters import IMPORT_REFUSED, build

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
C = TypeVar("C", bound=type)

# Kinds that `rubrica list` shows.
_LISTED = {"metric", "reader", "data set", "provider"}


class Registry(Generic[T]):
    """Classes of one kind by name.

    A name is known from three sources: the built-in table of addresses (`"module:attribute"`),
    classes registered by a decorator, and entry points of other installed packages. Nothing is
    imported before it is needed.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        base: type[T],
        builtin: Mapping[str, str],
        *,
        aliases: Mapping[str, str] | None = None,
        hints: Mapping[str, str] | None = None,
    ) -> None:
        """`aliases` are other names; `hints` say what to write instead of a name that is none."""
        self.kind, self.group, self._base = kind, group, base
        self._aliases = {spelling(name): registered for name, registered in (aliases or {}).items()}
        self._hints = {spelling(name): hint for name, hint in (hints or {}).items()}
        self._known: dict[str, type[T] | str] = dict(builtin)
        self._plugins: dict[str, EntryPoint] | None = None

    def register(self, name: str, *, replace: bool = False) -> Callable[[C], C]:
        """Return a class decorator that registers the class as `name`."""

        def add(cls: C) -> C:
            self._add(name, cls, replace)
            return cls

        return add

    def _add(self, name: str, cls: type[T], replace: bool) -> None:
        if not name or name.startswith("-") or any(c.isspace() or c == ":" for c in name):
            raise DefinitionError(
                f"{self.kind} name {name!r} is invalid: no blanks, no colon, no leading hyphen"
            )
        registered = self._known.get(name)
        # Importing a built-in module, or importing a module again, registers the same class again.
        same = registered is not None and _address(registered) == _address(cls)
        if registered is not None and not same and not replace:
            raise DefinitionError(
                f"{self.kind} {name!r} is already registered ({registered}); "
                "choose another name or register with replace=True"
            )
        self._known[name] = cls
        cls.name = name  # type: ignore[attr-defined]

    def builtin_names(self) -> list[str]:
        """Return the names known without looking at other installed packages, which is slow."""
        return sorted(name for name in self._known if ":" not in name)

    def names(self) -> list[str]:
        """Return all names, including those of plug-ins."""
        return sorted({*self.builtin_names(), *self._entry_points()})

    def get(self, name: str) -> type[T]:
        """Return the class registered as `name`. An address `module:Class` is never imported.

        Use this for names from files: rows, signatures, configurations.
        """
        name = self.resolve(name)
        known = self._known.get(name)
        if isinstance(known, type):
            return known
        if known is not None:
            return self._check(name, load_address(known, f"{self.kind} {name!r}"))
        plugin = self._entry_points().get(name)
        if plugin is not None:
            return self._check(name, load_address(plugin.value, f"plug-in {self.kind} {name!r}"))
        if ":" in name:
            raise UnknownNameError(self.kind, name, (), remedy=f"(an address {IMPORT_REFUSED})")
        if hint := self._hints.get(spelling(name)):
            raise UnknownNameError(self.kind, name, (), remedy=f"({hint})")
        see = f"See: rubrica list {self.kind.replace(' ', '')}s. " if self.kind in _LISTED else ""
        raise UnknownNameError(self.kind, name, self.names(), remedy=see + _own(self.kind))

    def resolve(self, name: str) -> str:
        """Return the registered name that an alias or another spelling means; any other name as it is."""
        if name in self._known or ":" in name:
            return name
        if (alias := self._aliases.get(spelling(name))) is not None:
            return alias if name not in self._entry_points() else name
        names = self.names()
        return find_spelling(name, names) or find_spelling(without_f1(name), names) or name

    def load(self, name: str) -> type[T]:
        """Return the class registered as `name`, or import the class at the address `module:Class`.

        Use this for names that the user typed: on the command line or in Python.
        """
        if ":" in name and name not in self._known:
            return self._check(name, load_address(name, f"{self.kind} {name!r}"))
        return self.get(name)

    def find(self, name: str) -> type[T] | None:
        """Return the class registered as exactly `name`; None for any other name.

        Rows of others name metrics of others: their `BLEU` is not an alias of ours.
        """
        registered = name in self._known or name in self._entry_points()
        return self.get(name) if registered else None

    def make(self, config: str | Mapping[str, Any], *, allow_import: bool = False) -> T:
        """Return an instance from a name, or from `{"type": name, parameter: value, ...}`.

        Addresses `module:name` in the configuration are imported only with `allow_import`.
        """
        if not isinstance(config, (str, Mapping)):
            raise ParameterError(f"a {self.kind} is its name or a table with a 'type': {config!r}")
        values = {"type": config} if isinstance(config, str) else dict(config)
        name = values.pop("type", None)
        if not isinstance(name, str):
            raise ParameterError(f"a {self.kind} needs a 'type', its name: {config!r}")
        cls = self.load(name) if allow_import else self.get(name)
        instance = build(cls, values, what=f"{self.kind} {name!r}", allow_import=allow_import)
        assert isinstance(instance, self._base)
        return instance

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name in self._known or self.resolve(name) in {*self._known, *self._entry_points()}

    def _entry_points(self) -> dict[str, EntryPoint]:
        if self._plugins is None:
            # Imported here: it is the slowest part of start-up and rarely needed.
            from importlib.metadata import entry_points

            self._plugins = {point.name: point for point in entry_points(group=self.group)}
        return self._plugins

    def _check(self, name: str, cls: object) -> type[T]:
        if not (isinstance(cls, type) and issubclass(cls, self._base)):
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise DefinitionError(
                f"{name!r} is not {article} {self.kind}: it must extend {self._base}"
            )
        # A class loaded by address may not have registered its own name.
        if "name" not in vars(cls):
            cls.name = name  # type: ignore[attr-defined]
        # Register an imported address, so that a configuration from `to_config` can be loaded.
        self._known[name] = cls
        return cls


def _own(kind: str) -> str:
    return f"Is it your own {kind}? Import its module first: --include-packages MODULE"


def _address(cls: type | str) -> str:
    return cls if isinstance(cls, str) else f"{cls.__module__}:{cls.__qualname__}"


def load_address(address: str, what: str) -> object:
    """Import the module of `module:attribute` and return the attribute; this runs the module's code."""
    module_name, _, attribute = address.partition(":")
    try:
        value: object = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        # A third-party module may fail in any way, and must not end the program.
        raise MissingResourceError(
            f"{what} cannot be imported from {address!r}: {type(error).__name__}: {error}"
        ) from error
    for part in attribute.split("."):
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise DefinitionError(f"{what}: module {module_name!r} has no {attribute!r}") from error
    return value
