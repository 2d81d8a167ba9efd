"""Call every binding of the compiled kernels with abusive values: errors are fine, crashes and hangs are not.

python tests/native/fuzz_bindings.py [CALLS] [SEED]    prints the number of calls, or what crashed

The calls run in a child process with bounded memory, which writes down each call before it makes it. After a
crash or a hang the parent shows that call, and goes on with the next seed.
"""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rubrica.core import _native  # noqa: TID251 (the bindings themselves)

CALL_SECONDS = 10
MEMORY = 4 << 30
HUGE = [2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**61, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
COUNTS = [0, 1, 2, 3, 7, 64, 1000, -1, -(2**63), *HUGE]
NUMBERS = [0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 5e-324, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", "a", "the cat sat on the mat", "\0", "\ud800", "\U0001f600é", "a" * 3000, "\n\r\n"]
JUNK: list[Any] = [None, True, "", "x", b"x", [], {}, (), 0, -1, 2**64, 1.5, object(), [None], [[]]]
NAMES = [
    "pearson",
    "kendall",
    "tau-c",
    "summary",
    "system",
    "global",
    "cells",
    "lower",
    "given",
    "?",
]

column, lists = _native.TextColumn, _native.TextLists
FREQUENCIES = _native.cider_frequencies([[["a", "b"], ["b"]], [["c"]]], 4)


def floats(*shape: int) -> Any:
    return np.linspace(0.0, 1.0, int(np.prod(shape))).reshape(shape)


def whole(*values: int, kind: Any = np.int64) -> Any:
    return np.array(values, dtype=kind)


PAIRS = np.array([[0, 0], [1, 0]], dtype=np.int64)
# One call of each binding that works; the fuzzer changes its arguments.
CALLS: dict[str, list[Any]] = {
    "bootstrap_sums": [floats(5, 3), 4, 1, 0],
    "nested_dicts": [dict, ["a", "b"], ["x"], floats(3, 2, 1)],
    "TextColumn": [["a", "é"]],
    "TextLists": [[["a"], ["b", "c"]]],
    "parse_json_rows": [b'{"instance_id":"1"}\n', ["references"], ["documents"]],
    "has_unique_keys": [b'{"a":{"b":1},"c":[{"d":"e"}]}'],
    "split_lines": [b"a\nb\n"],
    "lines_end": [b"a\nb\n", 0, 2],
    "zip_columns": [[column(["a"]), column(["b"])]],
    "encode_rows": [
        column(["1"]), column(["2"]), column(["peer"]), [b"{", b"}"], floats(1, 1), [b","], column(["d"]),
    ],
    "row_identities": [column(["1"]), column(["2"]), column(["peer"]), column(["d"])],
    "text_digests": [[column(["a"]), lists([["b"]])]],
    "id_keys": [column(["1"]), column(["2"])],
    "set_rouge_data": [{"mice": "mouse"}, ["the"]],
    "rouge_counts": [
        "ascii", "porter-rouge", True, True, False, 0, 0, [1, 2], True, True, 1.2, [4, None], [4], ["a b", "b"],
        ["b c"], PAIRS, 2,
    ],
    "rouge_scores": [floats(2, 3, 3), floats(3), 0.5, 0.0, True, 1.0, False],
    "round5": [floats(4)],
    "rouge155_bootstrap_sums": [floats(5, 3), 4, 2],
    "rouge155_whole_sums": [whole(*range(12), kind=np.int32).reshape(4, 3), 4, 2],
    "cider_frequencies": [[[["a", "b"]]], 4],
    "cider_similarities": [FREQUENCIES, [["a"], ["b", "a"]], PAIRS, 6.0],
    "graph_similarities": [["abcdef"], ["abcxef", "f"], 1, 3, 3],
    "stem_words": [["running"], "porter-nltk"],
    "soft_matches": [
        whole(0, 1, 2, 1), whole(2, 4), PAIRS[:, ::-1].copy(), floats(3, 4), np.ones(3, dtype=bool), [1, 2], 0.8,
    ],
    "weighted_lcs_path": [whole(1, 2, 3), whole(2, 3), floats(4)],
    "ter_edits": [whole(1, 2, 3), whole(2, 3, 1)],
    "bootstrap_counts": [5, 4, 1, 0, 0],
    "swap_masks": [3, 4, "cells", 5, 1, 0],
    "column_correlations": [floats(2, 4, 3), floats(4, 3), "pearson"],
    "resampled_correlations": [
        floats(2, 4, 3), floats(4, 3), "summary", "kendall", np.ones((6, 4), np.int32), np.ones((6, 3), np.int32),
        False, 2,
    ],
    "swapped_correlations": [
        floats(2, 4, 3), floats(4, 3), "system", "spearman", PAIRS, np.ones((6, 4, 3), np.uint8), False, 2,
    ],
    "masked_sums": [floats(5, 3), np.ones((6, 5), np.uint8), 2],
    "rank_tables": [
        np.array([[0, 2, 1, 1], [3, 3, 0, 2]], np.int32), whole(0, 1, 1, 2, kind=np.int32),
        whole(0, 0, 1, 1, kind=np.int32), 2, 3, 2,
    ],
    "exchanged_pearson": [floats(3, 2, 4, 5), floats(5), PAIRS, np.ones((6, 4, 5), np.uint8), 2],
    "meteor_statistics": [
        whole(0, 2, 4), whole(0, 1, 1, 0, kind=np.int32), whole(0, 1, kind=np.uint8), whole(0, 1, kind=np.int32),
        whole(0, 1, 2), whole(3, 3, kind=np.int32), whole(1, 2, kind=np.int32), whole(1, 2, 2, kind=np.int32),
        whole(0, 1, kind=np.int32), whole(0, 0, 1, kind=np.int32), whole(0, 1, kind=np.int32),
        whole(2, kind=np.int32), PAIRS[:, ::-1].copy(), 4, 2,
    ],
}  # fmt: skip
OBJECTS = {"TextColumn", "TextLists", "KeyIndex"}


def changed(value: Any, rng: random.Random) -> Any:
    """Return another value, often of the same type."""
    if rng.random() < 0.15:
        return rng.choice(JUNK)
    if isinstance(value, bool):
        return rng.choice([True, False])
    if isinstance(value, int):
        return rng.choice(COUNTS)
    if isinstance(value, float):
        return rng.choice(NUMBERS)
    if isinstance(value, str):
        return rng.choice([*TEXTS, *NAMES])
    if isinstance(value, bytes):
        return rng.choice([value, b"", b"\0", b'{"a":' * 2000, rng.randbytes(40), value * 50])
    if isinstance(value, np.ndarray):
        return changed_array(value, rng)
    if isinstance(value, list):
        items = list(value) * rng.choice([0, 1, 1, 1, 3])
        return [changed(item, rng) if rng.random() < 0.4 else item for item in items]
    return value


def changed_array(value: Any, rng: random.Random) -> Any:
    kind = rng.randrange(8)
    if kind == 0:
        return np.empty([rng.choice([0, size]) for size in value.shape], dtype=value.dtype)
    if kind == 1:
        return value[tuple(slice(0, rng.randrange(size + 1)) for size in value.shape)].copy()
    if kind == 2:
        return value.astype(rng.choice([np.float32, np.int8, np.int64, np.complex128]))
    if kind == 3:
        return np.asfortranarray(np.repeat(value, 2, axis=0))[::2]
    if kind == 4:
        return value.reshape(-1)
    array = value.copy()
    if array.size:
        extremes: list[float] = [0, 1, -1, 2, 5, 100]
        if array.dtype.kind == "f":
            extremes += NUMBERS
        elif array.dtype.kind in "iu":
            extremes += [np.iinfo(array.dtype).max, np.iinfo(array.dtype).min]
        for _ in range(rng.randrange(1, 4)):
            with np.errstate(all="ignore"):
                array.flat[rng.randrange(array.size)] = np.array(rng.choice(extremes)).astype(
                    array.dtype
                )
    return array


def abuse(name: str, arguments: list[Any]) -> None:
    """Make a call, and use what comes back."""
    result = getattr(_native, name)(*arguments)
    if isinstance(result, (column, lists)):
        list(result)
        result[rng_index(len(result))]
        if isinstance(result, column):
            result.unique()
            result.non_ascii()
    elif isinstance(result, np.ndarray) and result.size < 10**6:
        result.copy()


def rng_index(size: int) -> int:
    return size if size % 2 else -size - 1


def fuzz(count: int, seed: int, journal: Path) -> None:
    """In the child: make calls, and write down each before it is made."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def stop(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    rng = random.Random(seed)
    index = _native.KeyIndex()
    with open(journal, "w", buffering=1) as stream:
        for number in range(count):
            name = rng.choice([*CALLS, "KeyIndex"])
            arguments = list(CALLS.get(name, [np.zeros((3, 2), np.uint64)]))
            for at in rng.sample(range(len(arguments)), rng.randint(1, min(3, len(arguments)))):
                arguments[at] = changed(arguments[at], rng)
            stream.write(f"{number} {name} {arguments!r:.2000}\n")
            signal.alarm(CALL_SECONDS // 2)
            call: Callable[..., Any] = index.add if name == "KeyIndex" else abuse
            try:
                call(*arguments) if name == "KeyIndex" else call(name, arguments)
            except (TypeError, ValueError, IndexError, KeyError, MemoryError, OverflowError):
                pass
            except (RuntimeError, TimeoutError, UnicodeError):
                pass
            signal.alarm(0)


def main(count: int, seed: int) -> int:
    """Run children until all calls are made; return how many crashed or hung."""
    bindings = {
        name for name in vars(_native) if callable(getattr(_native, name)) and name[0] != "_"
    }
    if unknown := bindings - OBJECTS - CALLS.keys():
        print(f"no call of: {', '.join(sorted(unknown))}")
        return 1
    failures, step = 0, 5000
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder, "journal")
        for at in range(0, count, step):
            words = [
                sys.executable,
                __file__,
                "--child",
                str(min(step, count - at)),
                str(seed + at),
                str(journal),
            ]
            child = subprocess.Popen(words)
            last, silent = "", 0
            while child.poll() is None:
                try:
                    child.wait(CALL_SECONDS)
                except subprocess.TimeoutExpired:
                    now = (
                        journal.read_text().rstrip().rpartition("\n")[2] if journal.exists() else ""
                    )
                    silent = silent + 1 if now == last else 0
                    last = now
                    if silent:
                        child.kill()
            if child.returncode:
                failures += 1
                call = journal.read_text().rstrip().rpartition("\n")[2]
                print(f"exit {child.returncode} (seed {seed + at}): {call}")
    print(f"{count:,} calls, {failures} crashes or hangs")
    return failures


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        fuzz(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        calls, seed = (
            (*sys.argv[1:3], "20000", "1")[:2] if len(sys.argv) != 2 else (sys.argv[1], "1")
        )
        sys.exit(1 if main(int(calls), int(seed)) else 0)
