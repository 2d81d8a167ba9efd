"""Cleaning: remove unreliable workers and rows by explicit rules, with a reason for each removal.

Rules are read from a file, so that a study can publish them. Without worker ids only the rules on
single rows apply.
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
    """Limits beyond which workers and rows are removed; None switches a rule off. Shares are 0 to 1.

    Workers: `agreement` is the minimum mean agreement with others on the same summaries, measured by
    `method` (LitePyramids: sequence-matcher, 0.5). `leave_one_out` is the minimum share of answers
    equal to the majority of the others. `straight_lines` is the maximum share of rows with all
    answers equal. `attention` is the minimum share of correct attention checks. `iterations` repeats
    the worker rules on the remaining rows; removed workers stay removed.

    Rows: `blank` is the maximum number of BLANK statements marked present, `row_attention` the
    maximum number of wrong checks, `fastest` the minimum seconds per statement, `slowest` the
    maximum, `unanswered` the maximum number of statements without an answer, `row_agreement` the
    minimum share of answers equal to the majority of the other rows.

    `missing` is what a missing answer counts as, in agreement and in votes.
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
    """Read rules from a TOML file; an unknown key is an error."""
    with open_binary(path) as stream:
        return parse_rules(stream.read(), path)


def parse_rules(data: bytes, file: str) -> Rules:
    """Return the rules of a TOML document; errors name `file`."""
    try:
        return msgspec.convert(tomllib.loads(data.decode("utf-8")), Rules)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise DataError(f"not a valid rules file: {error}", file=file) from error


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker's statistics; a share is None if there is nothing to compute it from."""

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
    """A removed row and the reason; worker rules remove all rows of a worker."""

    event: str
    summarizer_id: str
    worker: str
    place: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The rows kept, the rows removed, and the statistics of all workers before removal."""

    remaining: tuple[Rating, ...]
    removed: tuple[Removal, ...]
    workers: tuple[Worker, ...]
    rules: Rules
    left_without: tuple[tuple[str, str], ...] = field(default=())

    def report(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "rules": msgspec.to_builtins(self.rules),
            "rows": len(self.remaining) + len(self.removed),
            "kept": len(self.remaining),
            "removed": [asdict(removal) for removal in self.removed],
            "workers": [asdict(worker) for worker in self.workers],
            "summaries_without_ratings": [list(key) for key in self.left_without],
        }


def clean(ratings: Sequence[Rating], rules: Rules | None = None) -> Cleaned:
    """Apply the rules: to rows first, then to workers on the remaining rows."""
    rules = rules or Rules()
    removed: list[Removal] = []
    records = worker_records(ratings, rules)
    retained = []
    agreement = _row_agreement(ratings, rules)
    last, repeated = last_ratings(ratings)
    for rating, successor in repeated:
        reason = f"the worker rated this summary again, in {successor.place()}"
        removed.append(_removal(rating, "repeated", reason))
    for rating in last:
        fault = _row_fault(rating, rules, agreement.get(id(rating)))
        if fault is None:
            retained.append(rating)
        else:
            removed.append(_removal(rating, *fault))
    for _ in range(max(1, rules.iterations)):
        faults: dict[str, tuple[str, str]] = {}
        for record in worker_records(retained, rules):
            fault = worker_fault(record, rules)
            if fault is not None:
                faults[record.worker] = fault
        if not faults:
            break
        removed += [
            _removal(rating, *faults[rating.worker])
            for rating in retained
            if rating.worker in faults
        ]
        retained = [rating for rating in retained if rating.worker not in faults]
    rated = {rating.key for rating in retained}
    without = tuple(key for key in by_summary(ratings) if key not in rated)
    return Cleaned(tuple(retained), tuple(removed), tuple(records), rules, without)


def _removal(rating: Rating, rule: str, reason: str) -> Removal:
    return Removal(rating.event, rating.summarizer_id, rating.worker, rating.place(), rule, reason)


def _row_fault(rating: Rating, rules: Rules, agreement: float | None) -> tuple[str, str] | None:
    blanks = sum(answer.blank and answer.answer is True for answer in rating.answers)
    checks = [answer for answer in rating.answers if answer.known is not None]
    wrong = sum(answer.answer is not answer.known for answer in checks)
    missing = sum(answer.answer is None for answer in rating.answers)
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


def worker_fault(record: Worker, rules: Rules) -> tuple[str, str] | None:
    """Return the rule on workers that a record breaks and why, or None."""
    if not record.worker or record.rows < rules.min_rows:
        return None
    minimums = (
        ("agreement", record.agreement, rules.agreement),
        ("leave_one_out", record.leave_one_out, rules.leave_one_out),
        ("attention", record.attention, rules.attention),
    )
    for rule, value, bound in minimums:
        if value is not None and bound is not None and value < bound:
            return rule, f"{value:.3f}, below {bound:g}"
    if rules.straight_lines is not None and record.straight_lines > rules.straight_lines:
        message = f"{record.straight_lines:.3f} of the rows have all answers equal"
        return "straight_lines", message
    return None


def worker_records(ratings: Iterable[Rating], rules: Rules) -> list[Worker]:
    """Return the statistics of each worker, by name; without ids, of all rows as one worker."""
    rows = list(ratings)
    ratios: dict[str, list[float]] = {}
    majority_shares: dict[str, list[float]] = {}
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
                majority_shares.setdefault(group[i].worker, []).append(share)
    records = []
    by_worker: dict[str, list[Rating]] = {}
    for rating in rows:
        by_worker.setdefault(rating.worker, []).append(rating)
    for name, worker_ratings in sorted(by_worker.items()):
        checks = [a for rating in worker_ratings for a in rating.answers if a.known is not None]
        paces = [
            rating.seconds / max(1, len(rating.answers))
            for rating in worker_ratings
            if rating.seconds is not None
        ]
        straight = sum(
            len({a.answer for a in rating.units()}) == 1 and len(rating.units()) > 1
            for rating in worker_ratings
        )
        records.append(
            Worker(
                worker=name,
                rows=len(worker_ratings),
                # Rounded before the comparison, as in LitePyramids.
                agreement=round(statistics.fmean(ratios[name]), 3) if name in ratios else None,
                leave_one_out=statistics.fmean(majority_shares[name])
                if name in majority_shares
                else None,
                straight_lines=straight / len(worker_ratings),
                attention=sum(a.answer is a.known for a in checks) / len(checks)
                if checks
                else None,
                blanks_present=sum(
                    a.blank and a.answer is True
                    for rating in worker_ratings
                    for a in rating.answers
                ),
                unanswered=sum(
                    a.answer is None for rating in worker_ratings for a in rating.answers
                ),
                seconds_per_statement=statistics.median(paces) if paces else None,
            )
        )
    return records


def _agreement(
    first: Sequence[bool | None], second: Sequence[bool | None], method: str
) -> float | None:
    if not first:
        return None
    if method == "sequence-matcher":
        # Aligns the two lists instead of comparing them item by item, as in LitePyramids.
        return difflib.SequenceMatcher(None, first, second).ratio()
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def _majority_share(lists: Sequence[Sequence[bool | None]], at: int) -> float | None:
    """Return the share of answers equal to the majority of the other lists, ties not counted."""
    equal = counted = 0
    for place, answer in enumerate(lists[at]):
        votes = [
            answers[place]
            for n, answers in enumerate(lists)
            if n != at and answers[place] is not None
        ]
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
