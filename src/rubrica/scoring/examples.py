"""`Examples`: summaries of a result to read, with their scores, references and documents."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rubrica.aliases import find_measure
from rubrica.data.instance import EvalInstance, flatten
from rubrica.data.metrics import Metrics
from rubrica.errors import ParameterError, UnknownNameError
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table


@dataclass(frozen=True, slots=True)
class Example:
    """A summary, its score, and the texts that belong to it; "" where a text is not known."""

    input: str
    system: str
    value: float
    summary: str = ""
    reference: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Examples(Result):
    """Summaries chosen from a result; `value` is what the header says, such as `rouge-1.f1`."""

    value: str
    examples: Sequence[Example]

    def to_table(self) -> Table:
        """Return the examples, texts before the value."""
        shown = [name for name in _TEXTS if any(getattr(e, name) for e in self.examples)]
        rows = [
            [
                *map(Cell, (e.input, e.system, *(getattr(e, name) for name in shown))),
                Cell(f"{e.value:.4g}"),
            ]
            for e in self.examples
        ]
        return Table(["input", "system", *shown, self.value], rows, labels=2 + len(shown))

    def records(self) -> list[dict[str, Any]]:
        """Return a row per example."""
        return [asdict(example) for example in self.examples]

    def to_dict(self) -> dict[str, Any]:
        """Return the examples as plain data."""
        return {"value": self.value, "examples": self.records()}

    def __repr__(self) -> str:
        """Return the examples one below the other, their texts wrapped."""
        return "\n\n".join(map(self._text, self.examples))

    def _text(self, example: Example) -> str:
        lines = [f"{example.input}, {example.system}: {self.value} {example.value:.4g}"]
        for name in _TEXTS:
            if text := getattr(example, name):
                margin = f"  {name + ':':<11}"
                lines += textwrap.wrap(
                    textwrap.shorten(text, 600, placeholder=" ..."),
                    100,
                    initial_indent=margin,
                    subsequent_indent=" " * len(margin),
                )
        return "\n".join(lines)


_TEXTS = ("summary", "reference", "document")


def worst_examples(
    rows: Iterable[Metrics],
    data: Iterable[EvalInstance] | None,
    measure: str,
    n: int,
    *,
    lower_is_better: bool,
    system: str | None = None,
) -> Examples:
    """Return the `n` summaries with the worst values of a measure, the worst first."""
    examples = scored_examples(rows, measure, system)
    examples.sort(key=lambda e: -e.value if lower_is_better else e.value)
    return Examples(measure, with_texts(examples[: checked(n)], data))


def sampled_examples(
    rows: Iterable[Metrics],
    data: Iterable[EvalInstance] | None,
    measure: str,
    n: int,
    *,
    seed: int,
    system: str | None = None,
) -> Examples:
    """Return `n` summaries drawn at random, in the order of the rows."""
    examples = scored_examples(rows, measure, system)
    chosen = sorted(
        random.Random(seed).sample(range(len(examples)), min(checked(n), len(examples)))
    )
    return Examples(measure, with_texts([examples[at] for at in chosen], data))


def scored_examples(rows: Iterable[Metrics], measure: str, system: str | None) -> list[Example]:
    """Return an example for each summary of systems (or of one `system`) whose measure is defined."""
    peers = [row for row in rows if row.summarizer_type != "reference"]
    if not peers:
        raise ParameterError(
            "the result has no scores of single summaries: call evaluate without output"
        )
    systems = dict.fromkeys(row.summarizer_id for row in peers)
    if system is not None and system not in systems:
        raise UnknownNameError("system", system, systems)
    values = ((row, row.values().get(measure)) for row in peers)
    return [
        Example(row.instance_id, row.summarizer_id, value)
        for row, value in values
        if value is not None and system in (None, row.summarizer_id)
    ]


def with_texts(examples: Sequence[Example], data: Iterable[EvalInstance] | None) -> list[Example]:
    """Return the examples with their texts, which are looked up in the data."""
    keys = {(example.input, example.system) for example in examples}
    texts: dict[tuple[str, str], EvalInstance] = {}
    for instance in data or ():
        key = instance.instance_id, instance.summarizer_id
        if key in keys:
            texts.setdefault(key, instance)
    return [_with_text(example, texts.get((example.input, example.system))) for example in examples]


def _with_text(example: Example, instance: EvalInstance | None) -> Example:
    if instance is None:
        return example
    fields = instance.fields
    reference, document = (
        "\n".join(map(flatten, fields.get(name) or ())) for name in ("references", "documents")
    )
    summary = flatten(fields.get("summary", ""))
    return replace(example, summary=summary, reference=reference, document=document)


def measure_name(name: str | None, known: Sequence[str]) -> str:
    """Return a measure by one of its names; without a name the first."""
    if name is None:
        return known[0]
    measure = find_measure(name, known)
    if measure is None:
        raise UnknownNameError("measure", name, known)
    return measure


def checked(n: int) -> int:
    """Return a number of examples that is at least 1."""
    if n < 1:
        raise ParameterError(f"the number of summaries must be at least 1: {n}")
    return n


def readable_again(data: Any) -> Any:
    """Return data that can be read a second time, to look up texts; None for streams."""
    pipes = getattr(data, "pipes", None)
    if pipes is not None:
        return None if pipes() else data
    return data if isinstance(data, Sequence) else None
