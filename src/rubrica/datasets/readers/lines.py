"""Line-aligned plain text: line n of every file belongs to input n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat, zip_longest
from typing import get_args

from rubrica.core import kernels
from rubrica.data.columns import Column
from rubrica.data.files import read_text_lines
from rubrica.data.instance import EvalInstance, Fields, SummarizerType, Text
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.inputs import extension, input_files, names
from rubrica.datasets.readers.line_blocks import LineBlock, read_blocks
from rubrica.datasets.readers.row import listed
from rubrica.datasets.readers.sentences import SHOWN, Marks, check, recognise, split
from rubrica.errors import DataError, MismatchError, ParameterError, UnknownNameError, place

# Files whose lines are not texts.
_TABLES = (".csv", ".tsv", ".tab", ".json", ".jsonl", ".parquet", ".arrow", ".feather", ".xlsx")
# So many lines are looked at before the kind of sentence marks is decided.
ROWS_EXAMINED = 1000
LINES_AT_ONCE = 4096


@DatasetReader.register("text")
class LineAlignedReader(DatasetReader):
    """Plain text, a summary per line and a system per file. Blank lines are empty summaries.

    Args:
        references: Files of references, one reference per line; several files give several.
        documents: Files of documents, one document per line; several files give several.
        sentences: What marks the sentences in a line: `none`, `tags` (<t> a </t> <t> b </t>),
            `q` (a <q> b), `x_sep` (a [X_SEP] b), `newline` (a backslash and an n), or `auto`, which
            recognises these in each file.
        ids: File of input ids, one per line; null numbers the lines from 1.
        summarizer_ids: The systems' names, one per input file; null takes the files' names without
            extension, and without folder unless two names would be the same.
        summarizer_type: Type of the summaries: `peer` or `reference`.
    """

    optional_fields = ("references", "documents")

    def __init__(
        self,
        references: list[str] | None = None,
        documents: list[str] | None = None,
        sentences: Marks = "auto",
        ids: str | None = None,
        summarizer_ids: list[str] | None = None,
        summarizer_type: SummarizerType = "peer",
    ) -> None:
        if sentences not in get_args(Marks):
            raise UnknownNameError("sentence marks", sentences, get_args(Marks))
        self.references, self.documents = references or [], documents or []
        self.sentences, self.ids = sentences, ids
        self.summarizer_ids, self.summarizer_type = summarizer_ids, summarizer_type
        self._recognised: dict[str, str] = {}

    def describe(self) -> str:
        """The sentence marks that were recognised, a line for each kind."""
        by_kind: dict[str, list[str]] = {}
        for file, kind in self._recognised.items():
            by_kind.setdefault(SHOWN[kind], []).append(file)
        return "\n".join(
            f"no sentence marks in {', '.join(files)}: a line is one sentence"
            if kind == SHOWN["none"]
            else f"sentence marks: {kind} in {', '.join(files)}"
            for kind, files in by_kind.items()
        )

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """System by system, each in the order of its lines."""
        aligned = [*self.references, *self.documents, *([self.ids] if self.ids else [])]
        # The aligned files are read anew for each system, which stdin does not allow.
        named = input_files(self.name, files, aligned * len(files))
        for name in (*named, *aligned):
            _check_plain(name)
        self._recognised = {}
        for file, system in zip(named, self._systems(named), strict=True):
            yield from self._system(file, system)

    def _system(self, file: str, system: str) -> Iterator[EvalInstance]:
        texts = [file, *self.references, *self.documents]
        ids = [_ids(self.ids)] if self.ids else []
        columns = _aligned(
            [*texts, *([self.ids] if self.ids else [])], [*map(self._texts, texts), *ids]
        )
        end = 1 + len(self.references)
        for number, (summary, *others) in enumerate(columns, 1):
            fields = Fields(summary=summary)
            if self.references:
                fields["references"] = others[: end - 1]
            if self.documents:
                fields["documents"] = others[end - 1 : len(texts) - 1]
            name = str(others[-1]) if self.ids else str(number)
            yield EvalInstance(name, system, self.summarizer_type, fields, place(file, number))

    def columns(self, file: str) -> Iterator[dict[str, Column] | None]:
        """Yield the summaries of one file with their references and documents, in batches of columns.

        None comes instead where `read` must look at every line: sentence marks, standard input, files that are
        not UTF-8 or have different numbers of lines.
        """
        files = [file, *self.references, *self.documents]
        for name in files:
            _check_plain(name)
        if self.sentences != "none" or "-" in files:
            yield None
            return
        blocks = (read_blocks(name, repeat(LINES_AT_ONCE)) for name in files)
        for own in zip_longest(*blocks):
            yield self._column_batch(own)

    def _column_batch(self, blocks: Sequence[LineBlock | None]) -> dict[str, Column] | None:
        columns = [kernels.split_lines(block.data) for block in blocks if block is not None]
        texts = [column for column in columns if column is not None]
        if len(texts) < len(blocks) or len({*map(len, texts)}) > 1:
            return None
        end = 1 + len(self.references)
        fields: dict[str, Column] = {"summary": texts[0]}
        for name, own in (("references", texts[1:end]), ("documents", texts[end:])):
            if own:
                fields[name] = kernels.zip_columns(own)
        return fields

    def _systems(self, files: Sequence[str]) -> Sequence[str]:
        systems = self.summarizer_ids or names(files)
        if len(systems) != len(files):
            raise ParameterError(
                f"reader {self.name!r}: {len(systems)} summarizer_ids for {len(files)} input files"
            )
        if len(set(systems)) < len(systems):
            twice = [file for file in files if files.count(file) > 1]
            raise ParameterError(
                f"reader {self.name!r}: "
                + (
                    f"{twice[0]} is named twice"
                    if twice and not self.summarizer_ids
                    else f"two input files would have the same system name ({listed(systems)}); "
                    "name each file once, under a name of its own"
                )
            )
        return systems

    def _texts(self, file: str) -> Iterator[Text]:
        """The texts of a file, split into sentences."""
        lines = read_text_lines(file)
        kind: str = self.sentences
        if kind == "auto":
            head = list(islice(lines, ROWS_EXAMINED))
            kind = self._recognised[file] = recognise(head, file)
            lines = chain(head, lines)
        for number, line in lines:
            if self.sentences == "auto":
                check(line, kind, file, number)
            yield split(line, kind, file, number)


def _ids(file: str) -> Iterator[Text]:
    for number, line in read_text_lines(file):
        if not line.strip():
            raise DataError("a blank line where an instance id should be", file=file, line=number)
        yield line.strip()


def _check_plain(file: str) -> None:
    """Raise an error for a table, whose lines would be scored with their header, ids and commas."""
    if extension(file) in _TABLES:
        raise DataError(
            f"a table by its ending, but one text per line is needed here; write its texts to a .txt file, or score "
            f"the table, references included: rubrica evaluate {file} -m METRIC",
            file=file,
        )


def _aligned(files: Sequence[str], columns: Sequence[Iterator[Text]]) -> Iterator[list[Text]]:
    """The columns side by side; when one ends before another, both are named with their lengths."""
    for count, texts in enumerate(zip_longest(*columns)):
        if None not in texts:
            yield list(texts)
            continue
        lengths = [
            # The text in hand and what is left of it; a column that gave None is used up.
            count + (0 if text is None else 1 + sum(1 for _ in column))
            for text, column in zip(texts, columns, strict=True)
        ]
        short, long = lengths.index(count), lengths.index(max(lengths))
        raise MismatchError(
            "the files must have the same number of lines: "
            f"{files[short]} has {count}, {files[long]} has {lengths[long]}"
        )
