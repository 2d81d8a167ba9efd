"""Field mapping: which column of a table, or which key of a JSON row, holds which field."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rubrica.data.scores.columns import ID_NAMES
from rubrica.datasets.readers.row import SINGULAR_NAMES, listed
from rubrica.errors import DataError, ParameterError, UnknownNameError

FieldMap: TypeAlias = dict[str, str | list[str]]

# The usual names of each field, the likeliest first; case, blanks and hyphens do not count.
USUAL_NAMES = {
    **ID_NAMES,
    "summary": "summary prediction predictions pred hypothesis candidate system_output output decoded "
    "generated_summary predicted_summary system_summary model_summary model_output generated_text generated "
    "hyp",
    "references": "references reference refs ref target gold highlights "
    "reference_summary gold_summary target_summary human_summary reference_summaries reference_text "
    "gold_standard ground_truth",
    "documents": "documents document source article text source_text source_document",
}
# Columns of one system each: bart_summary, prediction-pegasus, ...
_OUTPUT = "summary|summaries|predictions?|pred|hypothesis|hyp|candidate|output|decoded|generated"
_OF_SYSTEM = re.compile(
    rf"(?P<a>.+?)[_ .-]+(?:{_OUTPUT})|(?:{_OUTPUT})[_ .-]+(?P<b>.+)", re.IGNORECASE
)
_NO_SYSTEM = {"reference", "ref", "gold", "target", "human", "source", "ground_truth", "model"}
# Texts about an input that no system wrote.
_ABOUT_INPUT = {
    "title",
    "headline",
    "author",
    "query",
    "question",
    "topic",
    "prompt",
    "instruction",
}


def check_fields(fields: Mapping[str, str | list[str]] | None) -> FieldMap:
    """Return the mapping if its fields exist and only texts that may be several have several columns."""
    checked: FieldMap = {}
    for target, names in (fields or {}).items():
        if target not in USUAL_NAMES:
            raise UnknownNameError("field to map", target, USUAL_NAMES)
        if not names or (isinstance(names, list) and not all(names)):
            raise ParameterError(f"field {target!r} is mapped to nothing")
        if isinstance(names, list) and target not in SINGULAR_NAMES:
            if len(names) > 1:
                raise ParameterError(
                    f"field {target!r} takes one column, not {len(names)} ({', '.join(names)}); "
                    f"only {' and '.join(SINGULAR_NAMES)} take several"
                )
            names = names[0]
        checked[target] = names
    return checked


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each field is in the rows of a file, and what people should know about it."""

    names: FieldMap
    # With a column per system: system -> column. `names` then has no summary.
    systems: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def mapped(self) -> set[str]:
        """Return the columns that are used."""
        return column_names(self.names) | set(self.systems.values())

    def recognised(self, fields: FieldMap) -> str:
        """Return what was recognised beyond the user's mapping, in the form that options take."""
        words = [
            f"{target}={name if isinstance(name, str) else ','.join(name)}"
            for target, name in self.names.items()
            if target not in fields and name not in (target, [SINGULAR_NAMES.get(target)])
        ]
        systems = " ".join(f"{name}={column}" for name, column in self.systems.items())
        if systems:
            words.append(f"systems {systems}")
        return " ".join(words)


def resolve(
    fields: FieldMap,
    systems: Mapping[str, str],
    row: Mapping[str, Any],
    *,
    file: str,
    line: int,
    reader: str,
) -> Columns:
    """Return the mapping, completed by the usual names among the columns of a file's first row.

    Without a summary there is nothing to score, so a summary that cannot be found, or for which two columns
    qualify, is an error; references and documents are left out then, with a note. Of two columns that
    could be an id, the likelier is used.
    """
    columns = Columns(dict(fields), dict(systems))
    # A column that the user mapped is no candidate for another field.
    free = [name for name in row if name not in columns.mapped()]
    for target in USUAL_NAMES:
        if target in fields or target == "summary":
            continue
        candidates = usual_columns(target, free)
        if target in SINGULAR_NAMES and len(candidates) > 1:
            columns.notes.append(
                f"{target} left out: {listed(candidates)} could all be meant; map one with "
                f'`fields={{"{target}": "{candidates[0]}"}}`'
            )
        elif candidates:
            columns.names[target] = _of_one_text(target, candidates[0])
    if "summary" not in fields and not systems:
        _find_summaries(
            columns, row, free, DataError(_no_summary([], row, reader), file=file, line=line)
        )
    return columns


