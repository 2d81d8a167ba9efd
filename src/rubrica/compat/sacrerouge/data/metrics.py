"""`MetricsDict` and `Metrics` with SacreROUGE's behaviour: keys are created, rows change in place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from rubrica import data
from rubrica.errors import MismatchError


class MetricsDict(data.MetricsDict):
    """Rubrica's `MetricsDict`, but reading a missing key creates an empty one in its place."""

    __slots__ = ()

    def __init__(self, initial_dict: Mapping[str, Any] | None = None) -> None:
        super().__init__(initial_dict)

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, Mapping):
            dict.__setitem__(self, key, MetricsDict(value))
        else:
            super().__setitem__(key, value)

    def __missing__(self, key: str) -> MetricsDict:
        created = MetricsDict()
        dict.__setitem__(self, key, created)
        return created

    def copy(self) -> MetricsDict:
        """Return a deep copy."""
        return MetricsDict(self)

    def flatten_keys(self) -> MetricsDict:
        """Return one level, paths joined by `_`; of two paths with one name the last counts."""
        return MetricsDict({"_".join(path): value for path, value in self.leaves()})

    def select_metrics(self, metrics: Iterable[str]) -> MetricsDict:
        """Return the values of these keys; missing ones are empty."""
        return MetricsDict({name: self[name] for name in metrics})

    def average_values(self) -> MetricsDict:
        """Return a copy in which lists are replaced by their means."""
        return MetricsDict(super().average_values())

    def __add__(self, other: object) -> MetricsDict:
        return MetricsDict(super().__add__(other))

    def __radd__(self, other: object) -> MetricsDict:
        return self.copy() if other == 0 else MetricsDict(super().__radd__(other))

    def __truediv__(self, denominator: float) -> MetricsDict:
        return MetricsDict(super().__truediv__(denominator))


def average(rows: list[MetricsDict]) -> MetricsDict:
    """Return the mean of rows as SacreROUGE computes it: summed in order, then divided."""
    total: MetricsDict = sum(rows[1:], rows[0].copy())
    return total / len(rows)


class Metrics:
    """The scores of one summary; its methods change it in place."""

    # What is written, in this order.
    serialized_keys: ClassVar = ("instance_id", "summarizer_id", "summarizer_type", "metrics")

    def __init__(
        self,
        instance_id: str,
        summarizer_id: str,
        summarizer_type: str,
        metrics: MetricsDict | dict[str, Any] | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.summarizer_id = summarizer_id
        self.summarizer_type = summarizer_type
        self.metrics = MetricsDict(metrics or {})

    def flatten_keys(self) -> None:
        """Flatten the measures' names."""
        self.metrics = self.metrics.flatten_keys()

    def average_values(self) -> None:
        """Replace lists by their means."""
        self.metrics = self.metrics.average_values()

    def select_metrics(self, metrics: Iterable[str]) -> None:
        """Drop all other measures."""
        self.metrics = self.metrics.select_metrics(metrics)

    def merge(self, other: Metrics) -> None:
        """Take over the measures of another row of the same summary; its values win."""
        if self._ids() != other._ids():
            raise MismatchError(
                f"cannot merge scores of different summaries: {self._ids()}, {other._ids()}"
            )
        for key, value in other.metrics.items():
            self.metrics[key] = value

    def _ids(self) -> tuple[str, str, str]:
        return self.instance_id, self.summarizer_id, self.summarizer_type

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Metrics) and self._ids() == other._ids()
        return same and self.metrics == other.metrics  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return json.dumps(self.serialize(self))

    @staticmethod
    def serialize(metrics: Metrics, **_: Any) -> dict[str, Any]:
        """Return what is written of a row."""
        return {key: getattr(metrics, key) for key in Metrics.serialized_keys}


# Code that writes and reads rows by `jsons` gets the keys in SacreROUGE's order.
try:
    import jsons
except ImportError:
    pass
else:
    jsons.set_serializer(Metrics.serialize, Metrics)
    jsons.set_deserializer(lambda values, cls, **_: cls(**values), Metrics)
