"""Objects that remember the arguments of their constructor, and have a signature by them."""

from __future__ import annotations

import inspect
import sys
from typing import Any, ClassVar, Self

import rubrica
from rubrica.core import kernels
from rubrica.parameters import parameters_of
from rubrica.signature import Signature, value_text


class Configured:
    """Records the arguments it is constructed with, by the names of the parameters."""

    name: ClassVar[str] = ""
    _parameters: dict[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Record the constructor's arguments, for signatures and configurations."""
        configured = super().__new__(cls)
        try:
            bound = inspect.signature(cls.__init__).bind_partial(configured, *args, **kwargs)
            values = dict(list(bound.arguments.items())[1:])
        except TypeError:
            # Wrong arguments: the constructor raises a better error.
            values = {}
        for name, parameter in inspect.signature(cls.__init__).parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                values |= values.pop(name, {})
        for known in parameters_of(cls):
            if known.name in values:
                known.refuse_lookalikes(values[known.name], where=f"{cls.name or cls.__name__}: ")
                values[known.name] = known.as_declared(values[known.name])
        configured._parameters = values
        # An instance attribute, so that it keeps its name in another process, where nothing registered it.
        configured.__dict__["name"] = cls.name
        return configured

    def __repr__(self) -> str:
        """Return the constructor call, without parameters at their default."""
        changed = ", ".join(f"{name}={value!r}" for name, value in self._changed().items())
        return f"{type(self).__name__}({changed})"

    @property
    def label(self) -> str:
        """Its registered name, or its class's where it has none."""
        return self.name or type(self).__name__

    def parameters(self) -> dict[str, Any]:
        """Return every constructor parameter with its value."""
        known = parameters_of(type(self))
        values = {
            p.name: self._parameters.get(p.name, p.default)
            for p in known
            if p.name in self._parameters or not p.required
        }
        return {**values, **self._parameters}

    def signature(self) -> Signature:
        """Return the signature: everything that decides the metric's numbers."""
        # A metric of another package changes with that package's version, not with ours.
        package = type(self).__module__.partition(".")[0]
        theirs = getattr(sys.modules.get(package), "__version__", None)
        origin = {"package": f"{package}-{theirs}"} if theirs and package != "rubrica" else {}
        return Signature(
            self.label,
            {**self.signature_parameters(), **origin},
            core=kernels.IMPLEMENTATION,
            version=rubrica.__version__,
        )

    def signature_parameters(self) -> dict[str, str]:
        """Return the choices a signature shows: parameters that are not at their default."""
        return {name: value_text(value) for name, value in self._changed().items()}

    def _changed(self) -> dict[str, Any]:
        defaults = {p.name: p.default for p in parameters_of(type(self))}
        return {
            name: value
            for name, value in self.parameters().items()
            if name not in defaults
            or (type(value), value) != (type(defaults[name]), defaults[name])
        }
