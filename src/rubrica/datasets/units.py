"""Content units without places in the text (ACUs, key facts): pyramids of one reference."""

from __future__ import annotations

from collections.abc import Sequence

from rubrica.data.pyramid import SCU, Contributor, Pyramid, PyramidAnnotation, SCUAnnotation
from rubrica.datasets.judgments import Judgments


def add_units(
    judgments: Judgments,
    topic: str,
    reference: str,
    units: Sequence[str],
    *,
    name: str = "reference",
) -> None:
    """Add the units of an input as a pyramid, numbered from 1, each of weight 1."""
    if topic not in judgments.pyramids:
        scus = tuple(
            SCU(number, label, (Contributor(0, label, ()),))
            for number, label in enumerate(units, 1)
        )
        judgments.add_pyramid(Pyramid(topic, (reference,), (name,), scus))


def add_labels(
    judgments: Judgments, topic: str, system: str, summary: str, labels: Sequence[float | int]
) -> None:
    """Add the units that a summary has: those whose label is 1 (or more than one half)."""
    scus = judgments.pyramids[topic].scus
    present = tuple(
        SCUAnnotation(scu.scu_id, scu.label)
        for scu, label in zip(scus, labels, strict=True)
        if label > 0.5
    )
    judgments.add_annotation(PyramidAnnotation(topic, system, "peer", summary, present))
