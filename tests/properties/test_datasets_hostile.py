"""Damaged raw data: every data set answers with an error of ours or reads what is left, never with a crash."""

from __future__ import annotations

import contextlib
import hashlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets import setup_dataset
from rubrica.errors import DataWarning, RubricaError
from support.dataset_samples import SAMPLES
from support.dataset_samples.build import Tree, put

GARBAGE = b'\xff\x00\x80garbage < & { [ " \n 1 2 3'


def leaves(tree: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bytes]]:
    for name, content in tree.items():
        if isinstance(content, dict):
            yield from leaves(content, (*above, name))
        else:
            yield (*above, name), content.encode() if isinstance(content, str) else content


def damaged(data: bytes, how: int) -> bytes:
    half = len(data) // 2
    return [
        b"",
        data[:half],
        GARBAGE,
        b"[1]",
        data.replace(b"1", b"x"),
        data.replace(b'"', b""),
        data + data[: half or 1],
        data.replace(b":", b": null,", 1),
    ][how]


def with_leaf(tree: Tree, path: tuple[str, ...], content: bytes) -> Tree:
    inner: Any = content if len(path) == 1 else with_leaf(tree[path[0]], path[1:], content)
    return {**tree, path[0]: inner}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_damaged_files_are_told_not_stumbled_on(name: str, tmp_path: Path) -> None:
    tree = SAMPLES[name]()
    # Which damage which file gets is chosen by its name, so that a failure can be repeated.
    for number, (path, content) in enumerate(leaves(tree)):
        if number >= 6 and number % 4:
            continue
        how = hashlib.sha256("/".join(path).encode()).digest()[0] % 8
        raw = tmp_path / str(number)
        put(raw, with_leaf(tree, path, damaged(content, how)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            # Anything but a RubricaError is a bug, and fails the test.
            with contextlib.suppress(RubricaError):
                setup_dataset(name, raw, tmp_path / f"out{number}", offline=True)
