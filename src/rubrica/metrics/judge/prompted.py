"""Base of the judge: score summaries by the answers to a prompt's questions."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from rubrica.data.instance import (
    DocumentType,
    EvalInstance,
    Fields,
    ReferenceType,
    SummaryType,
    flatten,
)
from rubrica.data.metrics import MetricsDict
from rubrica.errors import ParameterError
from rubrica.metrics.base.metric import Metric
from rubrica.metrics.base.units import CheckedUnit, Unit, UnitSource, read_units
from rubrica.metrics.judge.asking import AskingMetric
from rubrica.metrics.judge.parser import AnswerParser, ParsedAnswer
from rubrica.metrics.judge.prompt import Prompt
from rubrica.metrics.judge.queries import Query, answer_measures, queries_about, shown_texts
from rubrica.metrics.judge.unit_rules import UnitRules
from rubrica.metrics.judge.unit_scoring import UnitScorer, UnitTask, empty_measures, mean_measures

# Summaries that share a context, and the context by field.
_Group: TypeAlias = tuple[Sequence[Any], Mapping[str, Any]]


class PromptedMetric(AskingMetric, abstract=True):
    """Asks what its prompt says about each summary; `samples` answers to every question."""

    prompt: Prompt
    scoring: Literal["samples", "logprobs"]
    samples: int
    against: Literal["references", "peers"]
    _parser: AnswerParser
    _query: str | None
    _units_file: str | None
    _chunk_words: int | None
    _units: dict[str, list[Unit]] | None = None
    _peers: dict[bytes, list[str]] | None = None

    def context_fields(self) -> tuple[str, ...]:
        """Return the fields of an input that the questions need."""
        fields = [
            field
            for field in self.prompt.context_fields()
            if field != "query" or self._query is None
        ]
        if self.prompt.kind == "pairwise" and self.against == "references":
            fields.append("references")
        if self.needs_whole_input and not fields:
            raise ParameterError(
                "judge: against=peers compares the summaries of an input, which is identified by its documents or "
                "references: the prompt must show one of them"
            )
        return tuple(dict.fromkeys(fields))

    def refusal_remedy(self) -> str:
        """Return the option that splits documents, if the prompt allows it."""
        splits = self.prompt.rules is not None and self._chunk_words is None
        return "--chunk_words N splits documents that are too long" if splits else ""

    def for_input(self, instances: Iterable[EvalInstance]) -> Metric:
        """Return a copy that knows the other summaries of every input, and the answers of batches."""
        if not self.needs_whole_input:
            return self
        scorer = copy.copy(self)
        scorer.needs_whole_input = False
        if self._dry_run is None:
            # The copy shares the cache, so that both count their queries in one place.
            scorer._cache = self._answer_cache()
        fetches = self._poll is not None and self._dry_run is None
        if fetches:
            instances = list(instances)
        if self.against == "peers":
            scorer._peers = {}
            for instance in instances:
                key = instance.fields.encoded(self.required_context_fields)
                scorer._peers.setdefault(key, []).append(flatten(instance.fields["summary"]))
        if fetches:
            scorer._fetch_answers(instances)
        return scorer

    def _fetch_answers(self, instances: Iterable[EvalInstance]) -> None:
        """Get the answers about all summaries, so that a batch holds as many questions as possible."""
        rows = [
            [
                [instance.fields["summary"]],
                *(instance.fields[n] for n in self.required_context_fields),
            ]
            for instance in instances
        ]
        self._fetches_only = True
        try:
            if rows:
                self.score_multi_all(*map(list, zip(*rows, strict=True)))
        finally:
            self._fetches_only = False

    def score_multi_all(self, *fields: Any) -> list[list[MetricsDict]]:
        """Score lists of summaries, each list with its own context."""
        groups = [
            (summaries, dict(zip(self.required_context_fields, context, strict=True)))
            for summaries, *context in self._rows(fields)
        ]
        if self.prompt.rules is not None:
            measures = self._unit_measures(groups, self.prompt.rules)
        else:
            measures = self._answer_measures(groups)
        name = f"judge-{self.prompt.name}"
        return [[MetricsDict({name: next(measures)}) for _ in summaries] for summaries, _ in groups]

    def _answer_measures(self, groups: Sequence[_Group]) -> Iterator[dict[str, Any]]:
        """Yield the measures of each summary from the answers of all."""
        rows: list[list[Query] | None] = []
        for summaries, context in groups:
            for at, summary in enumerate(summaries):
                texts = shown_texts(summary, context, self._query)
                queries = queries_about(self.prompt, texts, self._rivals(at, summaries, context))
                rows.append(list(queries) if texts["summary"].strip() else None)
        readings = self._parse_answers([query for row in rows if row for query in row])
        for row in rows:
            drawn = [[next(readings) for _ in range(self.samples)] for _ in row or ()]
            yield answer_measures(self.prompt, None if row is None else drawn)

    def _rivals(
        self, at: int, summaries: Sequence[Any], context: Mapping[str, Any]
    ) -> Sequence[Any]:
        """Return the references, or the other summaries of the input: of the whole run, or else of this call."""
        if self.against == "references":
            return list(context.get("references", ()))
        if self._peers is None:
            return [summary for i, summary in enumerate(summaries) if i != at]
        others = list(self._peers[Fields(context).encoded(self.required_context_fields)])
        others.remove(flatten(summaries[at]))
        return others

    def _parse_answers(self, queries: Sequence[Query]) -> Iterator[ParsedAnswer]:
        """Yield the parsed answer of every sample of every query, in order."""
        parse = self._parser.parse
        messages = [
            (query[0], sample)
            for query in queries
            if not isinstance(query, float)
            for sample in range(self.samples)
        ]
        answers = iter(self.ask(messages, "", lambda answer: parse(answer).value is not None))
        for query in queries:
            for _ in range(self.samples):
                if isinstance(query, float):
                    yield ParsedAnswer(query, 0.0)
                else:
                    reading = parse(next(answers))
                    yield reading.turned() if query[1] else reading

    def _unit_measures(
        self, groups: Sequence[_Group], rules: UnitRules
    ) -> Iterator[dict[str, Any]]:
        """Yield the measures of each summary by the units of the prompt."""
        tasks: list[UnitTask] = []
        empty: list[bool] = []
        for summaries, context in groups:
            references = [flatten(text) for text in context.get("references", ())]
            for summary in summaries:
                empty.append(not flatten(summary).strip())
                tasks += [
                    UnitTask(sample, summary, context.get("documents", ()), references)
                    for sample in range(0 if empty[-1] else self.samples)
                ]
        runs = iter(self._unit_scorer().score(tasks))
        for is_empty in empty:
            if is_empty:
                yield empty_measures(rules)
            else:
                yield mean_measures([next(runs) for _ in range(self.samples)])

    def _unit_scorer(self) -> UnitScorer:
        if self._units_file is not None and self._units is None:
            self._units = read_units(self._units_file)
        return UnitScorer(
            self.prompt,
            self.ask,
            units=self._units,
            units_file=self._units_file or "",
            chunk_words=self._chunk_words,
        )

    @property
    def unit_source(self) -> UnitSource | None:
        """Whose units the prompt checks; None for ratings, preferences and checklists."""
        return None if self.prompt.rules is None else self.prompt.rules.units_of

    def check_units(
        self,
        summary: SummaryType,
        *,
        documents: Sequence[DocumentType] = (),
        references: Sequence[ReferenceType] = (),
    ) -> list[CheckedUnit]:
        """Return the units with their labels in the first sample; an empty summary is not shown to the model."""
        if self.prompt.rules is None or not flatten(summary).strip():
            return []
        texts = [flatten(reference) for reference in references]
        return self._unit_scorer().check(UnitTask(0, summary, documents, texts))
