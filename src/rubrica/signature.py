"""Signatures: how a number was computed, in one line for a paper.

`rouge|profile:rouge-1.5.5|max_ngram:2|core:native|v:0.1.0|data:9f2c41d07ab3|bs:1000|seed:12345`
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote

from rubrica.errors import DataError

# Characters not escaped in a value; the separators ':' and '|' and blanks are.
_MEMORY_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_SAFE = "/*+,.=<>()[]{}\"'-_~^#@!?;&"


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name, the choices that decide its values, and what they were applied to.

    Parameters left at their default are not listed: the version fixes the defaults.
    """

    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    core: str = ""
    version: str = ""
    data: str = ""
    run: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        tail = {"core": self.core, "v": self.version, "data": self.data, **self.run}
        # A metric may have a parameter named like a fact of the run: seed.
        facts = ((f"run_{k}" if k in self.parameters else k, v) for k, v in tail.items() if v)
        parts = [*self.parameters.items(), *facts]
        return "|".join(
            [quote(self.name, safe=_SAFE), *(f"{k}:{quote(v, safe=_SAFE)}" for k, v in parts)]
        )

    def applied(self, data: str, **facts: Any) -> Signature:
        """Return this signature with the data's digest and facts such as `refs=3, seed=12345`."""
        return replace(self, data=data, run={k: value_text(v) for k, v in facts.items()})


def parse_signature(line: str) -> tuple[str, dict[str, str]]:
    """Return the name and all parts of a signature line."""
    name, *parts = line.strip().split("|")
    if not name or not all(":" in part for part in parts):
        raise DataError(f"not a signature: {line!r}")
    pairs = (part.partition(":") for part in parts)
    return unquote(name), {key: unquote(value) for key, _, value in pairs}


def merge_signatures(signatures: Sequence[Signature]) -> Signature:
    """Return one signature for several results of one method: where they differ, with all values."""
    values: dict[str, dict[str, None]] = {}
    for signature in signatures:
        for key, value in signature.parameters.items():
            values.setdefault(key, {})[value] = None
    data = "+".join(dict.fromkeys(signature.data for signature in signatures))
    parameters = {key: "+".join(distinct) for key, distinct in values.items()}
    return replace(signatures[0], parameters=parameters, data=data)


def value_text(value: Any) -> str:
    """Return a parameter's value as a signature shows it; never with a memory address."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, (list, tuple, set, frozenset)):
        values = sorted(value) if isinstance(value, (set, frozenset)) else value
        return "+".join(value_text(item) for item in values)
    if isinstance(value, Mapping):
        return "+".join(f"{key}={value_text(item)}" for key, item in value.items())
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    kind: Any = type(value)
    if (kind.__str__, kind.__repr__) == (object.__str__, object.__repr__):
        public = {k: v for k, v in getattr(value, "__dict__", {}).items() if k[:1] != "_"}
        shown = ",".join(f"{key}={value_text(item)}" for key, item in public.items())
        return f"{kind.__module__}.{kind.__qualname__}({shown})"
    return _MEMORY_ADDRESS.sub("", str(value))
