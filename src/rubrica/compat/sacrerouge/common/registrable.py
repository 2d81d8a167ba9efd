"""Classes by name: `Registrable` keeps the names, `FromParams` makes objects from parameters."""

from __future__ import annotations

import importlib
import inspect
import types
import typing
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar, Union, get_args, get_origin

from rubrica.compat.sacrerouge.common.params import ConfigurationError, Params

C = TypeVar("C", bound=type)
_NO_DEFAULT = inspect.Parameter.empty


class FromParams:
    """Can be made from `Params`: a value for each parameter of the constructor."""

    @classmethod
    def from_params(
        cls,
        params: Params | Mapping[str, Any] | str,
        constructor_to_call: Any = None,
        **extras: Any,
    ) -> Self:
        """Return an object; for a base class, one of the subclass that `type` names."""
        if isinstance(params, str):
            params = Params({"type": params})
        values = params if isinstance(params, Params) else Params(params)
        constructor: Any = constructor_to_call or cls
        if cls in Registrable._registry and constructor_to_call is None:
            choice = values.pop("type", getattr(cls, "default_implementation", None) or _NO_DEFAULT)
            if choice is _NO_DEFAULT:
                raise ConfigurationError(f'key "type" is required at location "{values.history}"')
            constructor = cls.by_name(choice)  # type: ignore[attr-defined]
        return typing.cast(Self, constructor(**create_kwargs(constructor, cls, values, **extras)))


class Registrable(FromParams):
    """A base class that keeps a registry of its subclasses."""

    _registry: ClassVar[dict[type, dict[str, tuple[type, str | None]]]] = defaultdict(dict)
    default_implementation: ClassVar[str | None] = None

    @classmethod
    def register(
        cls, name: str, constructor: str | None = None, exist_ok: bool = False
    ) -> Callable[[C], C]:
        """Class decorator: make a subclass known as `name`."""
        registry = Registrable._registry[cls]

        def add(subclass: C) -> C:
            # A module imported under two names registers the same class twice.
            if name in registry and not exist_ok and registry[name][0] is not subclass:
                raise ConfigurationError(
                    f"Cannot register {name} as {cls.__name__}; "
                    f"name already in use for {registry[name][0].__name__}"
                )
            registry[name] = (subclass, constructor)
            return subclass

        return add

    @classmethod
    def by_name(cls, name: str) -> Any:
        """Return what makes an object of the registered subclass."""
        subclass, constructor = cls.resolve_class_name(name)
        return getattr(subclass, constructor) if constructor else subclass

    @classmethod
    def resolve_class_name(cls, name: str) -> tuple[type, str | None]:
        """Return the class called `name` (or at the path `package.module.Class`) and its constructor."""
        if name in Registrable._registry[cls]:
            return Registrable._registry[cls][name]
        module, _, attribute = name.rpartition(".")
        if not module:
            known = ", ".join(sorted(Registrable._registry[cls]))
            raise ConfigurationError(
                f"{name} is not a registered name for {cls.__name__} (there are: {known}); load your "
                "own code with --include-packages, or give the full path package.module.Class"
            )
        try:
            return getattr(importlib.import_module(module), attribute), None
        except (ModuleNotFoundError, AttributeError) as error:
            raise ConfigurationError(f"no class at the path {name!r}: {error}") from error

    @classmethod
    def list_available(cls) -> list[str]:
        """Return all names, the default first."""
        names = list(Registrable._registry[cls])
        default = cls.default_implementation
        return names if default is None else [default, *(n for n in names if n != default)]


def create_kwargs(constructor: Any, cls: type, params: Params, **extras: Any) -> dict[str, Any]:
    """Return the arguments of a constructor, taken from `params`; what is left over is an error."""
    if constructor is object or getattr(constructor, "__init__", None) is object.__init__:
        params.assert_empty(cls.__name__)
        return {}
    arguments: dict[str, Any] = {}
    open_ended = False
    for name, parameter in constructor_parameters(constructor).items():
        if parameter.kind is parameter.VAR_KEYWORD:
            open_ended = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            if name in extras:
                arguments[name] = extras[name]
            elif name in params or parameter.default is _NO_DEFAULT:
                value = params.pop(name)
                arguments[name] = construct_arg(
                    cls.__name__, name, value, parameter.annotation, parameter.default
                )
    if open_ended:
        arguments |= {name: params.pop(name, keep_as_dict=True) for name in list(params)}
    params.assert_empty(cls.__name__)
    return arguments


def constructor_parameters(constructor: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class or function by name, without `self`, annotations evaluated."""
    function = constructor.__init__ if isinstance(constructor, type) else constructor  # type: ignore[misc]
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:
        # Names that only type checkers import.
        signature = inspect.signature(function)
    return {name: parameter for name, parameter in signature.parameters.items() if name != "self"}


def construct_arg(
    class_name: str, argument_name: str, value: Any, annotation: Any, default: Any
) -> Any:
    """Return a value of a configuration as its annotation declares it."""
    origin, inner = get_origin(annotation), get_args(annotation)

    def item(part: Any, kind: Any) -> Any:
        return construct_arg(class_name, argument_name, part, kind, _NO_DEFAULT)

    if value is None or annotation in (Any, _NO_DEFAULT):
        return value.as_dict() if isinstance(value, Params) else value
    if isinstance(annotation, type) and issubclass(annotation, FromParams):
        return value if isinstance(value, annotation) else annotation.from_params(value)
    if annotation in _ACCEPTED:
        if not isinstance(value, _ACCEPTED[annotation]):
            raise TypeError(
                f"expected {argument_name} of {class_name} to be a {annotation.__name__}"
            )
        return value
    if origin in (Union, types.UnionType):
        for kind in inner:
            try:
                return item(value, kind)
            except (TypeError, ValueError):
                continue
        raise ConfigurationError(f"{class_name}: {argument_name}={value!r} is none of {annotation}")
    if origin is list and isinstance(value, (list, tuple)):
        return [item(part, inner[0]) for part in value]
    if origin is set and isinstance(value, (list, tuple, set)):
        return {item(part, inner[0]) for part in value}
    if origin is tuple and isinstance(value, (list, tuple)):
        kinds = [inner[0]] * len(value) if inner[1:] == (...,) else inner
        return tuple(item(part, kind) for part, kind in zip(value, kinds, strict=True))
    if origin is dict and isinstance(value, Mapping):
        return {key: item(value[key], inner[1]) for key in value}
    if origin in (list, set, tuple, dict):
        raise TypeError(f"expected {argument_name} of {class_name} to be a {annotation}")
    return value.as_dict() if isinstance(value, Params) else value


# SacreROUGE takes a truth value for a whole number, and a whole number for any number.
_ACCEPTED: dict[Any, Any] = {bool: int, int: int, float: (int, float), str: str}
