"""The interface of an engine, which maps a function over items in order."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

from rubrica.errors import MetricFailedError, ParameterError
from rubrica.registry import Registry

Item = TypeVar("Item")
Result = TypeVar("Result")
# Work that releases the interpreter lock, work that holds it, work that fills a device by itself.
WorkKind: TypeAlias = Literal["threads", "processes", "device"]
CapturedWarnings: TypeAlias = list[tuple[str, type[Warning]]]

RAY_BATCH_SIZE = 10_000


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

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        kind: WorkKind,
        describe: Callable[[Item], str] = repr,
    ) -> Iterator[Result]:
        """Yield results in the order of the items, of which only a few are held at a time.

        `describe` names an item that was lost with the workers that tried it.
        """
        raise TypeError(f"{type(self).__name__} does not define map")


class SerialEngine(Engine):
    """This thread: for work inside a worker."""

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        kind: WorkKind,
        describe: Callable[[Item], str] = repr,
    ) -> Iterator[Result]:
        """As of `Engine`, one item after another."""
        return map(function, items)


SERIAL = SerialEngine()

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


def capture_warnings(function: Callable[[Any], Any], item: Any) -> tuple[Any, CapturedWarnings]:
    """In another process: return the result of one item with the warnings it caused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(item)
    return result, [(str(warning.message), warning.category) for warning in caught]


def repeat_warnings(captured: CapturedWarnings) -> None:
    """In the driver: repeat the warnings of another process."""
    for message, category in captured:
        warnings.warn(message, category, stacklevel=3)


def portable(error: Exception) -> Exception:
    """Return the error itself if it can be sent to another process, else one with the same message."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (our own, of a moment ago)
    except Exception:
        return MetricFailedError(str(error))
    return error
