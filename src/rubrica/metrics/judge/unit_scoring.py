"""Score summaries by units: list the units, ask about each one, add up the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rubrica.data.instance import DocumentType, SummaryType, flatten
from rubrica.data.metrics import exact_mean
from rubrica.metrics.base.units import CheckedUnit, Unit, f_score, find_units, supported_share
from rubrica.metrics.judge.answers import Answer
from rubrica.metrics.judge.chunks import split_documents
from rubrica.metrics.judge.parser import spread
from rubrica.metrics.judge.prompt import Messages, Prompt
from rubrica.metrics.judge.unit_answers import Label, parse_labels, parse_units
from rubrica.metrics.judge.unit_rules import UnitRules
from rubrica.text.sentences import sentences_of

# Models lose track of longer lists.
UNITS_PER_QUESTION = 20
# Asks questions (messages and number of the sample) with the schema of their answers.
Ask: TypeAlias = Callable[
    [Sequence[tuple[Messages, int]], str, Callable[[Answer], bool]], list[Answer | None]
]


@dataclass(frozen=True, slots=True)
class UnitTask:
    """A summary with its context, and the number of the sample."""

    sample: int
    summary: SummaryType
    documents: Sequence[DocumentType] = ()
    references: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Listed:
    """The units of a task; None if the answer that should list them could not be read."""

    task: UnitTask
    units: list[Unit] | None
    sentences: list[str]


class UnitScorer:
    """Scores tasks by a prompt of the kind `units`; `units` holds those of references that a file gave."""

    def __init__(
        self,
        prompt: Prompt,
        ask: Ask,
        *,
        units: dict[str, list[Unit]] | None = None,
        units_file: str = "",
        chunk_words: int | None = None,
    ) -> None:
        assert prompt.rules is not None
        self._prompt, self._rules, self._ask = prompt, prompt.rules, ask
        self._units, self._units_file, self._words = units, units_file, chunk_words

    def score(self, tasks: Sequence[UnitTask]) -> list[dict[str, Any]]:
        """Return the measures of each task."""
        listed = self._list_units(tasks)
        labels = self._label_units(listed)
        return [_measures(self._rules, task, next(labels)) for task in listed]

    def check(self, task: UnitTask) -> list[CheckedUnit]:
        """Return the units of a task with their labels; none if the list could not be read."""
        listed = self._list_units([task])
        (labels,) = self._label_units(listed)
        return _checked(self._rules, listed[0], labels)

    def _list_units(self, tasks: Sequence[UnitTask]) -> list[_Listed]:
        queries = [self._extractions(task) for task in tasks]
        messages = [
            (turns, task.sample)
            for task, asked in zip(tasks, queries, strict=True)
            for turns in asked
        ]
        rules = self._rules
        answers = iter(
            self._ask(
                messages,
                rules.extract_schema(),
                lambda answer: parse_units(self._prompt.verdict(answer.text), rules) is not None,
            )
            if messages
            else ()
        )
        return [
            self._listed(task, [next(answers) for _ in asked])
            for task, asked in zip(tasks, queries, strict=True)
        ]

    def _extractions(self, task: UnitTask) -> list[Messages]:
        """Return the questions that list the units of a task; none if they are known."""
        source, extract = self._rules.units_of, self._rules.extract
        if source == "sentences" or (source == "reference" and self._units is not None):
            return []
        if source == "document":
            texts = split_documents(task.documents, self._words)
        else:
            texts = [flatten(task.summary)] if source == "summary" else list(task.references)
        return [self._prompt.messages(extract, **{source: text}) for text in texts]

    def _listed(self, task: UnitTask, answers: Sequence[Answer | None]) -> _Listed:
        sentences = [" ".join(sentence.split()) for sentence in sentences_of(task.summary)]
        units: list[Unit] | None = []
        if self._rules.units_of == "sentences":
            units = [Unit(sentence) for sentence in sentences]
        elif self._rules.units_of == "reference" and self._units is not None:
            units = [
                unit
                for reference in task.references
                for unit in find_units(self._units, reference, self._units_file)
            ]
        for answer in answers:
            more = (
                None
                if answer is None
                else parse_units(self._prompt.verdict(answer.text), self._rules)
            )
            # Without one of its parts a list is not a list of all units.
            units = None if units is None or more is None else units + more
        if units is not None:
            # The parts of a document repeat units.
            units = list({unit.text.casefold(): unit for unit in reversed(units)}.values())[::-1]
        return _Listed(task, units, sentences)

    def _label_units(self, listed: Sequence[_Listed]) -> Iterator[list[Label | None]]:
        """Yield the labels of the units of each task."""
        # The questions of each task: the first unit of each group, with one question per part of the documents.
        plans = [list(self._checks(task)) for task in listed]
        prompt, rules = self._prompt, self._rules
        messages = [
            (turns, task.task.sample)
            for task, plan in zip(listed, plans, strict=True)
            for _, parts in plan
            for turns in parts
        ]

        def readable(answer: Answer) -> bool:
            # Any list of labels will do: how many units were asked about is checked below.
            text = prompt.verdict(answer.text)
            return parse_labels(text, rules, UNITS_PER_QUESTION, 1 << 30) is not None

        answers = iter(self._ask(messages, rules.label_schema(), readable) if messages else ())
        for task, plan in zip(listed, plans, strict=True):
            labels: list[Label | None] = []
            for size, parts in plan:
                best: list[Label | None] = [None] * size
                for _ in parts:
                    answer = next(answers)
                    read = (
                        None
                        if answer is None
                        else parse_labels(
                            prompt.verdict(answer.text), rules, size, len(task.sentences)
                        )
                    )
                    best = [
                        self._better(a, b) for a, b in zip(best, read or [None] * size, strict=True)
                    ]
                labels += best
            yield labels

    def _checks(self, listed: _Listed) -> Iterator[tuple[int, list[Messages]]]:
        """Yield groups of units: how many, and the question about them for every part of the documents."""
        units, task = listed.units or [], listed.task
        texts = {"summary": flatten(task.summary), "sentences": _numbered(listed.sentences)}
        texts["reference"] = "\n\n".join(task.references)
        shown = self._prompt.placeholders(self._prompt.template)
        numbered = "numbered_documents" in shown
        parts = [""]
        if numbered or "document" in shown:
            parts = split_documents(task.documents, self._words, numbered=numbered)
        for start in range(0, len(units), UNITS_PER_QUESTION):
            group = units[start : start + UNITS_PER_QUESTION]
            texts["units"] = _numbered([unit.text for unit in group])
            yield (
                len(group),
                [
                    self._prompt.messages(**texts, document=part, numbered_documents=part)
                    for part in parts
                ],
            )

    def _better(self, a: Label | None, b: Label | None) -> Label | None:
        """Return the label with more support: what one part of a document supports is supported."""
        if a is None or b is None:
            return a or b
        values = self._rules.labels
        best = a if values[a.name] >= values[b.name] else b
        return replace(best, lines=a.lines | b.lines)


def _checked(
    rules: UnitRules, listed: _Listed, labels: Sequence[Label | None]
) -> list[CheckedUnit]:
    return [
        CheckedUnit(unit.text, unit.weight)
        if label is None
        else CheckedUnit(unit.text, unit.weight, rules.labels[label.name], label.name)
        for unit, label in zip(listed.units or [], labels, strict=True)
    ]


def _measures(rules: UnitRules, listed: _Listed, labels: Sequence[Label | None]) -> dict[str, Any]:
    """Return the measures of one summary; those without a labelled unit are None."""
    units = _checked(rules, listed, labels)
    known = [label for label in labels if label is not None]
    values: dict[str, float | None] = {}
    share = supported_share(units)
    if rules.cites_lines:
        # A sentence is concise if it expresses a unit.
        cited = {line for label in known if rules.labels[label.name] for line in label.lines}
        sentences = listed.sentences
        values = {"precision": len(cited) / len(sentences) if known and sentences else None}
        values["recall"] = share
    elif rules.ignored:
        counted = [
            unit
            for unit, label in zip(units, labels, strict=True)
            if label is not None and label.name not in rules.ignored
        ]
        values = {"precision": supported_share(counted), "recall": share}
    else:
        values[rules.measures[0]] = share
    if "f1" in rules.measures:
        # Without a citation precision is undefined; nothing is supported all the same.
        nothing = values["recall"] == 0
        values["f1"] = 0.0 if nothing else f_score(values["precision"], values["recall"])
    unread = 1.0 if listed.units is None else 0.0
    if labels:
        unread = sum(label is None for label in labels) / len(labels)
    return {
        "score": values[rules.measures[-1]],
        **values,
        "units": None if listed.units is None else float(len(units)),
        "invalid": unread,
        "labels": {
            name: sum(label.name == name for label in known) / len(known) if known else None
            for name in rules.labels
        },
    }


def mean_measures(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over the samples, with the standard deviation of the score."""
    scores = [run["score"] for run in runs if run["score"] is not None]
    means: dict[str, Any] = {}
    for name, value in runs[0].items():
        if isinstance(value, dict):
            means[name] = {key: _mean([run[name][key] for run in runs]) for key in value}
        else:
            means[name] = _mean([run[name] for run in runs])
        if name == "score":
            means["sd"] = spread(scores)
    return means


def empty_measures(rules: UnitRules) -> dict[str, Any]:
    """Return the measures of an empty summary, which is not shown to the model."""
    return {
        "score": 0.0,
        "sd": None,
        **dict.fromkeys(rules.measures, 0.0),
        "units": None,
        "invalid": 0.0,
        "labels": dict.fromkeys(rules.labels),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean(known) if known else None


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