def _find_summaries(
    columns: Columns, row: Mapping[str, Any], free: list[str], missing: DataError
) -> None:
    """Add the column of summaries, or a column per system."""
    candidates = usual_columns("summary", free)
    if "references" not in columns.names and len(candidates) == 2:
        # As in XSum, where `summary` is what people wrote and the output has another name.
        by_people = next((name for name in candidates if _plain(name) == "summary"), None)
        if by_people is not None:
            columns.names["references"] = by_people
            candidates.remove(by_people)
    if len(candidates) > 1:
        raise DataError(_no_summary(candidates, row, ""), file=missing.file, line=missing.line)
    if candidates:
        columns.names["summary"] = candidates[0]
        return
    left = [name for name in free if name not in columns.mapped()]
    columns.systems.update(_named_like_systems(left))
    texts = [] if columns.systems else _other_texts(columns, row, left)
    if texts and "summarizer_id" in columns.names:
        # The rows say which system wrote them: another text is the summary.
        if len(texts) > 1:
            raise DataError(_no_summary(texts, row, ""), file=missing.file, line=missing.line)
        columns.names["summary"] = texts[0]
        return
    columns.systems.update({name: name for name in texts})
    if not columns.systems:
        raise missing
    others = [name for name in left if name not in columns.systems.values()]
    if unclear := [name for name in others if row[name] in ("", None)]:
        columns.notes.append(
            f"left out, since empty in the first row: {listed(unclear)}; if these are systems, name all with "
            '`systems={"NAME": "COLUMN"}`'
        )


def _named_like_systems(names: Collection[str]) -> dict[str, str]:
    """Return columns such as `bart_summary` or `prediction-t5` by system."""
    systems = {}
    for name in names:
        match = _OF_SYSTEM.fullmatch(name.strip())
        system = (match["a"] or match["b"]) if match else ""
        if system and _plain(system) not in _NO_SYSTEM:
            systems[system] = name
    return systems


def _other_texts(columns: Columns, row: Mapping[str, Any], names: Collection[str]) -> list[str]:
    """Return the other columns of texts, if it is known what the texts are compared with."""
    if not {"references", "documents"} & set(columns.names):
        return []
    return [
        name
        for name in names
        if isinstance(row[name], str)
        and len(row[name].split()) > 2
        and _plain(name) not in _ABOUT_INPUT
    ]


def possible_columns(fields: FieldMap, names: Collection[str]) -> list[str] | None:
    """Return the columns that `resolve` may use, so that others need not be read.

    None, for all of them, if one that it needs is missing: its message lists them all.
    """
    mapped = {name if name in names else name.partition(".")[0] for name in column_names(fields)}
    guessed = {name for target in USUAL_NAMES for name in usual_columns(target, names)}
    summary = "summary" in fields or usual_columns("summary", names)
    return sorted(mapped | guessed) if summary and mapped <= set(names) else None


def column_names(fields: FieldMap) -> set[str]:
    """Return the columns of a mapping."""
    return {n for names in fields.values() for n in ([names] if isinstance(names, str) else names)}


def has_contexts(names: Collection[str]) -> bool:
    """Return whether columns have a usual name of references or documents."""
    return any(usual_columns(target, names) for target in SINGULAR_NAMES)


def _of_one_text(target: str, name: str) -> str | list[str]:
    """`reference` and `document` hold one text, as in the rows of `reference-based`: a list is its sentences."""
    return [name] if target in SINGULAR_NAMES and _plain(name) == SINGULAR_NAMES[target] else name


def usual_columns(target: str, names: Collection[str]) -> list[str]:
    """Return the columns with a usual name of a field, the likeliest first."""
    plain = {name: _plain(name) for name in names}
    return [name for usual in USUAL_NAMES[target].split() for name in names if plain[name] == usual]


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _no_summary(candidates: list[str], names: Collection[str], reader: str) -> str:
    if candidates:
        return (
            f"{listed(candidates)} could all be the summary; choose one, "
            f'for example `fields={{"summary": "{candidates[-1]}"}}`'
        )
    message = f"no column for 'summary' (found: {listed(names)}); reader {reader!r} needs it"
    mark = next((m for m in ";\t|" if len(names) == 1 and m in next(iter(names))), None)
    if mark:
        return f"{message}; the columns seem to be separated by {mark!r}: pass it as delimiter"
    return (
        f'{message}: name it with `fields={{"summary": "COLUMN"}}`, or a column per system with '
        '`systems={"NAME": "COLUMN"}`'
    )
