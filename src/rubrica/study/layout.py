"""The folders of a study: `ext/` and `abs/`, in them a folder per model with `ref.txt` and `out*.txt`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rubrica.data.files import blake2b_of, read_text_lines
from rubrica.errors import DataError, MismatchError, UsageError

SPLITS = ("ext", "abs")


@dataclass(frozen=True, slots=True)
class SystemFiles:
    """One system: a variant of a model in a split, with its own references."""

    split: str
    model: str
    out: Path
    ref: Path
    src: Path | None

    @property
    def summarizer_id(self) -> str:
        """`abs/unilm_out_v1`: the split belongs to the name, so that two splits cannot collide."""
        name = f"{self.model}_{self.out.stem}"
        return f"{self.split}/{name}" if self.split else name

    @property
    def old_key(self) -> str:
        """`unilm_out_v1.txt`, as in REALSumm's dicts."""
        return f"{self.model}_{self.out.name}"


def find_systems(folder: str | Path) -> list[SystemFiles]:
    """All systems of a folder that holds `ext/`, `abs/`, or the models of one of them.

    Sorted by split, model and variant. A model without `ref.txt`, or without `out*.txt`, is refused.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError("is not a folder", file=str(root))
    splits = [root / name for name in SPLITS if (root / name).is_dir()]
    systems: list[SystemFiles] = []
    for place in splits or [root]:
        # The last name of the path tells the split; `.` has none of its own.
        split = place.name if splits else (name if (name := place.resolve().name) in SPLITS else "")
        for model in sorted(path for path in place.iterdir() if path.is_dir()):
            if not model.name.startswith("."):
                systems.extend(_systems(split, model))
    if not systems:
        raise DataError(
            "no system here: expected ext/MODEL/, abs/MODEL/ or MODEL/ with ref.txt and out*.txt",
            file=str(root),
        )
    return systems


def chosen_systems(systems: list[SystemFiles], names: Sequence[str] | None) -> list[SystemFiles]:
    """Return the systems of these names; all systems without names."""
    if not names:
        return systems
    known = {system.summarizer_id for system in systems}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no system {unknown[0]!r} (there are: {', '.join(sorted(known))})")
    return [system for system in systems if system.summarizer_id in names]


def _systems(split: str, model: Path) -> Iterator[SystemFiles]:
    outs, ref, src = sorted(model.glob("out*.txt")), model / "ref.txt", model / "src.txt"
    if not outs and not ref.exists():
        return
    if not ref.exists() or not outs:
        raise DataError(
            f"the model has no {'out*.txt' if ref.exists() else 'ref.txt'}", file=str(model)
        )
    for out in outs:
        yield SystemFiles(split, model.name, out, ref, src if src.exists() else None)


def lines_of(file: Path) -> list[str]:
    """All lines of a text file."""
    return [line for _, line in read_text_lines(file)]


def file_digest(file: Path) -> str:
    """Sixteen hexadecimal digits of a file's bytes."""
    return blake2b_of(file, 8)


def equal_counts(systems: list[SystemFiles]) -> int:
    """The number of lines that every file has; files that differ are named."""
    counts: dict[Path, int] = {}
    for system in systems:
        for file in (system.ref, system.out):
            if file not in counts:
                counts[file] = len(lines_of(file))
    first = next(iter(counts))
    for file, count in counts.items():
        if count != counts[first]:
            raise MismatchError(
                f"the files of a study must have the same number of lines: {file} has {count}, "
                f"{first} has {counts[first]} (see rubrica study align and realign)"
            )
    return counts[first]


def read_ids(file: str | None, count: int | None = None) -> list[str]:
    """Return the ids of the inputs, one per line of the file; 0, 1, ... without a file.

    `count`, where it is known, must be the number of ids.
    """
    if file is None:
        return [str(number) for number in range(count or 0)]
    ids = [line.strip() for _, line in read_text_lines(file) if line.strip()]
    if count is not None and len(ids) != count:
        raise MismatchError(f"{len(ids)} ids for {count} lines", file=file)
    if len(set(ids)) != len(ids):
        repeated = next(name for name in ids if ids.count(name) > 1)
        raise DataError(f"duplicate id {repeated!r}", file=file)
    return ids
