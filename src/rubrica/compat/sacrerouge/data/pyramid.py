"""Pyramids with SacreROUGE's methods: lists instead of tuples, and `from_xml`."""

from __future__ import annotations

import os
from typing import Self, TypeVar

import msgspec

from rubrica.data import pyramid as ours
from rubrica.data.ducview import TITLE, read_annotation, read_pyramid
from rubrica.data.files import open_binary
from rubrica.data.pyramid import SCU, Contributor, ContributorAnnotation, Part, SCUAnnotation

__all__ = [
    "SCU",
    "Contributor",
    "ContributorAnnotation",
    "Part",
    "Pyramid",
    "PyramidAnnotation",
    "SCUAnnotation",
]


R = TypeVar("R", bound=msgspec.Struct)


class PyramidAnnotation(ours.PyramidAnnotation, frozen=True, omit_defaults=True):
    """The SCUs of a pyramid that one summary expresses."""

    def __post_init__(self) -> None:
        _use_lists(self, "scus")

    @classmethod
    def from_xml(
        cls,
        instance_id: str,
        summarizer_id: str,
        summarizer_type: str,
        file_path_or_xml: str,
        pyramid: Pyramid,
    ) -> Self | None:
        """Return the annotation of a `.pan` file, or None for a blank summary."""
        xml, file = _content(file_path_or_xml)
        annotation = read_annotation(
            xml, instance_id, summarizer_id, summarizer_type, pyramid, file=file
        )
        return _as(cls, annotation) if annotation.summary.strip() else None


class Pyramid(ours.Pyramid, frozen=True, omit_defaults=True):
    """The references of one input and the SCUs found in them."""

    def __post_init__(self) -> None:
        _use_lists(self, "summaries", "summarizer_ids", "scus")

    def remove_summary(self, index: int) -> Pyramid:
        """Return the pyramid of the other references."""
        return _as(Pyramid, super().remove_summary(index))

    def get_annotation(self, index: int) -> PyramidAnnotation:
        """Return reference `index` as if it had been annotated like a peer."""
        return _as(PyramidAnnotation, super().get_annotation(index))

    @classmethod
    def from_xml(
        cls,
        instance_id: str,
        file_path_or_xml: str,
        default_document_regex: str | None = None,
        is_combined_file: bool = False,
    ) -> Self:
        """Return the pyramid of a `.pyr` file, or that inside a `.pan` file (`is_combined_file`)."""
        xml, file = _content(file_path_or_xml)
        title = default_document_regex or TITLE
        return _as(cls, read_pyramid(xml, instance_id, file=file, title=title))


def _content(path_or_xml: str) -> tuple[str | bytes, str]:
    """XML, and the name of the file that it is from."""
    if not os.path.exists(path_or_xml):
        return path_or_xml, "XML"
    with open_binary(path_or_xml) as stream:
        return stream.read(), path_or_xml


def _as(cls: type[R], record: msgspec.Struct) -> R:
    return cls(*(getattr(record, name) for name in record.__struct_fields__))


def _use_lists(record: msgspec.Struct, *names: str) -> None:
    for name in names:
        msgspec.structs.force_setattr(record, name, list(getattr(record, name)))
