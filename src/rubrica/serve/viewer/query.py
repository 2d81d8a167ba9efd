"""The language of the find box: names, bounds of scores, values of columns, phrases and patterns in texts.

    lead3 rouge-1.f1>40 system=bart -type=reference topic:sport summary:"parking levy" document:/\\b(tax|levy)\\b/

A word alone is part of a name; `-` excludes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import regex

from rubrica.aliases import find_measure
from rubrica.errors import UnknownNameError, UsageError
from rubrica.serve.viewer.search import Finder, Mask, Phrase, finder, unquoted
from rubrica.serve.viewer.table import Rows, SampleTable

IDS = ("input", "system", "type")
TEXTS = {
    "summary": ("summary",),
    "reference": ("references",),
    "document": ("documents",),
    "text": ("summary", "references", "documents"),
}
_TOKEN = regex.compile(
    r"""(?P<not>[-!]?)
    (?:(?:"(?P<quoted>[^"]+)"|(?P<name>[^\s"/<>=:!]+))?(?P<test><=|>=|!=|<|>|=|:))?
    (?P<value>"[^"]*"|/(?:\\.|[^/\\])+/|[^\s"]\S*)?""",
    regex.VERBOSE,
)
_MASKS, _ORDERS = 32, 8


class Query:
    """Answers queries about a table; the latest answers are kept until the table changes."""

    def __init__(self, table: SampleTable) -> None:
        self._table, self._version = table, -1
        self._masks: OrderedDict[Any, Any] = OrderedDict()
        self._orders: OrderedDict[Any, Any] = OrderedDict()

    def rows(self, find: str, sort: str = "", descending: bool = False) -> Rows:
        """Return the matching rows in order; undefined values come last, equal ones keep their order.

        Raises:
            UnknownNameError: The table has no such column.
            UsageError: The query cannot be understood.
        """
        table = self._table
        with table.lock:
            if self._version != table.version:
                self._masks.clear()
                self._orders.clear()
                self._version = table.version
            order: Rows = _remember(
                self._orders, (sort, descending), _ORDERS, lambda: self._order(sort, descending)
            )
            mask = self._matching(find)
            if mask is None:
                return order
            rows: Rows = order[mask[order]] if sort else np.flatnonzero(mask)
            return rows

    def _matching(self, find: str) -> Mask | None:
        mask: Mask | None = None
        for token in tokens(find):
            part = _remember(self._masks, token, _MASKS, partial(self._mask, *token))
            mask = part if mask is None else mask & part
        return mask

    def _order(self, sort: str, descending: bool) -> Rows:
        table = self._table
        if not sort:
            return np.arange(len(table))
        column = self.resolve(sort)
        if column in table.scores or column == "words":
            values = table.column(column)
        elif column in IDS or column in table.fields:
            values = self._ranks(column)
        else:
            raise UsageError(f"rows cannot be sorted by the text of {column}")
        return np.argsort(-values if descending else values, kind="stable")

    def _ranks(self, column: str) -> Any:
        """Return the place of each row's name among all names, NaN if it has none."""
        names, codes = self._table.names(column), self._table.codes(column)
        ranks = np.full(len(names) + 1, np.nan)
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        return ranks[codes]

    def resolve(self, name: str) -> str:
        """Return the column that a name means, in any spelling of measures.

        Raises:
            UnknownNameError: There is none; the message has near names.
        """
        table = self._table
        names = [*IDS, "words", *table.scores, *table.fields]
        for known in (*names, *TEXTS):
            if known.lower() == name.lower():
                return known
        singular = name.lower().removesuffix("s")
        if singular in TEXTS:
            return singular
        measure = find_measure(name, table.scores)
        if measure is None:
            raise UnknownNameError("column", name, [*names, *TEXTS])
        return measure

    def cells_of(self, name: str) -> str:
        """Return the column that a name means, if a table can show it.

        Raises:
            UnknownNameError: There is none.
            UsageError: It is a text.
        """
        column = self.resolve(name)
        if column in TEXTS:
            raise UsageError(f"{column} is a text, which no column shows")
        return column

    def _mask(self, excluded: bool, name: str, test: str, value: str) -> Mask:
        mask = self._fitting(name, test, value)
        return ~mask if excluded != (test == "!=") else mask

    def _fitting(self, name: str, test: str, value: str) -> Mask:
        table = self._table
        if not test:
            words = finder(value)
            return (
                self._named("input", words)
                | self._named("system", words)
                | self._named("type", words)
            )
        column = self.resolve(name) if name else "words"
        if column in TEXTS:
            if test not in (":", "!="):
                raise UsageError(f'write {column}:word, {column}:"two words" or {column}:/pattern/')
            return self._in_texts(TEXTS[column], value)
        if column in table.scores or column == "words":
            return _bounded(table.column(column), test, _bound(value, column))
        if test not in (":", "=", "!="):
            raise UsageError(f"{column} is not a number; write {column}=value or {column}:part")
        if test == ":":
            return self._named(column, finder(value))
        return self._named(column, Phrase(unquoted(value), whole=True))

    def _named(self, column: str, words: Finder) -> Mask:
        fitting = words.in_each(self._table.lower_names(column))
        return np.append(fitting, False)[self._table.codes(column)]

    def _in_texts(self, columns: tuple[str, ...], value: str) -> Mask:
        table = self._table
        words = finder(value)
        mask = np.zeros(len(table), dtype=np.bool_)
        for name in columns:
            texts = table.summaries if name == "summary" else table.contexts[name].texts
            matches = np.append(texts.matching(words), False)
            mask |= matches[table.text_numbers(name)]
        return mask


def tokens(find: str) -> list[tuple[bool, str, str, str]]:
    """Return the conditions of a query: whether to exclude, column, test and value."""
    conditions: list[tuple[bool, str, str, str]] = []
    at = 0
    while at < len(find):
        if find[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(find, at)
        end = at if match is None else match.end()
        if match is None or end == at or (end < len(find) and not find[end].isspace()):
            raise UsageError(
                f"cannot read {find[at : at + 40]!r}: is a quotation mark or / missing?"
            )
        # Without a value it is a condition that somebody is still typing: `rouge-1.f1>`.
        if value := match["value"]:
            column = match["quoted"] or match["name"] or ""
            conditions.append((bool(match["not"]), column, match["test"] or "", value))
        at = end
    return conditions


def _bound(value: str, column: str) -> float:
    try:
        return float(unquoted(value))
    except ValueError as error:
        raise UsageError(f"{column} holds numbers, and {value} is none") from error


def _bounded(values: Any, test: str, bound: float) -> Mask:
    tests: dict[str, Callable[[], Any]] = {
        "<": lambda: values < bound,
        ">": lambda: values > bound,
        "<=": lambda: values <= bound,
        ">=": lambda: values >= bound,
    }
    mask: Mask = tests.get(test, lambda: values == bound)()
    return mask


def _remember(answers: OrderedDict[Any, Any], key: Any, most: int, make: Callable[[], Any]) -> Any:
    """Return the answer for a key, computed if it is not among the latest."""
    if key not in answers:
        answers[key] = make()
    answers.move_to_end(key)
    while len(answers) > most:
        answers.popitem(last=False)
    return answers[key]
