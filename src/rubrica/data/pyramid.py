"""Pyramids: the content units (SCUs) human references share, and those a peer summary expresses."""

from __future__ import annotations

from collections import Counter

import msgspec

from rubrica.errors import ParameterError


class Part(msgspec.Struct, frozen=True):
    """A span of a summary: `summary[start:end] == text`, in code points."""

    text: str
    start: int
    end: int


class Contributor(msgspec.Struct, frozen=True):
    """Where reference `summary_index` expresses an SCU."""

    summary_index: int
    label: str
    parts: tuple[Part, ...]


class SCU(msgspec.Struct, frozen=True):
    """A summary content unit with the references that contribute to it."""

    scu_id: int
    label: str
    contributors: tuple[Contributor, ...]

    def get_weight(self) -> int:
        """How many different references express it."""
        return len({contributor.summary_index for contributor in self.contributors})


class ContributorAnnotation(msgspec.Struct, frozen=True):
    """Where a peer summary expresses an SCU."""

    label: str
    parts: tuple[Part, ...]


class SCUAnnotation(msgspec.Struct, frozen=True):
    """An SCU found in a peer summary."""

    scu_id: int
    label: str
    contributors: tuple[ContributorAnnotation, ...] = ()


class PyramidAnnotation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The SCUs of a pyramid that one summary expresses; `language` is a code, "" if unknown."""

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    summary: str
    scus: tuple[SCUAnnotation, ...]
    language: str = ""

    def get_scu_id_set(self) -> set[int]:
        """Ids of the SCUs it expresses."""
        return {scu.scu_id for scu in self.scus}


class Pyramid(msgspec.Struct, frozen=True, omit_defaults=True):
    """The references of one input and the SCUs found in them; `language` is a code, "" if unknown."""

    instance_id: str
    summaries: tuple[str, ...]
    summarizer_ids: tuple[str, ...]
    scus: tuple[SCU, ...]
    language: str = ""

    def get_scu_id_set(self, index: int) -> set[int]:
        """Ids of the SCUs that reference `index` expresses."""
        self._check(index)
        return {
            scu.scu_id
            for scu in self.scus
            if any(c.summary_index == index for c in scu.contributors)
        }

    def scu_counts(self) -> list[int]:
        """How many SCUs each reference expresses."""
        counts = Counter(
            index for scu in self.scus for index in {c.summary_index for c in scu.contributors}
        )
        return [counts[index] for index in range(len(self.summaries))]

    def remove_summary(self, index: int) -> Pyramid:
        """The pyramid of the other references; SCUs that only this one expressed disappear."""
        self._check(index)
        scus = []
        for scu in self.scus:
            remaining = tuple(
                Contributor(c.summary_index - (c.summary_index > index), c.label, c.parts)
                for c in scu.contributors
                if c.summary_index != index
            )
            if remaining:
                scus.append(SCU(scu.scu_id, scu.label, remaining))
        return Pyramid(
            self.instance_id,
            self.summaries[:index] + self.summaries[index + 1 :],
            self.summarizer_ids[:index] + self.summarizer_ids[index + 1 :],
            tuple(scus),
            self.language,
        )

    def get_annotation(self, index: int) -> PyramidAnnotation:
        """Reference `index` as if it had been annotated like a peer."""
        self._check(index)
        scus = []
        for scu in self.scus:
            contributors = tuple(
                ContributorAnnotation(c.label, c.parts)
                for c in scu.contributors
                if c.summary_index == index
            )
            if contributors:
                scus.append(SCUAnnotation(scu.scu_id, scu.label, contributors))
        return PyramidAnnotation(
            self.instance_id,
            self.summarizer_ids[index],
            "reference",
            self.summaries[index],
            tuple(scus),
            self.language,
        )

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self.summaries):
            raise ParameterError(
                f"pyramid {self.instance_id!r} has {len(self.summaries)} summaries, none at {index}"
            )
