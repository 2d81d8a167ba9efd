"""DUCView's own files: pyramids (`.pyr`) and annotated summaries (`.pan`)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from rubrica.data.ducview import TITLE, read_annotation, read_pyramid
from rubrica.data.files import open_binary
from rubrica.data.instance import EvalInstance
from rubrica.data.pyramid import Pyramid
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import extension, input_files, stem
from rubrica.datasets.readers.pyramids import annotated, reference_instances
from rubrica.datasets.readers.row import quoted
from rubrica.errors import DataError, DataWarning, MismatchError

# A hundred times the largest file of DUC and TAC.
_LONGEST = 64 * 1024 * 1024


@DatasetReader.register("ducview")
class DucViewReader(DatasetReader):
    """DUCView's XML: a `.pan` file per annotated summary, with its pyramid inside or in a `.pyr` file.

    Args:
        pyramids: Files of pyramids (.pyr). They take the place of the pyramids inside .pan files, and
            so do input files whose names end in .pyr.
        title: Pattern of the lines before each reference, where a file has no startDocumentRegEx.
        match_labels: Know annotated content units by their labels, for files whose ids are wrong.
        default_summarizer_id: The system's name for .pan files without dots in their names.
        include_reference_annotations: Whether to add, after all annotations, each reference of each
            pyramid seen as a `reference`, with the pyramid of the other references.
    """

    fields = ("annotation", "pyramid")

    def __init__(
        self,
        pyramids: list[str] | None = None,
        title: str = TITLE,
        match_labels: bool = False,
        default_summarizer_id: str | None = None,
        include_reference_annotations: bool = True,
    ) -> None:
        self.pyramids, self.title, self.match_labels = pyramids, title, match_labels
        self.default_summarizer_id = default_summarizer_id
        self.include_reference_annotations = include_reference_annotations

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """The annotations of all files, in order, then those of the references."""
        named = input_files(self.name, files, self.pyramids)
        pyramids = [*(self.pyramids or ()), *(file for file in named if extension(file) == ".pyr")]
        known: dict[str, tuple[Pyramid, str]] = {}
        left_out: list[str] = []
        for file in pyramids:
            self._keep(known, _bytes(file), file, left_out)
        # Pyramids seen, in order, with the references that have a file of their own.
        seen: dict[str, set[str]] = {}
        for file in named:
            if extension(file) == ".pyr":
                continue
            data = _bytes(file)
            if pyramids:
                # Its pyramid only says which of those given is meant; that one was told about.
                name = self._pyramid(data, file, []).instance_id
                if name not in known:
                    raise MismatchError(
                        f"no pyramid of {quoted(name)} in {', '.join(pyramids)}", file=file
                    )
            else:
                name = self._keep(known, data, file, left_out)
            pyramid = known[name][0]
            summarizer = self._summarizer(file)
            own = seen.setdefault(name, set())
            kind = "reference" if summarizer in pyramid.summarizer_ids else "peer"
            if kind == "reference":
                own.add(summarizer)
            annotation = read_annotation(
                data,
                name,
                summarizer,
                kind,
                pyramid,
                file=file,
                match_labels=self.match_labels,
                tell=left_out.append,
            )
            yield annotated(annotation, pyramid, f"{file}:1")
        if left_out:
            warnings.warn(
                f"{len(left_out)} parts, contributors or content units have no place in their texts "
                f"and were left out (first: {left_out[0]})",
                DataWarning,
                stacklevel=2,
            )
        if self.include_reference_annotations:
            for name, own in seen.items():
                yield from reference_instances(*known[name], own)

    def _pyramid(self, data: bytes, file: str, left_out: list[str]) -> Pyramid:
        return read_pyramid(data, None, file=file, title=self.title, tell=left_out.append)

    def _keep(
        self, known: dict[str, tuple[Pyramid, str]], data: bytes, file: str, left_out: list[str]
    ) -> str:
        """Remember the pyramid of a file; its instance."""
        notes: list[str] = []
        pyramid = self._pyramid(data, file, notes)
        name = pyramid.instance_id
        if name not in known:
            known[name] = pyramid, f"{file}:1"
            left_out += notes
        elif known[name][0] != pyramid:
            raise MismatchError(
                f"instance {quoted(name)} has another pyramid in {known[name][1].rpartition(':')[0]}; "
                "give the right one alone, as a .pyr file",
                file=file,
            )
        return name

    def _summarizer(self, file: str) -> str:
        """`D0801-A.M.100.A.12.pan` is of system 12."""
        _, dot, name = stem(file).rpartition(".")
        system = name if dot else self.default_summarizer_id
        if not system:
            raise DataError(
                "the file's name does not say whose summary it is: call it INPUT.SUMMARIZER.pan, or "
                "set default_summarizer_id",
                file=file,
            )
        return system


def _bytes(file: str) -> bytes:
    with open_binary(file) as stream:
        data = stream.read(_LONGEST + 1)
    if len(data) > _LONGEST:
        raise DataError(f"longer than {_LONGEST // 2**20} MiB, which no pyramid is", file=file)
    return data
