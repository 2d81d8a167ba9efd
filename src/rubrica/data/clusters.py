"""Which inputs belong together (a topic, a source document): resampling and tests treat a cluster as one unit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rubrica.errors import DataError, DataWarning, ParameterError

_ID = "id:"


@dataclass(frozen=True, slots=True)
class Clusters:
    """A name for signatures, and a function from an instance id to its cluster."""

    name: str
    label: Callable[[str], str]

    @classmethod
    def by_id(cls, pattern: str) -> Clusters:
        """Take the cluster from the instance id: what the pattern matches, or its first group."""
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise ParameterError(f"not a regular expression: {pattern!r} ({error})") from error

        def label(instance_id: str) -> str:
            match = compiled.search(instance_id)
            if match is None:
                raise DataError(
                    f"no cluster for input {instance_id!r}: its id does not match {pattern!r}"
                )
            return match[1] if compiled.groups and match[1] is not None else match[0]

        return cls(f"{_ID}{pattern}", label)

    @classmethod
    def from_mapping(cls, clusters: Mapping[str, str], name: str = "mapping") -> Clusters:
        """Take the cluster of each instance id from a mapping."""

        def label(instance_id: str) -> str:
            if instance_id not in clusters:
                raise DataError(f"no cluster for input {instance_id!r} ({name})")
            return clusters[instance_id]

        return cls(name, label)

    @classmethod
    def from_rows(
        cls, field: str, rows: Iterable[tuple[str, int, Mapping[str, object]]]
    ) -> Clusters:
        """Take the cluster from a field of rows (file, line, values), which must agree about an input."""
        clusters: dict[str, str] = {}
        for file, line, values in rows:
            if values.get(field) is None:
                known = ", ".join(list(values)[:12])
                raise DataError(
                    f"no field {field!r} to cluster by (found: {known}); "
                    f"for a part of the instance id write {_ID}REGEX",
                    file=file,
                    line=line,
                )
            instance_id, value = str(values.get("instance_id")), str(values[field])
            if clusters.setdefault(instance_id, value) != value:
                raise DataError(
                    f"input {instance_id!r} is in two clusters: {clusters[instance_id]!r} and {value!r}",
                    file=file,
                    line=line,
                )
        return cls.from_mapping(clusters, field)


ClusterRule: TypeAlias = Clusters | Mapping[str, str]


def cluster_pattern(text: str) -> str | None:
    """Return the regular expression of `id:REGEX`, or None where the text names a field."""
    return text.removeprefix(_ID) if text.startswith(_ID) else None


def labels_of(instance_ids: Sequence[str], rule: ClusterRule | None) -> dict[str, str] | None:
    """Return the cluster of each input; None without a rule. A single cluster is an error."""
    if rule is None:
        warn_of_clusters(instance_ids)
        return None
    clusters = rule if isinstance(rule, Clusters) else Clusters.from_mapping(rule)
    labels = {instance_id: clusters.label(instance_id) for instance_id in instance_ids}
    if len(set(labels.values())) < 2:
        raise ParameterError(
            f"all {len(labels)} inputs are in one cluster ({clusters.name}); at least two are needed"
        )
    return labels


# An id that ends in a number or letter after a separator: topic-3, d061_b, doc.12.
_PART = re.compile(r"(.+)[-_./:#](?:\d{1,3}|[A-Za-z])")


def suggested_pattern(instance_ids: Sequence[str]) -> str | None:
    """Return a pattern where ids look like parts of clusters (topic-1, topic-2 ...), otherwise None.

    Nearly all ids must end in a short part.
    """
    distinct = list(dict.fromkeys(instance_ids))
    stems = [match[1] for name in distinct if (match := _PART.fullmatch(name))]
    if len(stems) < 0.9 * len(distinct) or not hold_clusters(stems):
        return None
    return "^(.+)[-_./:#]"


def hold_clusters(labels: Collection[str]) -> bool:
    """Return whether labels of inputs divide them into at least five groups of two or more on average."""
    groups = len(set(labels))
    return groups >= 5 and len(labels) >= 2 * groups


def warn_of_clusters(instance_ids: Sequence[str]) -> None:
    """Warn where ids look like parts of clusters."""
    if pattern := suggested_pattern(instance_ids):
        first = next(iter(instance_ids))
        rule = f"clusters=Clusters.by_id({pattern!r})"
        warn_of_rule(f"instance ids such as {first!r}", rule, ", or a field")


def warn_of_rule(signs: str, rule: str, otherwise: str = "") -> None:
    """Warn that there are signs of clusters, which a rule would take into account."""
    warnings.warn(
        f"{signs} suggest clusters of inputs; independent resampling then gives too small p-values and intervals. "
        f"Use `{rule}`{otherwise}",
        DataWarning,
        stacklevel=4,
    )
