"""`DatasetReader`: turns files into `EvalInstance`s, one at a time, with the place of every error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from rubrica.data.columns import ColumnBatch
from rubrica.data.instance import EvalInstance
from rubrica.datasets.readers import ADDRESSES
from rubrica.errors import DefinitionError
from rubrica.registry import C, Registry


class DatasetReader:
    """Reads any number of files. An author writes `read`; constructor parameters become options.

    `fields` names the fields that each of its instances has, `optional_fields` those that depend on
    the data or the parameters. A reader streams: it yields instances in the order of the input and
    holds no more than it must.
    """

    name: ClassVar[str] = ""
    fields: ClassVar[tuple[str, ...]] = ("summary",)
    optional_fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if cls.read is DatasetReader.read:
            raise DefinitionError(f"reader class {cls.__name__} must define read(*files)")

    def read(self, *files: str) -> Iterator[EvalInstance]:
        """Yield the instances of all files, in order."""
        raise TypeError(f"{type(self).__name__} does not define read")

    def pieces(self, files: Sequence[str], sizes: Iterator[int]) -> Iterator[Any]:
        """Yield the instances of all files in pieces of `next(sizes)` rows, for `read_piece`.

        A reader that can split files without parsing them yields raw parts instead. Then `read_piece`
        parses them, perhaps in another process.
        """
        stream = self.read(*files)
        for size in sizes:
            piece = list(islice(stream, size))
            if not piece:
                return
            yield piece

    def read_piece(self, piece: Any) -> Iterator[EvalInstance]:
        """Return the instances of a piece."""
        return iter(piece)

    def read_columns(self, piece: Any) -> ColumnBatch | None:
        """Return the rows of a piece as columns, which is faster; None where the reader, or the piece, has none."""
        return None

    def describe(self) -> str:
        """Return what was recognised or guessed in the files, a line each, to show after reading.

        Empty when there was nothing to decide.
        """
        return ""

    @property
    def gives_raw_pieces(self) -> bool:
        """Whether `read_piece` still has to parse its pieces."""
        return False

    @classmethod
    def register(cls, name: str, *, replace: bool = False) -> Callable[[C], C]:
        """Class decorator: make a reader known under a name."""
        return READERS.register(name, replace=replace)

    @classmethod
    def by_name(cls, name: str) -> type[DatasetReader]:
        """Return the reader class of that name, or at the address `module:Class`."""
        return READERS.load(name)

    @classmethod
    def list_available(cls) -> list[str]:
        """Return all names."""
        return READERS.names()

    @classmethod
    def from_config(
        cls, config: str | Mapping[str, Any], *, allow_import: bool = False
    ) -> DatasetReader:
        """Return a reader from its name, or from `{"type": name, parameter: value, ...}`.

        Addresses `module:name` are imported only with `allow_import`.
        """
        return READERS.make(config, allow_import=allow_import)


READERS: Registry[DatasetReader] = Registry("reader", "rubrica.readers", DatasetReader, ADDRESSES)
