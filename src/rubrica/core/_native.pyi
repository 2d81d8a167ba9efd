"""Types of the compiled kernels (native/src/bindings*.cpp)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

_D = TypeVar("_D", bound=dict[str, Any])

version: str

def bootstrap_sums(
    values: NDArray[np.float64], rounds: int, seed: int, first: int = 0
) -> NDArray[np.float64]: ...

class KeyIndex:
    def add(self, keys: NDArray[np.uint64]) -> tuple[int, int] | None: ...
    def __len__(self) -> int: ...

def nested_dicts(
    type: type[_D], outer: list[str], inner: list[str], scores: NDArray[np.float64]
) -> list[_D]: ...

class TextColumn:
    def __init__(self, texts: Iterable[str]) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, row: SupportsIndex) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def non_ascii(self) -> list[str]: ...
    def unique(self) -> tuple[TextColumn, NDArray[np.int64]]: ...

class TextLists:
    def __init__(self, rows: Iterable[Sequence[str]]) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, row: SupportsIndex) -> list[str]: ...
    def __iter__(self) -> Iterator[list[str]]: ...
    @property
    def ends(self) -> NDArray[np.int64]: ...
    @property
    def texts(self) -> TextColumn: ...

def parse_json_rows(
    block: bytes, list_names: list[str], refused: list[str]
) -> tuple[TextColumn, TextColumn, TextColumn, TextColumn, list[TextLists]] | None: ...
def has_unique_keys(block: bytes) -> bool: ...
def split_lines(data: bytes) -> TextColumn | None: ...
def lines_end(data: bytes, start: int, most: int) -> tuple[int, int]: ...
def zip_columns(columns: Sequence[TextColumn]) -> TextLists: ...
def encode_rows(
    instance_ids: TextColumn,
    summarizer_ids: TextColumn,
    summarizer_types: TextColumn,
    between: Sequence[bytes],
    values: NDArray[np.float64],
    tails: Sequence[bytes],
    digests: TextColumn,
) -> bytes: ...
def row_identities(
    instance_ids: TextColumn,
    summarizer_ids: TextColumn,
    summarizer_types: TextColumn,
    digests: TextColumn,
) -> bytes: ...
def text_digests(columns: Sequence[TextColumn | TextLists]) -> TextColumn: ...
def id_keys(instance_ids: TextColumn, summarizer_ids: TextColumn) -> NDArray[np.uint64]: ...
def set_rouge_data(exceptions: Mapping[str, str], stopwords: Iterable[str]) -> None: ...
def rouge_counts(
    tokenizer: str,
    stemmer: str,
    exceptions: bool,
    stopwords: bool,
    newline_units: bool,
    max_words: int,
    max_bytes: int,
    ngrams: Sequence[int],
    lcs: bool,
    lcs_union: bool,
    wlcs_weight: float | None,
    skip_gaps: Sequence[int | None],
    skip_unigram_gaps: Sequence[int | None],
    summaries: Sequence[object],
    references: Sequence[object],
    pairs: NDArray[np.int64],
    threads: int,
) -> NDArray[np.float64]: ...
def rouge_scores(
    counts: NDArray[np.float64],
    exponents: NDArray[np.float64],
    alpha: float,
    epsilon: float,
    printed: bool,
    scale: float,
    scale_first: bool,
) -> NDArray[np.float64]: ...
def round5(values: NDArray[np.float64]) -> NDArray[np.float64]: ...
def rouge155_bootstrap_sums(
    values: NDArray[np.float64], rounds: int, threads: int
) -> NDArray[np.float64]: ...
def rouge155_whole_sums(
    values: NDArray[np.int32], rounds: int, threads: int
) -> NDArray[np.float64]: ...
def cider_frequencies(examples: list[list[list[str]]], n: int) -> Any: ...
def cider_similarities(
    frequencies: Any, texts: list[list[str]], pairs: NDArray[np.int64], sigma: float
) -> NDArray[np.float64]: ...
def graph_similarities(
    summaries: list[str], references: list[str], min_n: int, max_n: int, window: int
) -> NDArray[np.float64]: ...
def stem_words(words: list[str], stemmer: str) -> list[str]: ...
def soft_matches(
    words: NDArray[np.int64],
    ends: NDArray[np.int64],
    pairs: NDArray[np.int64],
    vectors: NDArray[np.float64],
    known: NDArray[np.bool_],
    orders: list[int],
    threshold: float,
) -> NDArray[np.int64]: ...
def weighted_lcs_path(
    reference: NDArray[np.int64], summary: NDArray[np.int64], power: NDArray[np.float64]
) -> NDArray[np.int64]: ...
def ter_edits(summary: NDArray[np.int64], reference: NDArray[np.int64]) -> int: ...
def bootstrap_counts(
    size: int, rounds: int, seed: int, first: int, start: int
) -> NDArray[np.int32]: ...
def swap_masks(
    systems: int, inputs: int, scheme: str, rounds: int, seed: int, first: int
) -> NDArray[np.uint8]: ...
def column_correlations(
    metrics: NDArray[np.float64], human: NDArray[np.float64], coefficient: str
) -> NDArray[np.float64]: ...
def resampled_correlations(
    metrics: NDArray[np.float64],
    human: NDArray[np.float64],
    level: str,
    coefficient: str,
    system_counts: NDArray[np.int32],
    input_counts: NDArray[np.int32],
    zero: bool,
    threads: int,
) -> NDArray[np.float64]: ...
def swapped_correlations(
    metrics: NDArray[np.float64],
    human: NDArray[np.float64],
    level: str,
    coefficient: str,
    pairs: NDArray[np.int64],
    swaps: NDArray[np.uint8],
    zero: bool,
    threads: int,
) -> NDArray[np.float64]: ...
def masked_sums(
    weights: NDArray[np.float64], swaps: NDArray[np.uint8], threads: int
) -> NDArray[np.float64]: ...
def rank_tables(
    codes: NDArray[np.int32],
    human: NDArray[np.int32],
    units: NDArray[np.int32],
    unit_count: int,
    kinds: int,
    threads: int,
) -> NDArray[np.float64]: ...
def exchanged_pearson(
    tables: NDArray[np.float64],
    points: NDArray[np.float64],
    pairs: NDArray[np.int64],
    swaps: NDArray[np.uint8],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]: ...
def meteor_statistics(
    starts: NDArray[np.int64],
    words: NDArray[np.int32],
    function: NDArray[np.uint8],
    stems: NDArray[np.int32],
    synset_starts: NDArray[np.int64],
    synsets: NDArray[np.int32],
    phrase_words: NDArray[np.int32],
    first_child: NDArray[np.int32],
    node_words: NDArray[np.int32],
    first_entry: NDArray[np.int32],
    entry_starts: NDArray[np.int32],
    entry_words: NDArray[np.int32],
    pairs: NDArray[np.int64],
    modules: int,
    threads: int,
) -> NDArray[np.float64]: ...
