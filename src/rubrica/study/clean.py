"""Cleaning: which workers and rows are not to be trusted, by explicit rules, with the reason of each removal.

The rules are a file of their own, so that a study can say what it did. Without workers' ids only
the rules on single rows apply.
"""

from __future__ import annotations

import difflib
import statistics
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import msgspec

from rubrica.data.files import open_binary
from rubrica.errors import DataError
from rubrica.study.ratings import Missing, Rating, aligned_answers, by_summary, last_ratings


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is removed; a rule that is None removes nothing. Shares lie between 0 and 1.

    Of workers: `agreement` is the least mean agreement with others on the same summaries, as
    `method` measures it (LitePyramids: sequence-matcher, 0.5); `leave_one_out` the least share of
    answers equal to the majority of the others; `straight_lines` the largest share of rows with all
    answers equal; `attention` the least share of right answers to checks. `iterations` repeat the
    worker rules on what is left; who was removed stays removed.

    Of rows: `blank` is the largest number of BLANK statements marked present; `row_attention` the
    largest number of wrong checks; `fastest` the least seconds per statement; `slowest` the most;
    `unanswered` the largest number of statements without an answer; `row_agreement` the least share
    of answers equal to the majority of the other rows.

    `missing`: what an answer that is missing counts as, in agreement and in votes.
    """

    method: Literal["sequence-matcher", "positions"] = "sequence-matcher"
    agreement: float | None = 0.5
    leave_one_out: float | None = None
    straight_lines: float | None = None
    attention: float | None = None
    iterations: int = 1
    min_rows: int = 1
    blank: int | None = None
    row_attention: int | None = None
    fastest: float | None = None
    slowest: float | None = None
    unanswered: int | None = None
    row_agreement: float | None = None
    missing: Missing = "none"


def read_rules(path: str) -> Rules:
    """Rules from a TOML file; a key that is no rule is an error."""
    with open_binary(path) as stream:
        try:
            values = tomllib.loads(stream.read().decode("utf-8"))
            return msgspec.convert(values, Rules)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
            raise DataError(f"not a file of rules: {error}", file=path) from error


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker's record; a share is None where there was nothing to compute it from."""

    worker: str
    rows: int
    agreement: float | None
    leave_one_out: float | None
    straight_lines: float
    attention: float | None
    blanks_present: int
    unanswered: int
    seconds_per_statement: float | None


