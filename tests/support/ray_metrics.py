"""Metrics that misbehave on purpose, for tests of engines: they stand in a module so that workers find them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from rubrica.metrics import ReferenceBasedMetric


class Deadly(ReferenceBasedMetric):
    """Length of the summary. Kills its worker at some texts: once each (leaving a file), or always."""

    def __init__(self, folder: str = "", word: str = "", always: bool = False, pause: float = 0.0):
        super().__init__()
        self.folder, self.word, self.always, self.pause = folder, word, always, pause

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        time.sleep(self.pause)
        if self.word and self.word in summary.split():
            mark = Path(self.folder) / f"{summary.replace(' ', '-')}"
            if self.always or not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return {"length": len(summary) / len(references)}


class Failing(ReferenceBasedMetric):
    """Raises at one text."""

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        return {"inverse": 1 / (len(summary) - len("summary 7 of it"))}


class OnDevice(Deadly):
    """Keeps its model, and notes who loaded one."""

    parallel = "device"
    model: object = None

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        if self.model is None:
            self.model = object()
            (Path(self.folder) / f"loaded-{os.getpid()}").touch()
        return super().score_one(summary, references)


class Placed(Deadly):
    """Notes the nodes it worked on."""

    def score_one(self, summary: str, references: Sequence[str]) -> dict[str, float]:
        import ray

        if ray.is_initialized():
            (Path(self.folder) / ray.get_runtime_context().get_node_id()).touch()
        return super().score_one(summary, references)
