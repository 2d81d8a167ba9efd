"""Decide which worker runs which test, so that no worker repeats an expensive start and none is idle at the end."""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import Any

from xdist.scheduler import LoadScopeScheduling

from support.neural_samples import MODEL_METRICS

ROOT = Path(__file__).resolve().parents[2]
# These run as whole files: their tests are quick, or share a cluster.
BY_FILE = ("tests/engines/", "tests/golden/", "tests/unit/")
# One worker runs all of a kind: each browser takes seconds to start.
BROWSER = "tests/browser/"
SERVED = ("test_annotation.py", "test_task_kinds.py", "test_viewer.py")
# One worker runs all of these: each package that they import takes seconds.
TOGETHER = (
    "tests/differential/test_ecosystem.py",
    "tests/differential/test_training_loops.py",
    "tests/cli/scoring/test_compare_logs.py",
    "tests/cli/scoring/test_logs_of_harnesses.py",
)
# This file's tests of one metric share its model.
BY_PARAMETER = "tests/contract/test_metrics.py"
# These run first, in this order: if a long test came last, the other workers would wait for it.
LONG_FIRST = (
    "tests/engines/",
    "tests/browser/",
    "tests/docs/",
    "tests/differential/test_ecosystem.py",
    "tests/golden/test_neural_minilm.py",
    "tests/unit/",
    "tests/cli/",
)


class Scheduling(LoadScopeScheduling):
    """Give quick tests to a worker by the file, slow tests one by one, the longest first.

    Tests that run a model are at the end of the queue, where the last worker starts. The other workers reach them
    when nothing else is left: every process that runs a model takes seconds to import torch and to create checkpoints.
    """

    workqueue: OrderedDict[str, dict[str, bool]]
    _sorted = False

    def _split_scope(self, nodeid: str) -> str:
        path, _, name = nodeid.partition("::")
        if path in TOGETHER:
            return TOGETHER[0]
        if path.startswith(BROWSER):
            return f"{BROWSER}served" if path.removeprefix(BROWSER) in SERVED else BROWSER
        if path == BY_PARAMETER:
            return f"{path}::[{name.partition('[')[2]}"
        return path if path.startswith(BY_FILE) else nodeid

    def _assign_work_unit(self, node: Any) -> None:
        if not self._sorted:
            self._sorted = True
            self.workqueue = OrderedDict(sorted(self.workqueue.items(), key=_place))
        # xdist counts all of a worker's work after each test, long finished work too.
        assigned = self.assigned_work[node]
        for scope in [scope for scope, tests in assigned.items() if all(tests.values())]:
            del assigned[scope]
        if node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def _place(work: tuple[str, Any]) -> tuple[bool, int]:
    """Return the key that sorts the queue: long tests at the ends, short ones in the middle."""
    scope, _ = work
    ranks = (rank for rank, folder in enumerate(LONG_FIRST) if scope.startswith(folder))
    rank = next(ranks, len(LONG_FIRST))
    return (True, -rank) if _runs_a_model(scope) else (False, rank)


@cache
def _runs_a_model(scope: str) -> bool:
    """Return whether a test or a file of tests may run a model, as far as its name and its imports tell."""
    path, _, name = scope.partition("::")
    if path.startswith(BROWSER):
        return False
    if path.startswith("tests/contract/"):
        return name.partition("[")[2].rstrip("]") in MODEL_METRICS
    return _mentions_a_model(path)


@cache
def _mentions_a_model(path: str) -> bool:
    pattern = r"\bneeds_(torch|onnx)\b|importorskip\(\"(torch|lm_eval|torchmetrics|evaluate)\""
    return re.search(pattern, (ROOT / path).read_text("utf-8")) is not None
