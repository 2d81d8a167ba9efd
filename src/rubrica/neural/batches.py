"""Batches of similar length within a token budget; a batch that does not fit into memory is halved."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rubrica.errors import RubricaError
from rubrica.neural.progress import report

R = TypeVar("R")


class OutOfMemoryError(RubricaError):
    """A single text does not fit into memory."""


def token_batches(
    lengths: Sequence[int], budget: int, *, step: int | None = None
) -> list[list[int]]:
    """Return batches of indices, longest texts first; size x longest stays within the budget.

    A text longer than the budget gets its own batch. With `step`, all texts of a batch are padded to the
    same multiple of it.
    """
    order = sorted(range(len(lengths)), key=lambda at: (-lengths[at], at))
    batches: list[list[int]] = []
    for at in order:
        longest = lengths[batches[-1][0]] if batches else 0
        fits = batches and (len(batches[-1]) + 1) * max(1, longest) <= budget
        if fits and (step is None or -(-lengths[at] // step) == -(-longest // step)):
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches


def run_batches(
    lengths: Sequence[int],
    budget: int,
    compute: Callable[[list[int]], Sequence[R]],
    *,
    what: str = "texts",
    step: int | None = None,
) -> list[R]:
    """Run `compute` on batches of indices and return the results in the order of `lengths`.

    When memory runs out, the batch is halved, and later batches stay as small.
    """
    results: list[Any] = [None] * len(lengths)
    pending = token_batches(lengths, budget, step=step)[::-1]
    limit, done = len(lengths), 0
    while pending:
        batch = pending.pop()
        if len(batch) > limit:
            pending.append(batch[limit:])
            batch = batch[:limit]
        try:
            batch_results = compute(batch)
        except Exception as error:
            if not _out_of_memory(error):
                raise
            _free()
            if len(batch) == 1:
                raise OutOfMemoryError(
                    f"a text of {lengths[batch[0]]:,} tokens does not fit into memory; "
                    "use a smaller model, another device or shorter texts"
                ) from error
            limit = len(batch) // 2
            pending.append(batch)
            continue
        for at, result in zip(batch, batch_results, strict=True):
            results[at] = result
        done += len(batch)
        report(what, done, len(lengths))
    return results


def _out_of_memory(error: Exception) -> bool:
    if isinstance(error, MemoryError):
        return True
    # Only CUDA has an exception class; the CPU's allocator, mps and ONNX Runtime only have messages.
    words = ("out of memory", "can't allocate memory", "failed to allocate memory")
    may_be_memory = isinstance(error, RuntimeError) or type(error).__module__.startswith(
        "onnxruntime."
    )
    return may_be_memory and any(word in str(error).lower() for word in words)


def _free() -> None:
    # A backend without torch has nothing to free.
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
