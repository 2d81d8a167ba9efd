"""The interface of an engine, which maps a function over items in order, and what engines share."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias

from rubrica.errors import MetricFailedError, ParameterError
from rubrica.registry import Registry

# Work that releases the interpreter lock, work that holds it, work that fills a device by itself.
WorkKind: TypeAlias = Literal["threads", "processes", "device"]
# The answer of a worker to an item: the result, its warnings, and the error.
Answer: TypeAlias = tuple[Any, list[tuple[str, type[Warning]]], BaseException | None]

RAY_BATCH_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class Work:
    """What workers do with every item: a function that can be pickled, and the kind of its work.

    `describe` names an item that was lost with the workers that tried it.
    """

    function: Callable[[Any], Any]
    kind: WorkKind
    describe: Callable[[Any], str] = repr


class Engine:
    """Where the scoring loop runs. Results do not depend on the engine, only the time does.

    Another package adds one by the entry point group `rubrica.scoring.engines`.
    """

    name: ClassVar[str] = ""
    # How many rows a piece of work should have; None leaves it to the loop.
    batch_size: int | None = None

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """Take the number of cores to use (default: all), and the address of a cluster."""
        if workers is not None and workers < 1:
            raise ParameterError(f"the number of workers must be at least 1, not {workers}")
        self.workers, self.address = workers, address

    def map(self, work: Work, items: Iterable[Any]) -> Iterator[Any]:
        """Yield results in the order of the items, of which only a few are held at a time."""
        raise TypeError(f"{type(self).__name__} does not define map")


ENGINES: Registry[Engine] = Registry(
    "engine",
    "rubrica.scoring.engines",
    Engine,
    {
        "local": "rubrica.scoring.engines.local:LocalEngine",
        "ray": "rubrica.scoring.engines.ray_engine:RayEngine",
    },
)


def engine_for(
    engine: str | Engine, *, workers: int | None = None, address: str | None = None
) -> Engine:
    """Return the engine of that name; `workers` is the number of cores to use (default: all)."""
    if isinstance(engine, Engine):
        return engine
    return ENGINES.load(engine)(workers=workers, address=address)


class Pool(Protocol):
    """Items under way in workers. Use as a context manager: leaving it stops their work."""

    def __len__(self) -> int:
        """Return the number of items under way."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def limit(self) -> int:
        """Return the largest number of items under way."""
        ...

    def submit(self, number: int, item: Any) -> None:
        """Send an item."""
        ...

    def answers(self, describe: Callable[[Any], str]) -> Iterator[tuple[int, Answer]]:
        """Wait until some items are answered or lost; yield their numbers and answers."""
        ...


def in_order(
    pool: Pool, items: Iterable[Any], describe: Callable[[Any], str] = repr
) -> Iterator[Any]:
    """Yield results in the order of the items; only a few early results wait."""
    stream = enumerate(items)
    early: dict[int, Answer] = {}
    exhausted = False
    for awaited in count():
        while awaited not in early:
            while (
                not exhausted
                and len(pool) < pool.limit()
                and len(early) + len(pool) < 2 * pool.limit()
            ):
                number, item = next(stream, (-1, None))
                if number < 0:
                    exhausted = True
                else:
                    pool.submit(number, item)
            if not len(pool):
                return
            early |= dict(pool.answers(describe))
        result, captured, error = early.pop(awaited)
        for message, category in captured:
            warnings.warn(message, category, stacklevel=2)
        if error is not None:
            raise error
        yield result


def answer_of(function: Callable[[Any], Any], item: Any) -> Answer:
    """In a worker: return the result of an item with its warnings, or its error, ready to be sent."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(item)
    except Exception as error:
        return None, [], _portable(error)
    return result, [(str(warning.message), warning.category) for warning in caught], None


def _portable(error: Exception) -> Exception:
    """Return the error itself if it can be sent to another process, else one with the same message."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (our own, of a moment ago)
    except Exception:
        return MetricFailedError(str(error))
    return error
