"""`like="sacrerouge"`: the parameters with which a metric behaves as SacreROUGE's metric of that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rubrica.errors import UnknownNameError

if TYPE_CHECKING:
    from rubrica.metrics.base.metric import Metric

ORIGINALS = ("sacrerouge",)
PIPELINE = "en_core_web_sm"


def like_original(cls: type[Metric], like: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `like`, changed by `values`.

    Raises `MissingResourceError` where the original needs a file that only the user can provide.
    """
    if like not in ORIGINALS:
        raise UnknownNameError("original", like, ORIGINALS)
    return {**cls.sacrerouge_parameters(values), **values}


def sentence_note(label: str, chosen: Mapping[str, Any]) -> str:
    """Return how sentences differ from the original's; "" if `sentence_splitter` is among the parameters chosen."""
    if "sentence_splitter" in chosen:
        return ""
    return f"{label} takes lists as sentences and splits strings by rule; the original splits texts by NLTK's Punkt"
