"""A Ray cluster: pieces of work as tasks, or as calls of actors that keep a model on their device."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from rubrica.core.cores import available_cores
from rubrica.errors import MissingResourceError, RubricaError
from rubrica.scoring.engines.base import (
    RAY_BATCH_SIZE,
    Answer,
    Engine,
    Pool,
    Work,
    answer_of,
    in_order,
)
from rubrica.scoring.engines.ray_pool import Actors, Tasks

RETRIES = 5
"""How often work is tried again when its worker or its node dies."""


class RayEngine(Engine):
    """Work for any kind of metric on one machine or many.

    Pure computation is done by tasks; work for a device by actors, one per GPU of the cluster (one in
    all where there is none), which load their model once. At most two pieces per worker are under way.
    """

    name: ClassVar[str] = "ray"

    batch_size = RAY_BATCH_SIZE

    def map(self, work: Work, items: Iterable[Any]) -> Iterator[Any]:
        """As in `Engine`. An error names the work whose workers die repeatedly."""
        ray = connect(self.address, self.workers)
        # Sent once to each node. A worker looks for modules where this process does.
        from ray import cloudpickle

        packed = ray.put((list(sys.path), cloudpickle.dumps(work.function)))
        pool: Pool
        if work.kind == "device":
            pool = Actors(ray, _Worker, packed, self.workers, RETRIES)
        else:
            pool = Tasks(ray, _work, packed, self.workers, RETRIES)
        with pool:
            yield from in_order(pool, items, work.describe)


def connect(address: str | None, workers: int | None) -> Any:
    """Return Ray, connected; an existing connection is used."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Otherwise Ray warns in every run without a GPU about a change in a later version.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingResourceError(
            "the engine 'ray' needs Ray: pip install 'rubrica[ray]'"
        ) from error
    if ray.is_initialized():
        return ray
    options: dict[str, Any] = {}
    if address is None:
        # A new cluster, even if the environment names another one.
        options = {"num_cpus": workers or available_cores(), "include_dashboard": False}
    try:
        ray.init(
            address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **options
        )
    except Exception as error:
        # Any exception: a node that starts too slowly raises a bare Exception.
        reason = str(error).strip().partition("\n")[0]
        raise RubricaError(
            f"no Ray cluster at {address or 'this machine'}: {reason}. Start one with ray start --head; "
            "if it needs a token, also set RAY_AUTH_MODE and RAY_AUTH_TOKEN_PATH here"
        ) from error
    return ray


# The unpickled work of this process, by the id of its object: unpacked once, not once per task.
_unpacked: dict[str, Callable[[Any], Any]] = {}


def _work(holder: list[Any], item: Any) -> Answer:
    """In a worker: process one item. An error is an answer; only a dead worker is retried."""
    [reference] = holder
    if reference.hex() not in _unpacked:
        import ray

        _unpacked.clear()
        _unpacked[reference.hex()] = _function(*ray.get(reference))
    return answer_of(_unpacked[reference.hex()], item)


class _Worker:
    """An actor, which keeps the work and its model loaded."""

    def __init__(self, holder: list[Any]) -> None:
        import ray

        self._function = _function(*ray.get(holder[0]))

    def ready(self) -> bool:
        """Return as soon as the actor has started."""
        return True

    def work(self, item: Any) -> Answer:
        """Process one item."""
        return answer_of(self._function, item)


def _function(path: list[str], packed: bytes) -> Callable[[Any], Any]:
    from ray import cloudpickle

    sys.path += [folder for folder in path if folder not in sys.path]
    function: Callable[[Any], Any] = cloudpickle.loads(packed)
    return function
