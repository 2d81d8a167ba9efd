"""Who gets which tasks: at the start, when annotators join, and when they leave."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence


def assign(
    practice: Sequence[int], tasks: Sequence[int], annotators: int, per_task: int | None, seed: int,
    ranks: Mapping[int, int] | None = None,
) -> list[list[int]]:  # fmt: skip
    """Return each annotator's tasks in their order: practice first, then their own shuffle.

    With `per_task`, each task goes to that many annotators, those with the fewest tasks first. With
    `ranks`, the tasks of lower rank come first for everybody, equal ones in a shuffle.
    """
    chance = random.Random(f"assign:{seed}")
    tasks = list(tasks)
    chance.shuffle(tasks)
    orders: list[list[int]] = [[] for _ in range(annotators)]
    for task in tasks:
        ranked = sorted(orders, key=lambda order: (len(order), chance.random()))
        for order in ranked[: per_task or annotators]:
            order.append(task)
    for number, order in enumerate(orders):
        random.Random(f"order:{seed}:{number}").shuffle(order)
        if ranks is not None:
            order.sort(key=ranks.__getitem__)
    return [[*practice, *order] for order in orders]


def share_of_newcomer(
    unopened: Mapping[int, Sequence[int]], holders: Mapping[int, int], per_task: int
) -> tuple[list[int], dict[int, list[int]]]:
    """Return the tasks of a new annotator, and those that others hand over, by annotator.

    `unopened` are the tasks that each annotator has not opened, in their order; `holders` is the
    number of annotators of each task. Tasks with fewer than `per_task` come first. Then those with
    the most to do hand over their last ones, until the newcomer has an even share.
    """
    share = [task for task, number in holders.items() if number < per_task]
    left = {annotator: list(tasks) for annotator, tasks in unopened.items()}
    handed_over: dict[int, list[int]] = {}
    while left:
        busiest = max(left, key=lambda annotator: (len(left[annotator]), -annotator))
        if len(left[busiest]) <= len(share) + 1:
            break
        task = left[busiest].pop()
        if task not in share:
            share.append(task)
            handed_over.setdefault(busiest, []).append(task)
    return share, handed_over


def open_share(
    holders: Mapping[int, int], per_task: int | None, most: int | None, chance: random.Random
) -> list[int]:
    """Return the tasks of somebody who enrols: those with the fewest annotators, none that has enough.

    `holders` is the number of annotators of each task; `most` is the largest share.
    """
    free = [task for task, number in holders.items() if per_task is None or number < per_task]
    chance.shuffle(free)
    return sorted(free, key=holders.__getitem__)[:most]


def heirs(
    orphans: Sequence[int], holding: Mapping[int, set[int]], waiting: Mapping[int, int]
) -> dict[int, list[int]]:
    """Return who takes the tasks that somebody left: whoever has the fewest waiting and has not had it.

    `holding` are all tasks of each annotator who stays; `waiting` is how many they still have to do.
    A task that everybody has had already is left out.
    """
    load, taken = dict(waiting), {annotator: set(tasks) for annotator, tasks in holding.items()}
    inherited: dict[int, list[int]] = {}
    for task in orphans:
        free = [annotator for annotator in load if task not in taken[annotator]]
        if not free:
            continue
        heir = min(free, key=lambda annotator: (load[annotator], annotator))
        inherited.setdefault(heir, []).append(task)
        taken[heir].add(task)
        load[heir] += 1
    return inherited
