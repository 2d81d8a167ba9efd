"""DUCView's XML: pyramids (`.pyr`) and the annotations of summaries against them (`.pan`).

A pyramid file holds all references in one text, each after a title line; SCUs point into it by
offsets. A `.pan` file has the pyramid again, and after it the annotated summary. Offsets in released
files are not always right: where the text at an offset is another, the nearest place with the same
words is taken. A part that is nowhere is left out, with a warning.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from rubrica.data.formats.xml import parse_xml, text_of
from rubrica.data.pyramid import (
    SCU,
    Contributor,
    ContributorAnnotation,
    Part,
    Pyramid,
    PyramidAnnotation,
    SCUAnnotation,
)
from rubrica.errors import DataError, DataWarning

# What DUC's files have where they do not say it themselves.
TITLE = r"[-]*\n\s*D[0-9]+(?:-[A-Z]+)?\.M\.[0-9]+\.[A-Z]\.[A-Z]\s*\n[-]*\n"
# A repeated group with a repetition inside: what makes a search take for ever.
_EXPLOSIVE = re.compile(r"\([^()]*[*+}][^()]*\)[*+{]|\\[1-9]|\(\?[P<=!]")
_WEIGHT = re.compile(r"\s*\((?:\d+\.\d+|NONE)\)\s*$")
_COUNT = re.compile(r"^\s*\(\d+\)\s*")

Tell = Callable[[str], None]


def read_pyramid(
    data: str | bytes,
    instance_id: str | None,
    *,
    file: str,
    title: str = TITLE,
    tell: Tell | None = None,
) -> Pyramid:
    """The pyramid of a `.pyr` file, or that inside a `.pan` file.

    Without an `instance_id` it is what all title lines begin with, `D0801-A` in `D0801-A.M.100.A.B`.
    `title` is the pattern of title lines where the file has no `startDocumentRegEx`. `tell` gets a
    sentence for each part, contributor or SCU left out (default: a `DataWarning`).
    """
    tell = tell or _warn
    root = parse_xml(data, file)
    node = root if root.tag == "pyramid" else root.find("pyramid")
    if node is None:
        raise DataError(f"no <pyramid> (the root is <{root.tag}>)", file=file)
    text = "\n".join(text_of(line) for line in node.iterfind("text/line"))
    own_title = node.findtext("startDocumentRegEx")
    summaries = _summaries(text, own_title if own_title and own_title.strip() else title, file)
    flat = text.replace("\n", " ")
    scus = []
    if instance_id is None:
        topics = {summary.topic for summary in summaries}
        if len(topics) > 1 or "" in topics:
            raise DataError("the title lines do not begin with the name of an input", file=file)
        (instance_id,) = topics
    for element in node.iterfind("scu"):
        scu = _scu(element, flat, summaries, file, tell)
        if scu is not None:
            scus.append(scu)
    return Pyramid(
        instance_id,
        tuple(flat[summary.start : summary.end] for summary in summaries),
        tuple(summary.summarizer_id for summary in summaries),
        tuple(scus),
    )


def read_annotation(
    data: str | bytes,
    instance_id: str,
    summarizer_id: str,
    summarizer_type: str,
    pyramid: Pyramid,
    *,
    file: str,
    match_labels: bool = False,
    tell: Tell | None = None,
) -> PyramidAnnotation:
    """The annotation of a `.pan` file; of a blank summary, one without SCUs.

    SCUs that the pyramid does not have (the annotators' own, and id 0) are left out. With
    `match_labels` a unit is known by its label, not by its id, for files whose ids are wrong.
    """
    tell = tell or _warn
    root = parse_xml(data, file)
    node = root if root.tag == "annotation" else root.find("annotation")
    if node is None:
        raise DataError(f"no <annotation> (the root is <{root.tag}>)", file=file)
    lines = (text_of(line).strip() for line in node.iterfind("text/line"))
    summary = " ".join(line for line in lines if line)
    unit_ids = {scu.scu_id for scu in pyramid.scus}
    labels = [_squeezed(scu.label) for scu in pyramid.scus]
    by_label = {
        label: scu.scu_id
        for label, scu in zip(labels, pyramid.scus, strict=True)
        if labels.count(label) == 1
    }
    scus: dict[int, SCUAnnotation] = {}
    for element in node.iterfind("peerscu"):
        label = _WEIGHT.sub("", _COUNT.sub("", element.get("label", "")))
        scu_id = _number(element, "uid", file)
        if match_labels:
            scu_id = by_label.get(_squeezed(label), 0)
        if element.find("contributor") is None or scu_id not in unit_ids or not scu_id:
            continue
        contributors = []
        for contributor in element.iterfind("contributor"):
            places = [
                place
                for part in contributor.iterfind("part")
                if (place := _place(part, summary, file, tell)) is not None
            ]
            contributors.append(
                ContributorAnnotation(
                    contributor.get("label", ""),
                    tuple(Part(summary[a:b], a, b) for a, b in sorted(places)),
                )
            )
        before = scus[scu_id].contributors if scu_id in scus else ()
        scus[scu_id] = SCUAnnotation(scu_id, label, (*before, *contributors))
    return PyramidAnnotation(
        instance_id, summarizer_id, summarizer_type, summary, tuple(scus.values())
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    topic: str
    summarizer_id: str
    start: int
    end: int


def _summaries(text: str, pattern: str, file: str) -> list[_Summary]:
    """Return the span of each reference in the text, without surrounding blanks."""
    if len(pattern) > 300 or _EXPLOSIVE.search(pattern):
        raise DataError(f"a pattern of title lines that is not read: {pattern[:80]!r}", file=file)
    try:
        titles = list(re.finditer(pattern, text))
    except re.error as error:
        raise DataError(f"startDocumentRegEx is no pattern: {error}", file=file) from error
    if not titles:
        raise DataError(f"no title line of a reference (pattern {pattern!r})", file=file)
    summaries = []
    ends = [*(title.start() for title in titles[1:]), len(text)]
    for title, end in zip(titles, ends, strict=True):
        body = text[title.end() : end]
        start = title.end() + len(body) - len(body.lstrip())
        title_text = title.group().strip(" -\n\t\r")
        topic, name = title_text.partition(".")[0], title_text.rpartition(".")[2]
        topic = topic.strip() if "." in title_text else ""
        stop = max(start, start + len(body.strip()))
        summaries.append(_Summary(topic, name.strip(" -\n\t"), start, stop))
    names = [summary.summarizer_id for summary in summaries]
    if len(set(names)) < len(names) or not all(names):
        raise DataError(f"references without names of their own: {', '.join(names)}", file=file)
    return summaries


def _scu(
    element: Element, text: str, summaries: list[_Summary], file: str, tell: Tell
) -> SCU | None:
    scu_id = _number(element, "uid", file)
    starts = [summary.start for summary in summaries]
    contributors = []
    for contributor in element.iterfind("contributor"):
        places = [
            place
            for part in contributor.iterfind("part")
            if (place := _place(part, text, file, tell)) is not None
        ]
        indexes = {bisect_right(starts, start) - 1 for start, _ in places}
        if len(indexes) != 1 or -1 in indexes:
            problem = "in no reference" if len(indexes) < 2 else "in two references"
            tell(f"{file}: SCU {scu_id}: a contributor {problem} left out")
            continue
        (index,) = indexes
        origin = summaries[index].start
        parts = tuple(Part(text[a:b], a - origin, b - origin) for a, b in sorted(places))
        contributors.append(Contributor(index, contributor.get("label", ""), parts))
    indexes = {contributor.summary_index for contributor in contributors}
    if not contributors or len(indexes) < len(contributors):
        # The second: DUCView's own scores count such a unit twice, so its weight is unknown.
        problem = "two contributors of one reference" if contributors else "no contributor"
        tell(f"{file}: SCU {scu_id}: {problem}, left out")
        return None
    return SCU(scu_id, _WEIGHT.sub("", element.get("label", "")), tuple(contributors))


def _place(part: Element, text: str, file: str, tell: Tell) -> tuple[int, int] | None:
    """Return the span of a part: at its offsets, or at the nearest occurrence of its words."""
    start, end = _number(part, "start", file), _number(part, "end", file)
    label_text = part.get("label", "")
    for label in dict.fromkeys((label_text, label_text.replace("&quot;", '"'))):
        label = label.replace("\n", " ")
        if label and text[start:end] == label:
            return start, end
        nearest = min(_matches(label, text), key=lambda place: abs(place[0] - start), default=None)
        if nearest is not None:
            return nearest
    tell(f"{file}: part {label_text[:60]!r} is not in the text, left out")
    return None


def _matches(label: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield all spans of the label's words, ignoring blanks between and inside them."""
    letters = [re.escape(c) for c in label if not c.isspace()]
    if letters:
        for match in re.finditer(r"\s*".join(letters), text):
            yield match.span()


def _squeezed(label: str) -> str:
    """Return a label without blanks and case, which differ between its copies."""
    return "".join(label.split()).lower()


def _number(element: Element, name: str, file: str) -> int:
    value = element.get(name, "")
    if not value.strip().isdecimal():
        raise DataError(f"<{element.tag}> has {name}={value!r}, not a number", file=file)
    return int(value)


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=4)
