"""Maintain a store: list its contents, verify it, merge shards, and remove useless files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rubrica
from rubrica.data.store.shard import (
    Kind,
    Shard,
    key_array,
    merge_shards,
    same_score,
)
from rubrica.data.store.store import ScoreStore
from rubrica.errors import DataError, OutputError
from rubrica.signature import parse_signature

MERGED_ROWS = 1_000_000
STALE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Contents:
    """The scores of one kind in a store."""

    kind: Kind
    rows: int
    shards: int
    size: int
    statistics: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A file with a problem."""

    path: Path
    reason: str


def contents(store: ScoreStore) -> tuple[list[Contents], list[Problem]]:
    """Return all kinds with their sizes, and the files that cannot be read."""
    kinds: list[Contents] = []
    problems: list[Problem] = []
    for folder in store.folders():
        shards = []
        for path in store.shard_files(folder):
            shard = _opened(path, problems)
            if shard is not None:
                shards.append(shard)
        for kind in dict.fromkeys(shard.kind for shard in shards):
            kind_shards = [shard for shard in shards if shard.kind == kind]
            kinds.append(
                Contents(
                    kind,
                    sum(map(len, kind_shards)),
                    len(kind_shards),
                    sum(shard.path.stat().st_size for shard in kind_shards),
                    any(shard.has_statistics for shard in kind_shards),
                )
            )
    return kinds, problems


def verify(store: ScoreStore) -> Iterator[Problem]:
    """Yield every problem: damaged or misplaced shards, keys out of order, scores that contradict each other."""
    for folder in store.folders():
        problems: list[Problem] = []
        before: list[Shard] = []
        for path in store.shard_files(folder):
            shard = _opened(path, problems)
            if shard is None:
                continue
            if shard.kind.folder != folder.name:
                problems.append(Problem(path, f"belongs into {shard.kind.folder}"))
                continue
            keys = [key for key, _ in shard.items()]
            if keys != sorted(set(keys)):
                problems.append(Problem(path, "its keys are not in order"))
                continue
            problems += _contradictions(shard, keys, before)
            before.append(shard)
        yield from problems


def _contradictions(shard: Shard, keys: list[bytes], others: Iterable[Shard]) -> Iterator[Problem]:
    if not keys:
        return
    searched = key_array(keys)
    for other in others:
        for row, at in enumerate(other.find(searched).tolist()):
            if at >= 0 and not same_score(shard.score(row), other.score(at)):
                yield Problem(shard.path, f"has another score than {other.path} for the same texts")
                break


def merge(store: ScoreStore, sources: Iterable[ScoreStore] = ()) -> tuple[int, list[Problem]]:
    """Add the shards of other stores, then merge small shards; return the number of rows afterwards.

    Only shards that were read are removed, after what replaces them is in place: other processes may
    add shards meanwhile, or merge too.
    """
    problems: list[Problem] = []
    rows = 0
    folders = {folder.name: [folder] for folder in store.folders()}
    for source in sources:
        for folder in source.folders():
            folders.setdefault(folder.name, []).append(folder)
    for name, places in folders.items():
        paths = [path for place in places for path in store.shard_files(place)]
        shards = [s for s in (_opened(path, problems) for path in paths) if s is not None]
        shards = [shard for shard in shards if shard.kind.folder == name]
        home = store.path / name
        small = [s for s in shards if len(s) < MERGED_ROWS or s.path.parent != home]
        large = [s for s in shards if not (len(s) < MERGED_ROWS or s.path.parent != home)]
        rows += sum(map(len, large))
        written: set[Path] = set()
        if len(small) == 1 and small[0].path.parent == home:
            rows += len(small[0])
            continue
        for together in _groups(small):
            path, count = merge_shards(home, together)
            rows += count
            written.add(path)
        for shard in small:
            if shard.path.parent == home and shard.path not in written:
                shard.path.unlink(missing_ok=True)
    return rows, problems


def _groups(shards: list[Shard]) -> Iterator[list[Shard]]:
    """Yield groups of shards that together have about `MERGED_ROWS` rows."""
    group: list[Shard] = []
    for shard in shards:
        if group and sum(map(len, group)) + len(shard) > MERGED_ROWS:
            yield group
            group = []
        group.append(shard)
    if group:
        yield group


def garbage(
    store: ScoreStore, *, metrics: Iterable[str] = (), other_versions: bool = False
) -> Iterator[Problem]:
    """Yield useless files: damaged shards, files of killed runs, and unwanted kinds."""
    unwanted = set(metrics)
    for folder in store.folders():
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") and time.time() - path.stat().st_mtime > STALE_SECONDS:
                yield Problem(path, "left by a run that was killed")
        problems: list[Problem] = []
        for path in store.shard_files(folder):
            shard = _opened(path, problems)
            if shard is None:
                continue
            name, parts = parse_signature(shard.kind.signature)
            if name in unwanted:
                yield Problem(path, f"scores of {name}")
            elif other_versions and parts.get("v") != rubrica.__version__:
                yield Problem(path, f"scores of version {parts.get('v')}")
        yield from problems


def remove(files: Iterable[Problem]) -> int:
    """Remove the files and empty directories; return the number of freed bytes."""
    freed = 0
    for problem in files:
        try:
            size = problem.path.stat().st_size
            problem.path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise OutputError(problem.path, error.strerror) from error
        freed += size
        if not any(problem.path.parent.iterdir()):
            os.rmdir(problem.path.parent)
    return freed


def export(store: ScoreStore, metrics: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield every score as a row of plain values, each text once per kind."""
    chosen = set(metrics)
    for folder in store.folders():
        seen: set[bytes] = set()
        for path in store.shard_files(folder):
            shard = _whole(store, path)
            if chosen and parse_signature(shard.kind.signature)[0] not in chosen:
                continue
            for key, score in shard.items():
                if key in seen:
                    continue
                seen.add(key)
                yield {
                    "key": key.hex(),
                    "signature": shard.kind.signature,
                    "form": shard.kind.form,
                    "metrics": score.values,
                    "statistics": score.statistics,
                }


def _whole(store: ScoreStore, path: Path) -> Shard:
    """Return a shard that must be readable."""
    try:
        return Shard(path)
    except FileNotFoundError as error:
        raise DataError(
            "was merged or removed by another process meanwhile; try again", file=str(path)
        ) from error
    except DataError as error:
        raise DataError(
            f"{error}; rubrica store gc {store.path} removes it, and a run with --store "
            "scores its rows again"
        ) from error


def _opened(path: Path, problems: list[Problem]) -> Shard | None:
    try:
        return Shard(path)
    except FileNotFoundError:
        # Merged or removed by another process since it was listed.
        return None
    except DataError as error:
        problems.append(Problem(path, str(error).removeprefix(f"{path}: ")))
        return None
    except OSError as error:
        problems.append(Problem(path, error.strerror or str(error)))
        return None
