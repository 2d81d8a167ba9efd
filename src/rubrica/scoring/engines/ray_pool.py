"""Workers on a Ray cluster: tasks, which Ray schedules and retries, or permanent actors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from rubrica.errors import RubricaError
from rubrica.scoring.engines.base import Answer


class Tasks:
    """Tasks of one CPU each. With `workers`, no more run at a time; else two wait per CPU there is."""

    def __init__(
        self, ray: Any, function: Any, work: Any, workers: int | None, retries: int
    ) -> None:
        self._ray, self._workers, self._retries, self._work = ray, workers, retries, work
        # A task is repeated when its worker or node dies, not when it says that something is wrong.
        self._task = ray.remote(num_cpus=1, max_retries=retries, scheduling_strategy="SPREAD")(
            function
        )
        self._running: dict[Any, tuple[int, Any]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)

    def limit(self) -> int:
        """Return the limit, which changes when nodes join or leave."""
        return self._workers or 2 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, number: int, item: Any) -> None:
        """Send one item; the list makes Ray pass a reference to the work, not a copy."""
        self._running[self._task.remote([self._work], item)] = number, item

    def answers(self, describe: Callable[[Any], str]) -> Iterator[tuple[int, Answer]]:
        """Wait until one is done."""
        from ray.exceptions import RayError

        ready, _ = self._ray.wait(list(self._running), num_returns=1)
        for reference in ready:
            number, item = self._running.pop(reference)
            try:
                answer = self._ray.get(reference)
            except RayError as error:
                # An ordinary answer, so that earlier results are still delivered.
                answer = None, [], lost(describe(item), self._retries, error)
            yield number, answer


class Actors:
    """Actors with a device each, one item at a time; a dead one's item goes to another."""

    def __init__(self, ray: Any, worker: Any, work: Any, workers: int | None, retries: int) -> None:
        self._ray, self._work, self._retries = ray, work, retries
        gpus = int(ray.cluster_resources().get("GPU", 0))
        self._class = ray.remote(num_cpus=1, num_gpus=1 if gpus else 0, max_restarts=0)(worker)
        self._idle: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self._running: dict[Any, tuple[int, Any, Any]] = {}
        self._waiting: list[tuple[int, Any]] = []
        self._deaths: dict[int, int] = {}
        self._count = workers or max(1, gpus)
        for _ in range(self._count):
            self._start()

    def _start(self) -> None:
        actor = self._class.remote([self._work])
        self._starting[actor.ready.remote()] = actor

    def __len__(self) -> int:
        return len(self._running) + len(self._waiting)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        actors = [actor for _, _, actor in self._running.values()]
        for actor in (*self._idle, *self._starting.values(), *actors):
            self._ray.kill(actor)

    def limit(self) -> int:
        """Return two per actor: one running, one waiting."""
        return 2 * self._count

    def submit(self, number: int, item: Any) -> None:
        """Send one item as soon as an actor is free."""
        self._waiting.append((number, item))
        self._assign()

    def _assign(self) -> None:
        while self._idle and self._waiting:
            actor, (number, item) = self._idle.pop(), self._waiting.pop(0)
            self._running[actor.work.remote(item)] = number, item, actor

    def answers(self, describe: Callable[[Any], str]) -> Iterator[tuple[int, Answer]]:
        """Wait until an item is done, or an actor has started or died."""
        from ray.exceptions import RayActorError, RayError

        ready, _ = self._ray.wait([*self._running, *self._starting], num_returns=1)
        for reference in ready:
            number, item, actor = self._running.pop(reference, (-1, None, None))
            try:
                answer = self._ray.get(reference)
            except RayActorError as error:
                self._starting.pop(reference, None)
                if self._died(number, item):
                    failure = lost(
                        describe(item) if number >= 0 else "nothing yet", self._retries, error
                    )
                    if number < 0:
                        raise failure from error
                    yield number, (None, [], failure)
                continue
            except RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise RubricaError(f"a worker could not be used: {reason}") from error
            if number < 0:
                self._idle.append(self._starting.pop(reference))
            else:
                self._idle.append(actor)
                yield number, answer
        self._assign()

    def _died(self, number: int, item: Any) -> bool:
        """Replace a dead actor and send its item again; return True once that was tried too often."""
        self._deaths[number] = self._deaths.get(number, 0) + 1
        hopeless = self._deaths[number] > self._retries
        if number >= 0 and not hopeless:
            self._waiting.insert(0, (number, item))
        if number >= 0 or not hopeless:
            self._start()
        return hopeless


def lost(rows: str, retries: int, error: Exception) -> RubricaError:
    """Return the error for work that crashed every worker."""
    kind, reason = type(error).__name__, str(error).strip().partition("\n")[0]
    return RubricaError(
        f"workers died {retries + 1} times on {rows} ({kind}: {reason}); what was finished is kept. "
        "Perhaps they lack memory: try a smaller `batch_size=...` or fewer `workers=...`"
    )
