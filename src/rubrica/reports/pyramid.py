"""The report of pyramids: content units by weight, their spans, and how scores are computed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rubrica import __version__
from rubrica.data.pyramid import Part, Pyramid, PyramidAnnotation
from rubrica.errors import DataError
from rubrica.metrics.pyramid.pyramid_score import PyramidScore
from rubrica.reports.page import page, utf16_places

Span = tuple[int, int]
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Contribution:
    """Where a text expresses a unit: spans in UTF-16, as JavaScript counts."""

    unit: int
    label: str
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Unit:
    """A content unit with the references (by number) that express it."""

    id: int
    label: str
    weight: int
    references: Sequence[int]


@dataclass(frozen=True, slots=True)
class Ideal:
    """The ideal summary: as many units (`size`) as a reference has on average, the heaviest ones.

    `counts` are the units of each reference, `weights` those of the ideal, and `total` their sum.
    """

    counts: Sequence[int]
    size: int
    weights: Sequence[int]
    total: int


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A peer or reference with the units it expresses and its score's arithmetic.

    `weights` pairs each expressed unit with its weight: 0 if the pyramid lacks it. A
    reference is scored by the pyramid of the others, which also gives its `ideal`.
    `outside` is the share of words that no unit covers. `score` is None without a pyramid.
    """

    name: str
    type: str
    text: str
    language: str
    contributions: Sequence[Contribution]
    weights: Sequence[tuple[int, int]]
    unknown: Sequence[tuple[int, str]]
    found: int
    ideal: Ideal
    score: float | None
    outside: float | None


@dataclass(frozen=True, slots=True)
class PyramidView:
    """One pyramid: its references, its units, the heaviest first, and the annotated peers."""

    instance: str
    language: str
    units: Sequence[Unit]
    references: Sequence[AnnotatedText]
    peers: Sequence[AnnotatedText]


@dataclass(frozen=True, slots=True)
class PyramidReport:
    """Everything the page shows."""

    title: str
    version: str
    signature: str
    pyramids: Sequence[PyramidView]

    def page(self) -> bytes:
        """Return the report as an HTML page."""
        return page(self.title, self, script="pyramid", styles=("pyramid",))


def pyramid_report(
    pyramids: Iterable[Pyramid],
    annotations: Iterable[tuple[PyramidAnnotation, Pyramid]] = (),
    *,
    title: str = "Pyramids",
) -> PyramidReport:
    """Return the report of all pyramids; each annotation comes with the pyramid that scores it."""
    metric = PyramidScore()
    peers: dict[str, list[AnnotatedText]] = {}
    for annotation, pyramid in annotations:
        peer = _annotated(annotation, pyramid, metric)
        peers.setdefault(pyramid.instance_id, []).append(peer)
    views = [_view(pyramid, peers.get(pyramid.instance_id, []), metric) for pyramid in pyramids]
    if not views:
        raise DataError("no pyramids in the input")
    return PyramidReport(title, __version__, str(metric.signature()), views)


def _view(pyramid: Pyramid, peers: Sequence[AnnotatedText], metric: PyramidScore) -> PyramidView:
    units = [
        Unit(
            scu.scu_id,
            scu.label,
            scu.get_weight(),
            sorted({contributor.summary_index for contributor in scu.contributors}),
        )
        for scu in pyramid.scus
    ]
    units.sort(key=lambda unit: -unit.weight)
    references = []
    for index in range(len(pyramid.summaries)):
        # A single reference has no other references to be scored by.
        other_references = pyramid.remove_summary(index) if len(pyramid.summaries) > 1 else None
        references.append(_annotated(pyramid.get_annotation(index), other_references, metric))
    return PyramidView(pyramid.instance_id, pyramid.language, units, references, peers)


def _annotated(
    annotation: PyramidAnnotation, pyramid: Pyramid | None, metric: PyramidScore
) -> AnnotatedText:
    weight_of = {} if pyramid is None else {scu.scu_id: scu.get_weight() for scu in pyramid.scus}
    weights = [(scu.scu_id, weight_of.get(scu.scu_id, 0)) for scu in annotation.scus]
    weights = sorted(dict(weights).items(), key=lambda pair: -pair[1])
    unknown = [(scu.scu_id, scu.label) for scu in annotation.scus if scu.scu_id not in weight_of]
    total, ideal = sum(weight for _, weight in weights), _ideal(pyramid)
    score = None
    if pyramid is not None:
        score = metric.score_one(annotation, pyramid)[metric.key]
        assert score == (total / ideal.total if ideal.total else 0.0)
    places = utf16_places(annotation.summary)
    contributions = [
        Contribution(
            scu.scu_id,
            " … ".join(part.text for contributor in scu.contributors for part in contributor.parts),
            [_span(part, places) for contributor in scu.contributors for part in contributor.parts],
        )
        for scu in annotation.scus
    ]
    return AnnotatedText(
        annotation.summarizer_id,
        annotation.summarizer_type,
        annotation.summary,
        annotation.language or (pyramid.language if pyramid is not None else ""),
        contributions,
        weights,
        unknown,
        total,
        ideal,
        score,
        _outside(annotation),
    )


def _ideal(pyramid: Pyramid | None) -> Ideal:
    """Return the heaviest units, as many as a reference has on average, rounded up."""
    if pyramid is None:
        return Ideal((), 0, (), 0)
    counts = pyramid.scu_counts()
    size = math.ceil(sum(counts) / len(counts)) if counts else 0
    weights = sorted((scu.get_weight() for scu in pyramid.scus), reverse=True)[:size]
    return Ideal(counts, size, weights, sum(weights))


def _span(part: Part, places: Sequence[int] | None) -> Span:
    if places is None:
        return part.start, part.end
    last = len(places) - 1
    return places[min(max(part.start, 0), last)], places[min(max(part.end, 0), last)]


def _outside(annotation: PyramidAnnotation) -> float | None:
    spans = [
        (part.start, part.end)
        for scu in annotation.scus
        for contributor in scu.contributors
        for part in contributor.parts
    ]
    words = [match.span() for match in _WORD.finditer(annotation.summary)]
    if not words:
        return None
    uncovered = sum(not any(a < end and start < b for a, b in spans) for start, end in words)
    return uncovered / len(words)
