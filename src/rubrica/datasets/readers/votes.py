"""Votes on content units, one row per summary."""

from __future__ import annotations

from typing import Any

from rubrica.data.votes import UnitVotes
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.row import Row
from rubrica.datasets.readers.rows import RowReader

_ANSWERS: dict[Any, bool | None] = {
    True: True,
    False: False,
    None: None,
    "p": True,
    "n": False,
    "present": True,
    "not present": False,
    "absent": False,
    "": None,
}


@DatasetReader.register("votes-based")
class VotesReader(RowReader):
    """JSON lines: for each summary the answers of several people to each content unit.

    `votes` is a list with a unit each: a list of answers, or `{"statement": ..., "answers": [...]}`.
    An answer is true or false (or 1 and 0, "p" and "n"), null where none was given.
    """

    fields = ("votes",)

    def contents(self, row: Row) -> dict[str, Any]:
        """The votes of a row."""
        units = row.required("votes")
        if not isinstance(units, list):
            raise row.error("'votes' must be a list with the answers of each unit")
        return {"votes": [_unit(row, unit, number) for number, unit in enumerate(units)]}


def _unit(row: Row, unit: Any, number: int) -> UnitVotes:
    where, statement = f"votes[{number}]", ""
    if isinstance(unit, dict):
        statement, unit = unit.get("statement", ""), unit.get("answers")
    if not isinstance(unit, list) or not isinstance(statement, str):
        raise row.error(
            f"{where} must be a list of answers, or an object with 'statement' and 'answers'"
        )
    answers = []
    for at, answer in enumerate(unit):
        key = answer.strip().lower() if isinstance(answer, str) else answer
        if isinstance(key, (list, dict)) or key not in _ANSWERS:
            raise row.error(
                f"{where}: answer {at} is {answer!r}; expected true, false or null "
                "(or 1 and 0, 'p' and 'n')"
            )
        answers.append(_ANSWERS[key])
    return UnitVotes(tuple(answers), statement)
