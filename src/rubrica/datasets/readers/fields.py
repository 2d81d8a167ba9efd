"""Field mapping: which column of a table, or which key of a JSON row, holds which field."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rubrica.datasets.readers.row import SEVERAL, listed
from rubrica.errors import DataError, ParameterError, UnknownNameError

FieldMap: TypeAlias = dict[str, str | list[str]]

# The names that people give each field, the likeliest first; case, blanks and hyphens do not count.
GUESSES = {
    "instance_id": "instance_id id doc_id docid document_id example_id article_id guid",
    "summarizer_id": "summarizer_id system system_id model model_id",
    "summarizer_type": "summarizer_type",
    "summary": "summary prediction predictions pred hypothesis candidate system_output output decoded "
    "generated_summary predicted_summary system_summary model_summary generated hyp",
    "references": "references reference refs ref target gold highlights "
    "reference_summary gold_summary target_summary reference_summaries ground_truth",
    "documents": "documents document source article text",
}


def check_fields(fields: Mapping[str, str | list[str]] | None) -> FieldMap:
    """The mapping, when its fields exist and only texts that may be several have several columns."""
    checked: FieldMap = {}
    for target, names in (fields or {}).items():
        if target not in GUESSES:
            raise UnknownNameError("field to map", target, GUESSES)
        if not names or (isinstance(names, list) and not all(names)):
            raise ParameterError(f"field {target!r} is mapped to nothing")
        if isinstance(names, list) and target not in SEVERAL:
            if len(names) > 1:
                raise ParameterError(
                    f"field {target!r} takes one column, not {len(names)} ({', '.join(names)}); "
                    f"only {' and '.join(SEVERAL)} take several"
                )
            names = names[0]
        checked[target] = names
    return checked


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each field is found in a file's rows, and what was guessed for it."""

    names: FieldMap
    notes: list[str] = field(default_factory=list)


def resolve(fields: FieldMap, found: Collection[str], file: str, line: int, reader: str) -> Columns:
    """The mapping completed by guesses from the column names of a file.

    With a mapping, references and documents are what it says and no more. Without a summary there
    is nothing to score, so a summary that cannot be found, or for which two columns offer
    themselves, is an error; references and documents are left out then, with a note.
    Of two columns that could be an id, the likelier is taken.
    """
    columns = Columns(dict(fields))
    # A column that was given a role by the user is no candidate for another.
    taken = _mapped(fields)
    free = [name for name in found if name not in taken]
    for target in GUESSES:
        if target in fields or (fields and target in SEVERAL):
            continue
        candidates = _candidates(target, free)
        if target == "summary" and len(candidates) != 1:
            raise DataError(_no_summary(candidates, found, reader), file=file, line=line)
        if target in SEVERAL and len(candidates) > 1:
            columns.notes.append(
                f"{target} left out: {listed(candidates)} could all be meant; map one with "
                f"--fields {target}={candidates[0]}"
            )
        elif candidates:
            # `reference` and `document` are one text, as in the rows of `reference-based`: a list in
            # them is its sentences.
            single = target in SEVERAL and _plain(candidates[0]) == SEVERAL[target]
            columns.names[target] = candidates[:1] if single else candidates[0]
            if candidates[0] != target:
                columns.notes.append(f"{target} taken from {listed(candidates[:1])}")
    return columns


def wanted(fields: FieldMap, found: Collection[str]) -> list[str] | None:
    """The columns that `resolve` may use, so that others need not be read.

    None, for all of them, where one that it needs is missing: its message shall list them all.
    """
    mapped = {name if name in found else name.partition(".")[0] for name in _mapped(fields)}
    guessed = {name for target in GUESSES for name in _candidates(target, found)}
    summary = "summary" in fields or _candidates("summary", found)
    return sorted(mapped | guessed) if summary and mapped <= set(found) else None


def _mapped(fields: FieldMap) -> set[str]:
    return {n for names in fields.values() for n in ([names] if isinstance(names, str) else names)}


def _candidates(target: str, found: Collection[str]) -> list[str]:
    """The column names that are usual for a field, the likeliest first."""
    plain = {name: _plain(name) for name in found}
    return [name for usual in GUESSES[target].split() for name in found if plain[name] == usual]


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _no_summary(candidates: list[str], found: Collection[str], reader: str) -> str:
    if candidates:
        return (
            f"{listed(candidates)} could all be the summary; say which, "
            f"for example --fields summary={candidates[-1]}"
        )
    told = f"no column for 'summary' (found: {listed(found)}); reader {reader!r} needs it"
    mark = next((m for m in ";\t|" if len(found) == 1 and m in next(iter(found))), None)
    if mark:
        return f"{told}; the columns seem to be separated by {mark!r}: give it as delimiter"
    return f"{told}: say which it is with --fields summary=COLUMN"
