"""At which level scores are compared: within inputs, between systems, or over all summaries."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from rubrica.errors import UnknownNameError

# What an input without a defined correlation does to the summary level's mean: it is left out, it
# counts as 0, or it is an error. (SacreROUGE, nlpstats and MTME drop; RoSE counts 0.)
Undefined: TypeAlias = Literal["drop", "zero", "error"]


class Level(StrEnum):
    """The three levels; the words are those of SacreROUGE ("input", nlpstats' word for `summary`, is
    understood)."""

    SUMMARY = "summary"
    """The mean over inputs of the correlation between the systems' scores on that input."""
    SYSTEM = "system"
    """The correlation between the systems' mean scores."""
    GLOBAL = "global"
    """The correlation between all pairs of scores, whatever their system and input."""

    @classmethod
    def _missing_(cls, value: object) -> Level:
        if value == "input":
            return cls.SUMMARY
        raise UnknownNameError("level", str(value), [level.value for level in cls])

    @property
    def key(self) -> str:
        """Its name in the JSON of SacreROUGE and of `rubrica correlate`."""
        return "global" if self is Level.GLOBAL else f"{self.value}_level"