@dataclass(frozen=True, slots=True)
class Removal:
    """A row that was removed and the reason; `worker` rules remove all rows of a worker."""

    event: str
    summarizer_id: str
    worker: str
    place: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is left, what was removed, and the records of all workers before removal."""

    kept: tuple[Rating, ...]
    removed: tuple[Removal, ...]
    workers: tuple[Worker, ...]
    rules: Rules
    left_without: tuple[tuple[str, str], ...] = field(default=())

    def report(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "rules": msgspec.to_builtins(self.rules),
            "rows": len(self.kept) + len(self.removed),
            "kept": len(self.kept),
            "removed": [asdict(one) for one in self.removed],
            "workers": [asdict(one) for one in self.workers],
            "summaries_without_ratings": [list(one) for one in self.left_without],
        }


def clean(ratings: Sequence[Rating], rules: Rules | None = None) -> Cleaned:
    """Apply the rules: rows first, then workers on what is left."""
    rules = rules or Rules()
    removed: list[Removal] = []
    records = worker_records(ratings, rules)
    kept = []
    agreement = _row_agreement(ratings, rules)
    last, repeated = last_ratings(ratings)
    for rating, successor in repeated:
        reason = f"the worker rated this summary again, in {successor.place()}"
        removed.append(_removal(rating, "repeated", reason))
    for rating in last:
        found = _row_fault(rating, rules, agreement.get(id(rating)))
        if found is None:
            kept.append(rating)
        else:
            removed.append(_removal(rating, *found))
    for _ in range(max(1, rules.iterations)):
        faults: dict[str, tuple[str, str]] = {}
        for record in worker_records(kept, rules):
            fault = _worker_fault(record, rules)
            if fault is not None:
                faults[record.worker] = fault
        if not faults:
            break
        removed += [_removal(one, *faults[one.worker]) for one in kept if one.worker in faults]
        kept = [one for one in kept if one.worker not in faults]
    rated = {rating.key for rating in kept}
    without = tuple(key for key in by_summary(ratings) if key not in rated)
    return Cleaned(tuple(kept), tuple(removed), tuple(records), rules, without)


def _removal(rating: Rating, rule: str, reason: str) -> Removal:
    return Removal(rating.event, rating.summarizer_id, rating.worker, rating.place(), rule, reason)


def _row_fault(rating: Rating, rules: Rules, agreement: float | None) -> tuple[str, str] | None:
    blanks = sum(one.blank and one.answer is True for one in rating.answers)
    checks = [one for one in rating.answers if one.known is not None]
    wrong = sum(one.answer is not one.known for one in checks)
    missing = sum(one.answer is None for one in rating.answers)
    pace = None if rating.seconds is None else rating.seconds / max(1, len(rating.answers))
    if rules.blank is not None and blanks > rules.blank:
        return "blank", f"{blanks} BLANK statements marked present"
    if rules.row_attention is not None and wrong > rules.row_attention:
        return "row_attention", f"{wrong} of {len(checks)} checks wrong"
    if rules.unanswered is not None and missing > rules.unanswered:
        return "unanswered", f"{missing} statements without an answer"
    if rules.fastest is not None and pace is not None and pace < rules.fastest:
        return "fastest", f"{pace:.2f} seconds per statement"
    if rules.slowest is not None and pace is not None and pace > rules.slowest:
        return "slowest", f"{pace:.2f} seconds per statement"
    if (
        rules.row_agreement is not None
        and agreement is not None
        and agreement < rules.row_agreement
    ):
        return "row_agreement", f"{agreement:.3f} of the answers are the others' majority"
    return None


def _worker_fault(record: Worker, rules: Rules) -> tuple[str, str] | None:
    if not record.worker or record.rows < rules.min_rows:
        return None
    least = (
        ("agreement", record.agreement, rules.agreement),
        ("leave_one_out", record.leave_one_out, rules.leave_one_out),
        ("attention", record.attention, rules.attention),
    )
    for rule, value, bound in least:
        if value is not None and bound is not None and value < bound:
            return rule, f"{value:.3f}, below {bound:g}"
    if rules.straight_lines is not None and record.straight_lines > rules.straight_lines:
        told = f"{record.straight_lines:.3f} of the rows have all answers equal"
        return "straight_lines", told
    return None


def worker_records(ratings: Iterable[Rating], rules: Rules) -> list[Worker]:
    """A record of each worker (of all rows together where there are no ids), by name."""
    rows = list(ratings)
    ratios: dict[str, list[float]] = {}
    others: dict[str, list[float]] = {}
    for group in by_summary(rows).values():
        lists = aligned_answers(group, rules.missing)
        for i in range(len(group)):
            for j in range(i + 1, len(group)):
                ratio = _agreement(lists[i], lists[j], rules.method)
                if ratio is not None:
                    ratios.setdefault(group[i].worker, []).append(ratio)
                    ratios.setdefault(group[j].worker, []).append(ratio)
            share = _majority_share(lists, i)
            if share is not None:
                others.setdefault(group[i].worker, []).append(share)
    records = []
    by_worker: dict[str, list[Rating]] = {}
    for one in rows:
        by_worker.setdefault(one.worker, []).append(one)
    for name, mine in sorted(by_worker.items()):
        checks = [a for one in mine for a in one.answers if a.known is not None]
        paces = [one.seconds / max(1, len(one.answers)) for one in mine if one.seconds is not None]
        straight = sum(
            len({a.answer for a in one.units()}) == 1 and len(one.units()) > 1 for one in mine
        )
        records.append(
            Worker(
                worker=name,
                rows=len(mine),
                # Rounded, as in LitePyramids, before it is compared.
                agreement=round(statistics.fmean(ratios[name]), 3) if name in ratios else None,
                leave_one_out=statistics.fmean(others[name]) if name in others else None,
                straight_lines=straight / len(mine),
                attention=sum(a.answer is a.known for a in checks) / len(checks)
                if checks
                else None,
                blanks_present=sum(a.blank and a.answer is True for o in mine for a in o.answers),
                unanswered=sum(a.answer is None for one in mine for a in one.answers),
                seconds_per_statement=statistics.median(paces) if paces else None,
            )
        )
    return records


def _agreement(one: Sequence[bool | None], two: Sequence[bool | None], method: str) -> float | None:
    if not one:
        return None
    if method == "sequence-matcher":
        # An alignment of the two lists, not a comparison place by place: kept as LitePyramids has it.
        return difflib.SequenceMatcher(None, one, two).ratio()
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a is not None and b is not None]
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def _majority_share(lists: Sequence[Sequence[bool | None]], at: int) -> float | None:
    """The share of answers equal to the majority of the other lists, where they have one."""
    equal = counted = 0
    for place, answer in enumerate(lists[at]):
        votes = [one[place] for n, one in enumerate(lists) if n != at and one[place] is not None]
        present = sum(vote is True for vote in votes)
        if answer is None or 2 * present == len(votes):
            continue
        counted += 1
        equal += answer is (2 * present > len(votes))
    return equal / counted if counted else None


def _row_agreement(ratings: Sequence[Rating], rules: Rules) -> dict[int, float]:
    if rules.row_agreement is None:
        return {}
    shares = {}
    for group in by_summary(ratings).values():
        lists = aligned_answers(group, rules.missing)
        for at, rating in enumerate(group):
            share = _majority_share(lists, at)
            if share is not None:
                shares[id(rating)] = share
    return shares
