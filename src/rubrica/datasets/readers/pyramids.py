"""Pyramids in one file, the annotations of summaries against them in others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.jsonl import convert, read_jsonl
from rubrica.data.pyramid import Part, Pyramid, PyramidAnnotation
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import input_files, join_sides
from rubrica.datasets.readers.row import Row, language_of, listed, quoted
from rubrica.errors import DataWarning, MismatchError


@DatasetReader.register("pyramid-based")
class PyramidBasedReader(DatasetReader):
    """JSON lines: pyramids in one file, annotations in others; all pyramids are held in memory.

    Args:
        pyramids: Files of pyramids. Without it the first input file is the pyramids.
        include_reference_annotations: Whether to add, after all annotations, each reference of each
            pyramid seen as a `reference`, with the pyramid of the other references.
        check_spans: Whether a part's `text` must be what stands at `start:end` of its summary.
    """

    fields = ("annotation", "pyramid")

    def __init__(
        self,
        pyramids: list[str] | None = None,
        include_reference_annotations: bool = True,
        check_spans: bool = True,
    ) -> None:
        self.pyramids = pyramids
        self.include_reference_annotations = include_reference_annotations
        self.check_spans = check_spans

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The annotations of all files, in order, then those of the references."""
        sources, annotations = join_sides(
            self.name, files, self.pyramids, first="pyramids", second="annotations"
        )
        known = self._pyramids(sources)
        # Pyramids seen, in order, with the references that have a row of their own.
        seen: dict[str, set[str]] = {}
        unknown, first_unknown = 0, ""
        for file in annotations:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                annotation = self.annotation(row)
                if annotation.instance_id not in known:
                    raise MismatchError(
                        f"no pyramid for instance {quoted(annotation.instance_id)} in "
                        f"{', '.join(sources)}, which has {len(known)} (ids: {listed(known, 3)})",
                        file=file,
                        line=line,
                    )
                pyramid = known[annotation.instance_id][0]
                own = seen.setdefault(pyramid.instance_id, set())
                if annotation.summarizer_type == "reference":
                    own.add(annotation.summarizer_id)
                strange = annotation.get_scu_id_set() - {scu.scu_id for scu in pyramid.scus}
                unknown += len(strange)
                first_unknown = first_unknown or (row.origin if strange else "")
                yield annotated(annotation, pyramid, row.origin)
        if unknown:
            # Not an error: published annotations have such units (annotators' own, or id 0), and
            # the pyramid score gives them no weight by definition.
            warnings.warn(
                f"{unknown} annotated SCU ids are not in their pyramids and count nothing "
                f"(first at {first_unknown})",
                DataWarning,
                stacklevel=2,
            )
        if self.include_reference_annotations:
            for name, own in seen.items():
                yield from reference_instances(*known[name], own)

    def read_pyramids(self, *files: str) -> list[Pyramid]:
        """The pyramids of the files alone, in order, without annotations."""
        pyramids = self._pyramids(input_files(self.name, files))
        return [pyramid for pyramid, _ in pyramids.values()]

    def _pyramids(self, files: Sequence[str]) -> dict[str, tuple[Pyramid, str]]:
        pyramids: dict[str, tuple[Pyramid, str]] = {}
        for file in files:
            for line, values in read_jsonl(file):
                row = Row(values, file, line, self.name)
                pyramid = self.pyramid(row)
                first = pyramids.setdefault(pyramid.instance_id, (pyramid, row.origin))
                if first[0] != pyramid:
                    raise MismatchError(
                        f"instance {quoted(pyramid.instance_id)} has another pyramid at {first[1]}; "
                        "remove one",
                        file=file,
                        line=line,
                    )
        return pyramids

    def pyramid(self, row: Row) -> Pyramid:
        """The pyramid in a row, checked."""
        ids = row.required("summarizer_ids")
        texts = row.required("summaries")
        row.required("scus")
        if not isinstance(ids, list) or not isinstance(texts, list) or len(ids) != len(texts):
            raise row.error("'summaries' and 'summarizer_ids' must be lists of the same length")
        names = [row.as_identifier(identifier, "summarizer_ids") for identifier in ids]
        if len(set(names)) < len(names):
            raise row.error(f"'summarizer_ids' has a name twice ({listed(names)})")
        values = {
            "instance_id": row.identifier("instance_id"),
            "summarizer_ids": names,
            "language": language_of(row.values),
        }
        pyramid = convert({**row.values, **values}, Pyramid, row.file, row.line)
        if len({scu.scu_id for scu in pyramid.scus}) < len(pyramid.scus):
            raise row.error("an 'scu_id' occurs twice")
        for i, scu in enumerate(pyramid.scus):
            for j, contributor in enumerate(scu.contributors):
                where = f"scus[{i}].contributors[{j}]"
                if not 0 <= contributor.summary_index < len(texts):
                    raise row.error(
                        f"{where}: no summary {contributor.summary_index} among {len(texts)}"
                    )
                self._check(
                    row, where, pyramid.summaries[contributor.summary_index], contributor.parts
                )
        return pyramid

    def annotation(self, row: Row) -> PyramidAnnotation:
        """The annotation in a row, checked."""
        row.required("summary")
        row.required("scus")
        values = {name: row.identifier(name) for name in ("instance_id", "summarizer_id")}
        values["language"] = language_of(row.values)
        row.as_type(row.required("summarizer_type"), "summarizer_type")
        annotation = convert({**row.values, **values}, PyramidAnnotation, row.file, row.line)
        for i, scu in enumerate(annotation.scus):
            for j, contributor in enumerate(scu.contributors):
                where = f"scus[{i}].contributors[{j}]"
                self._check(row, where, annotation.summary, contributor.parts)
        return annotation

    def _check(self, row: Row, where: str, summary: str, parts: Sequence[Part]) -> None:
        for number, part in enumerate(parts if self.check_spans else ()):
            there = summary[part.start : part.end] if 0 <= part.start <= part.end else ""
            if there != part.text:
                raise row.error(
                    f"{where}.parts[{number}]: the summary has {quoted(there)} at "
                    f"{part.start}:{part.end}, not {quoted(part.text)}; offsets count code points "
                    "from 0 (to read it anyway, set check_spans=false)"
                )


def reference_instances(pyramid: Pyramid, origin: str, own: set[str]) -> Iterator[EvalInstance]:
    """Each reference as an annotated summary, against the pyramid of the others."""
    if len(pyramid.summaries) < 2:
        return
    for index, name in enumerate(pyramid.summarizer_ids):
        if name not in own:
            yield annotated(pyramid.get_annotation(index), pyramid.remove_summary(index), origin)


def annotated(annotation: PyramidAnnotation, pyramid: Pyramid, origin: str) -> EvalInstance:
    """An annotated summary with its pyramid."""
    ids = (annotation.instance_id, annotation.summarizer_id, annotation.summarizer_type)
    return EvalInstance(*ids, Fields(annotation=annotation, pyramid=pyramid), origin)
