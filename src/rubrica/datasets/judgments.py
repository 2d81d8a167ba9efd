"""`Judgments`: the documents, summaries, references, human scores and pyramids of one task, by their ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from rubrica.data.instance import Text
from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.datasets.output import Output
from rubrica.errors import MismatchError

Keep = Callable[[tuple[str, str]], bool]
_PLACES = count()


@dataclass(slots=True)
class Summary:
    """A summary; `references` None means the other references of its input.

    `judged` is false for a reference that was not among the summaries to judge. `place` grows from
    summary to summary, as they are met.
    """

    text: Text
    kind: str
    references: list[dict[str, Any]] | None = None
    about: dict[str, Any] = field(default_factory=dict)
    judged: bool = True
    place: int = field(default_factory=_PLACES.__next__, compare=False)


def by_letters(summarizer_id: str) -> str:
    """Return the type by the rule of DUC, TAC and MultiLing: people have letters, systems numbers."""
    return "reference" if summarizer_id.isalpha() else "peer"


class Judgments:
    """Collects the parts of a task in any order, and writes files whose ids match."""

    def __init__(self) -> None:
        # Write rows in the order in which they were met, not by their ids.
        self.as_met = False
        # The references of inputs from an archive of their own, in its order.
        self.listed: dict[str, list[dict[str, Any]]] = {}
        self.documents: dict[str, dict[str, Any]] = {}
        self.summaries: dict[str, dict[str, Summary]] = {}
        self.scores: dict[str, dict[str, MetricsDict]] = {}
        # Scores by metrics, released with the data; separate, because users recompute them.
        self.published: dict[str, dict[str, MetricsDict]] = {}
        self.pyramids: dict[str, Pyramid] = {}
        self.annotations: dict[tuple[str, str], PyramidAnnotation] = {}

    def add_documents(
        self, instance_id: str, documents: Iterable[Mapping[str, Any]], **about: Any
    ) -> None:
        """Add the documents of an input, each with `text`; `about` are further keys of the row.

        A named document that the input already has, from another cluster, is not added again.
        """
        row = self.documents.setdefault(instance_id, {"documents": []})
        for document in documents:
            if "name" not in document or dict(document) not in row["documents"]:
                row["documents"].append(dict(document))
        row.update((key, value) for key, value in about.items() if value is not None)

    def add_summary(
        self,
        instance_id: str,
        summarizer_id: str,
        text: Text,
        *,
        kind: str = "peer",
        references: Sequence[tuple[str, Text]] | None = None,
        again: str = "refuse",
        judged: bool = True,
        **about: Any,
    ) -> None:
        """Add a summary. `references` are its own (name, text) pairs, if not those of the input.

        A second, different summary with the same ids is an error. With `again="last"` it replaces
        the first; with `"first"` it is ignored.
        """
        of_input = self.summaries.setdefault(instance_id, {})
        own_references = (
            None if references is None else [_reference(*reference) for reference in references]
        )
        known = {k: v for k, v in about.items() if v is not None}
        new = Summary(text, kind, own_references, known, judged)
        before = of_input.get(summarizer_id)
        if before is not None:
            new.place = before.place
        if before is not None and before != new and again == "refuse":
            raise MismatchError(f"two different summaries of {instance_id!r} by {summarizer_id!r}")
        if before is None or again != "first":
            of_input[summarizer_id] = new

    def move_last(self, instance_id: str, summarizer_id: str) -> None:
        """Put a summary, if it is there, behind all others."""
        summary = self.summaries.get(instance_id, {}).get(summarizer_id)
        if summary is not None:
            summary.place = next(_PLACES)

    def list_reference(
        self, instance_id: str, summarizer_id: str, text: Text, *, by_text: bool = False
    ) -> None:
        """Note a reference of an input from an archive of its own; not again (`by_text`: nor its text by another)."""
        listed, new = self.listed.setdefault(instance_id, []), _reference(summarizer_id, text)
        if new not in listed and not (by_text and any(one["text"] == text for one in listed)):
            listed.append(new)

    def add_scores(
        self, instance_id: str, summarizer_id: str, scores: Mapping[str, Any]
    ) -> MetricsDict:
        """Add human scores of a summary, merged with those already there."""
        of_input = self.scores.setdefault(instance_id, {})
        metrics = of_input.setdefault(summarizer_id, MetricsDict())
        metrics.update(scores)
        return metrics

    def add_published(
        self, instance_id: str, summarizer_id: str, scores: Mapping[str, Any]
    ) -> None:
        """Add the released metric scores of a summary."""
        of_input = self.published.setdefault(instance_id, {})
        of_input.setdefault(summarizer_id, MetricsDict()).update(scores)

    def append_score(self, instance_id: str, summarizer_id: str, name: str, value: float) -> None:
        """Append one rater's score of a summary."""
        self.add_scores(instance_id, summarizer_id, {}).setdefault(name, []).append(value)

    def add_pyramid(self, pyramid: Pyramid) -> None:
        """Add the pyramid of an input."""
        self.pyramids[pyramid.instance_id] = pyramid

    def add_annotation(self, annotation: PyramidAnnotation) -> None:
        """Add the units of a pyramid that a summary expresses."""
        self.annotations[annotation.instance_id, annotation.summarizer_id] = annotation

    def references(self, instance_id: str) -> list[dict[str, Any]]:
        """Return the references of an input, by name or as met."""
        of_input = self.summaries.get(instance_id, {})
        return [
            {**_reference(name, of_input[name].text), **of_input[name].about}
            for name in self._sorted(of_input)
            if of_input[name].kind == "reference"
        ]

    def select(self, keep: Callable[[str], bool]) -> Judgments:
        """Return the part with the inputs that `keep` accepts."""
        part = Judgments()
        part.listed = self.listed
        part.documents = {i: row for i, row in self.documents.items() if keep(i)}
        part.summaries = {i: summaries for i, summaries in self.summaries.items() if keep(i)}
        part.scores = {i: scores for i, scores in self.scores.items() if keep(i)}
        part.published = {i: scores for i, scores in self.published.items() if keep(i)}
        part.pyramids = {i: pyramid for i, pyramid in self.pyramids.items() if keep(i)}
        part.annotations = {
            k: annotation for k, annotation in self.annotations.items() if keep(k[0])
        }
        return part

    def write(self, out: Output, prefix: str = "") -> None:
        """Write `PREFIXdocuments.jsonl`, `...references`, `...summaries`, `...metrics` and the rest.

        The only reference of an input cannot be scored against others: it goes to `references`, and
        to `PREFIXsole-references.*` if it has scores. Scores and annotations of missing summaries
        are counted as left out.

        If the output keeps the order, rows are in the order in which they were met, the only reference of
        an input is among the summaries, and references that were not judged are not.
        """
        self.as_met = out.as_met
        sole = {key for key in self._keys() if self._is_sole(*key)} if not self.as_met else set()
        out.write(f"{prefix}documents.jsonl", self._document_rows())
        out.write(f"{prefix}references.jsonl", self.reference_rows())
        out.write(f"{prefix}summaries.jsonl", self.summary_rows(lambda key: key not in sole))
        out.write(f"{prefix}metrics.jsonl", self._rows_of(self.scores, lambda k: k not in sole))
        out.write(
            f"{prefix}published-metrics.jsonl",
            self._rows_of(self.published, lambda k: k not in sole),
        )
        scored = {key for key in sole if self.scores.get(key[0], {}).get(key[1])}
        part = f"{prefix}sole-references."
        out.write(f"{part}summaries.jsonl", self.summary_rows(lambda key: key in scored))
        out.write(f"{part}metrics.jsonl", self._rows_of(self.scores, lambda k: k in scored))
        out.write(
            f"{part}published-metrics.jsonl",
            self._rows_of(self.published, lambda k: k in scored),
        )
        out.write(
            f"{prefix}pyramids.jsonl",
            (self.pyramids[name] for name in self._sorted(self.pyramids)),
        )
        out.write(f"{prefix}pyramid-annotations.jsonl", self._annotation_rows(out))
        known = set(self._keys())
        out.leave_out(
            "scores of a summary that is not there",
            sum(
                (i, s) not in known
                for scores in (self.scores, self.published)
                for i, systems in scores.items()
                for s in systems
            ),
        )

    def _sorted(self, names: Iterable[str]) -> list[str]:
        return list(names) if self.as_met else sorted(names, key=natural)

    def _keys(self) -> list[tuple[str, str]]:
        return [(i, s) for i, systems in self.summaries.items() for s in systems]

    def _is_sole(self, instance_id: str, summarizer_id: str) -> bool:
        summary = self.summaries[instance_id][summarizer_id]
        if summary.kind != "reference":
            return False
        if summary.references is not None:
            return not summary.references
        return len(self.references(instance_id)) < 2

    def _document_rows(self) -> Iterator[dict[str, Any]]:
        for name in self._sorted(self.documents):
            yield {"instance_id": name, **self.documents[name]}

    def reference_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of `references.jsonl`; summaries' own references count if all share them.

        As met, they are those of their own archive, if there is one.
        """
        if self.as_met and self.listed:
            for name, references in self.listed.items():
                yield {"instance_id": name, "references": references}
            return
        for name in self._sorted(self.summaries):
            references = self.references(name)
            per_summary = [summary.references for summary in self.summaries[name].values()]
            if (
                not references
                and per_summary[0]
                and all(item == per_summary[0] for item in per_summary)
            ):
                references = per_summary[0]
            if references:
                yield {"instance_id": name, "references": references}

    def summary_rows(self, keep: Keep = lambda _: True) -> Iterator[dict[str, Any]]:
        """Yield the rows of `summaries.jsonl`; `references` is absent if there are none."""
        shared = {name: self.references(name) for name in self.summaries}
        for name, summarizer in self._summary_keys():
            if not keep((name, summarizer)):
                continue
            summary = self.summaries[name][summarizer]
            others = [r for r in shared[name] if r["summarizer_id"] != summarizer]
            references = others if summary.references is None else summary.references
            yield {
                "instance_id": name,
                "summarizer_id": summarizer,
                "summarizer_type": summary.kind,
                "summary": {"text": summary.text},
                **({"references": references} if references else {}),
                **summary.about,
            }

    def _summary_keys(self) -> list[tuple[str, str]]:
        """Return the keys of the summaries, by ids or as met."""
        if not self.as_met:
            return sorted(self._keys(), key=lambda key: (natural(key[0]), natural(key[1])))
        keys = [key for key in self._keys() if self.summaries[key[0]][key[1]].judged]
        return sorted(keys, key=lambda key: self.summaries[key[0]][key[1]].place)

    def _rows_of(
        self, by_input: Mapping[str, Mapping[str, MetricsDict]], keep: Keep
    ) -> Iterator[Metrics]:
        for name in self._sorted(by_input):
            for summarizer in self._sorted(by_input[name]):
                summary = self.summaries.get(name, {}).get(summarizer)
                scores = by_input[name][summarizer]
                if summary is not None and scores and keep((name, summarizer)):
                    yield Metrics(name, summarizer, summary.kind, scores)

    def _annotation_rows(self, out: Output) -> Iterator[PyramidAnnotation]:
        for key in sorted(self.annotations, key=lambda key: (natural(key[0]), natural(key[1]))):
            if key[0] in self.pyramids:
                yield self.annotations[key]
            else:
                out.leave_out("annotations of a pyramid that is not there")


def write_parts(parts: Mapping[str, Judgments], out: Output, prefix: str = "") -> None:
    """Write the files of each part, in order of names, as `PREFIX` `NAME.*`."""
    for name, part in sorted(parts.items()):
        part.write(out, f"{prefix}{name}.")


def _reference(name: str, text: Text) -> dict[str, Any]:
    return {"summarizer_id": name, "text": text}


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return a natural sort key: `2` before `10`, numbers before letters."""
    return tuple(
        (int(piece), "") if piece.isdecimal() else (1 << 62, piece)
        for piece in re.findall(r"\d+|\D+", name)
    )
