"""At which level scores are compared: within inputs, between systems, or over all summaries."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

# What an input without a defined correlation does to the summary level's mean: it is left out, it
# counts as 0, or it is an error. (SacreROUGE, nlpstats and MTME drop; RoSE counts 0.)
Undefined: TypeAlias = Literal["drop", "zero", "error"]


class Level(StrEnum):
    """The three levels; the words are those of SacreROUGE (nlpstats calls `summary` "input")."""

    SUMMARY = "summary"
    """The mean over inputs of the correlation between the systems' scores on that input."""
    SYSTEM = "system"
    """The correlation between the systems' mean scores."""
    GLOBAL = "global"
    """The correlation between all pairs of scores, whatever their system and input."""

    @property
    def key(self) -> str:
        """Its name in the JSON of SacreROUGE and of `rubrica correlate`."""
        return "global" if self is Level.GLOBAL else f"{self.value}_level"
