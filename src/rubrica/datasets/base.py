"""`Dataset`: convert the raw data of one benchmark to Rubrica's JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from rubrica import aliases
from rubrica.data.resource import Resource, data_root
from rubrica.datasets import ADDRESSES
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw
from rubrica.datasets.resources import fetch
from rubrica.datasets.sacrerouge import use_sacrerouge_layout
from rubrica.errors import DataError, DefinitionError, MissingResourceError
from rubrica.registry import C, Registry


class Dataset:
    """One benchmark. A subclass implements `write` and states licence, home page, size and citation.

    `needs` lists the files that must be below `--from`, a line each. `resources` are the files that
    can be downloaded, with their sizes and hashes. `size` is the size of the raw data, as text.
    """

    name: ClassVar[str] = ""
    licence: ClassVar[str] = ""
    homepage: ClassVar[str] = ""
    size: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()
    resources: ClassVar[tuple[Resource, ...]] = ()
    citation: ClassVar[str] = ""

    def __init_subclass__(cls, *, abstract: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        # An abstract class only shares code and facts between years.
        if not abstract and cls.licence and cls.write is Dataset.write:
            raise DefinitionError(f"data set class {cls.__name__} must define write(raw, out)")

    def write(self, raw: Raw, out: Output) -> None:
        """Read the raw tree and write JSON lines."""
        raise TypeError(f"{type(self).__name__} does not define write")

    @classmethod
    def public(cls) -> bool:
        """Whether everything it needs can be downloaded."""
        return bool(cls.resources) and not cls.needs

    @classmethod
    def register(cls, name: str, *, replace: bool = False) -> Callable[[C], C]:
        """Return a class decorator that registers a data set under a name."""
        return DATASETS.register(name, replace=replace)

    @classmethod
    def by_name(cls, name: str) -> type[Dataset]:
        """Return the data set class of that name, or at the address `module:Class`."""
        return DATASETS.load(name)

    @classmethod
    def list_available(cls) -> list[str]:
        """Return the names of all data sets."""
        return DATASETS.names()


DATASETS: Registry[Dataset] = Registry(
    "data set", "rubrica.datasets", Dataset, ADDRESSES, aliases=aliases.DATASETS
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The result of `setup_dataset`: the folder, its files with their counts, and what was left out."""

    folder: Path
    files: dict[str, dict[str, Any]]
    left_out: dict[str, int]
    skipped: tuple[str, ...]
    changed: bool


def setup_dataset(
    dataset: str | Dataset,
    source: Any = (),
    output: str | os.PathLike[str] | None = None,
    *,
    offline: bool = False,
    skip_malformed: bool = False,
    layout: Literal["rubrica", "sacrerouge"] = "rubrica",
    say: Callable[[str], None] = lambda _: None,
) -> Prepared:
    """Turn raw data into JSON lines in `output` (default: the data set's place in the cache folder).

    `source` is a path, several paths, or a mapping from file names to tables in memory: pandas or
    polars frames, HuggingFace data sets, lists of mappings. In a HuggingFace `DatasetDict` each split
    is a file of that name. Public files that are not below `source` are downloaded, unless `offline`.
    By calling this function you accept the data set's licence. The layout `sacrerouge` has the ids,
    file names and schema of SacreROUGE's reader of that name.
    """
    dataset = DATASETS.load(dataset)() if isinstance(dataset, str) else dataset
    folder = Path(output) if output is not None else data_root() / "datasets" / dataset.name
    tables = source if isinstance(source, Mapping) else None
    paths = [] if tables is not None else _paths(source)
    raw = _raw(dataset, paths, tables, offline=offline, skip_malformed=skip_malformed, say=say)
    raw.as_met = layout == "sacrerouge"
    out = Output(folder, as_met=raw.as_met)
    try:
        dataset.write(raw, out)
        if layout == "sacrerouge" and out.files:
            use_sacrerouge_layout(dataset.name, out)
        if not out.files and raw.problems.messages:
            raise DataError(
                f"data set {dataset.name!r}: nothing is left to write; {len(raw.problems.messages):,} "
                f"malformed records were left out, the first: {raw.problems.messages[0]}"
            )
        if not out.files:
            raise MissingResourceError(
                f"data set {dataset.name!r}: nothing to write; it needs: {'; '.join(dataset.needs)}"
            )
        out.leave_out("malformed records", len(raw.problems.messages))
        out.leave_out("links and devices in archives", sum(raw.problems.links.values()))
        about = {
            "dataset": dataset.name,
            "licence": dataset.licence,
            "citation": dataset.citation,
            "sources": raw.sources(),
        }
        changed = out.finish(about)
    except BaseException:
        out.discard()
        raise
    finally:
        raw.close()
    return Prepared(folder, out.files, out.left_out, tuple(raw.problems.messages), changed)


def _raw(
    dataset: Dataset,
    paths: Sequence[str | os.PathLike[str]],
    tables: Mapping[str, Any] | None,
    *,
    offline: bool,
    skip_malformed: bool,
    say: Callable[[str], None],
) -> Raw:
    """Return the tree of the files passed and those downloaded."""

    if not paths and tables is None and dataset.needs:
        needs = "".join(f"\n  {need}" for need in dataset.needs)
        raise MissingResourceError(
            f"data set {dataset.name!r} cannot be downloaded; pass its files with --from:{needs}"
        )
    raw = Raw(
        dataset.name,
        paths,
        tables=tables,
        skip_malformed=skip_malformed,
        needs=(
            *dataset.needs,
            *(f"{resource.name} (can be fetched)" for resource in dataset.resources),
        ),
    )
    absent = [resource for resource in dataset.resources if not raw.some(resource.name)]
    # Offline, an absent file may not be needed; if it is, reading it raises an error.
    if not absent or tables is not None or (offline and paths):
        return raw
    cache = data_root() / "datasets" / dataset.name / "raw"
    for resource in absent:
        fetch(resource, cache / resource.name, offline=offline, say=say)
        raw.put(resource.name, cache / resource.name)
    return raw


def _paths(source: Any) -> list[str | os.PathLike[str]]:
    return [source] if isinstance(source, (str, os.PathLike)) else list(source)
