"""What an engine is: it maps a function over items, in order, somewhere."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from rubrica.errors import MetricFailedError, ParameterError, RubricaError

Item = TypeVar("Item")
Result = TypeVar("Result")
# Work that releases the interpreter lock, work that holds it, work that fills a device by itself.
WorkKind: TypeAlias = Literal["threads", "processes", "device"]

ENGINES = ("local", "ray")
RAY_BATCH_SIZE = 10_000


class Engine(Protocol):
    """Where the scoring loop runs. Results do not depend on the engine, only the time does."""

    name: ClassVar[str]
    # How many rows one piece of work should have; None leaves it to the loop.
    batch_size: int | None

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        kind: WorkKind,
        describe: Callable[[Item], str] = repr,
    ) -> Iterator[Result]:
        """`map`; results come in the order of the items, of which only a few are held at a time.

        `describe` names an item that was lost with the workers that tried it.
        """
        ...


def engine_for(name: str, *, workers: int | None = None, address: str | None = None) -> Engine:
    """The engine of that name; `workers` is the number of cores to use (all by default)."""
    if workers is not None and workers < 1:
        raise ParameterError(f"the number of workers must be at least 1, not {workers}")
    if name == "ray":
        from rubrica.engines.ray_engine import RayEngine

        return RayEngine(address=address, workers=workers)
    if name != "local":
        raise ParameterError(f"no engine {name!r} (there are: {', '.join(ENGINES)})")
    if address is not None:
        raise ParameterError("an address is that of a Ray cluster: it needs the engine 'ray'")
    from rubrica.engines.local import LocalEngine

    return LocalEngine(workers)


Told: TypeAlias = list[tuple[str, type[Warning]]]


def recorded(function: Callable[[Any], Any], item: Any) -> tuple[Any, Told]:
    """In another process: the result of one item, with the warnings it caused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(item)
    return result, [(str(one.message), one.category) for one in caught]


def tell(told: Told) -> None:
    """In the process that asked: the warnings of another."""
    for message, category in told:
        warnings.warn(message, category, stacklevel=3)


def portable(error: RubricaError) -> RubricaError:
    """The error itself if it can be sent to another process, else one with the same words."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (our own, made a moment ago)
    except Exception:
        return MetricFailedError(str(error))
    return error
