"""`EvalInstance`, one summary to be scored, and the fields that it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from rubrica import data
from rubrica.compat.sacrerouge.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.data import DocumentType, ReferenceType, SummaryType

__all__ = [
    "DocumentType",
    "DocumentsField",
    "EvalInstance",
    "Field",
    "Fields",
    "PyramidAnnotationField",
    "PyramidField",
    "ReferenceType",
    "ReferencesField",
    "SummaryField",
    "SummaryType",
]


class Field:
    """One input of a metric; equal fields are scored together. Subclasses name their attribute in `holds`."""

    holds: ClassVar[str] = ""

    def to_input(self) -> Any:
        """Return what the metric is called with."""
        if not self.holds:
            raise NotImplementedError
        return getattr(self, self.holds)

    def _identity(self) -> Any:
        return _hashable(self.to_input())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Field) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


class SummaryField(Field):
    """The summary."""

    holds = "summary"

    def __init__(self, summary: SummaryType) -> None:
        self.summary = summary


class ReferencesField(Field):
    """The references."""

    holds = "references"

    def __init__(self, references: list[ReferenceType]) -> None:
        self.references = references


class DocumentsField(Field):
    """The documents."""

    holds = "documents"

    def __init__(self, documents: list[DocumentType]) -> None:
        self.documents = documents


class PyramidField(Field):
    """The pyramid; two are equal if they are of the same input and the same references."""

    holds = "pyramid"

    def __init__(self, pyramid: Pyramid) -> None:
        self.pyramid = pyramid

    def _identity(self) -> Any:
        return self.pyramid.instance_id, tuple(self.pyramid.summarizer_ids)


class PyramidAnnotationField(Field):
    """The annotation of a summary; two are equal if they are of the same summary."""

    holds = "annotation"

    def __init__(self, annotation: PyramidAnnotation) -> None:
        self.annotation = annotation

    def _identity(self) -> Any:
        return self.annotation.instance_id, self.annotation.summarizer_id


class Fields(dict[str, Field]):
    """Fields by name; it can be a key of a mapping."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        super().__init__()
        for name, field in fields.items():
            if not isinstance(field, Field):
                raise TypeError(f"field {name!r} is a {type(field).__name__}, not a Field")
            self[name] = field

    def select_fields(self, names: Iterable[str]) -> Fields:
        """Return only the named fields."""
        return Fields({name: self[name] for name in names})

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self[name] for name in sorted(self)))


class EvalInstance:
    """One summary: of input `instance_id`, by `summarizer_id`, a `peer` or a `reference`."""

    def __init__(
        self, instance_id: str, summarizer_id: str, summarizer_type: str, fields: Fields
    ) -> None:
        self.instance_id = instance_id
        self.summarizer_id = summarizer_id
        self.summarizer_type = summarizer_type
        self.fields = fields

    def __repr__(self) -> str:
        return (
            f"EvalInstance({self.instance_id!r}, {self.summarizer_id!r}, {self.summarizer_type!r})"
        )


_FIELDS: dict[str, Any] = {
    cls.holds: cls
    for cls in (SummaryField, ReferencesField, DocumentsField, PyramidField, PyramidAnnotationField)
}


def eval_instance(instance: data.EvalInstance) -> EvalInstance:
    """Return an instance that a reader of Rubrica read, with SacreROUGE's fields."""
    fields = Fields({name: _FIELDS[name](value) for name, value in instance.fields.items()})
    return EvalInstance(
        instance.instance_id, instance.summarizer_id, instance.summarizer_type, fields
    )


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value
