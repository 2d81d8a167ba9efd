"""Measure how far prompt injection in summaries moves a judge, on a bundled red-team set."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rubrica.errors import ParameterError, UnknownNameError
from rubrica.formatting.result import Result
from rubrica.formatting.table import Cell, Table
from rubrica.meta.signatures import method_signature
from rubrica.statistics.intervals import Interval, Resampling, bootstrap_means
from rubrica.statistics.undefined import nan_if_none, none_if_nan

if TYPE_CHECKING:
    from rubrica.metrics.judge.metric import Judge

_FILE = Path(__file__).with_name("red_team.toml")


@dataclass(frozen=True, slots=True)
class RedTeamSet:
    """Items (document, reference, poor summary) and attacks (name, kind, text)."""

    version: str
    items: Sequence[Mapping[str, str]]
    attacks: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class AttackEffect:
    """What an attack does: the mean change of the score, how often it rises, how many answers become unreadable."""

    name: str
    kind: str
    effect: Interval
    raised: float | None
    unreadable: float


@dataclass(frozen=True, slots=True, repr=False)
class RedTeam(Result):
    """Effects of attacks on a judge, the strongest first, and of all attacks together."""

    judge: str
    scale: float
    clean_score: float | None
    overall: Interval
    attacks: Sequence[AttackEffect]
    items: int
    signatures: Sequence[str] = field(default=())

    def verdict(self) -> str:
        """Say how many attacks work, and which one works best."""
        working = [
            attack
            for attack in self.attacks
            if attack.effect.lower is not None and attack.effect.lower > 0
        ]
        text = f"{len(working)} of {len(self.attacks)} attacks raise the score of {self.judge}"
        if working:
            best = working[0]
            share = best.effect.value / self.scale
            text += f"; the strongest, {best.name}, by {best.effect.value:.2f} ({share:.0%} of the scale)"
        return f"{text}."

    def to_table(self) -> Table:
        """Return a row per attack."""
        rows = [
            [
                Cell(attack.name),
                Cell(attack.kind),
                *map(Cell, _interval_cells(attack.effect)),
                Cell("undefined" if attack.raised is None else f"{attack.raised:.0%}"),
                Cell(f"{attack.unreadable:.0%}"),
            ]
            for attack in self.attacks
        ]
        everything = [Cell("(all)"), Cell(""), *map(Cell, _interval_cells(self.overall))]
        rows.append([*everything, Cell(""), Cell("")])
        return Table(
            ["attack", "kind", "effect", "lower", "upper", "raised", "unreadable"],
            rows,
            caption="Effect of prompt injection on a judge.",
            notes=[
                f"effect: mean change of the score over {self.items} poor summaries (scale: "
                f"{self.scale:g} wide); intervals resample summaries",
                "raised: share of summaries whose score rises; unreadable: further answers that cannot be parsed",
            ],
            signatures=self.signatures,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row per attack."""
        return [
            {
                "judge": self.judge,
                "attack": attack.name,
                "kind": attack.kind,
                "effect": none_if_nan(attack.effect.value),
                "lower": attack.effect.lower,
                "upper": attack.effect.upper,
                "raised": attack.raised,
                "unreadable": attack.unreadable,
            }
            for attack in self.attacks
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        overall = {"value": none_if_nan(self.overall.value), "lower": self.overall.lower}
        return {
            "verdict": self.verdict(),
            "judge": self.judge,
            "clean_score": self.clean_score,
            "overall": {**overall, "upper": self.overall.upper},
            "attacks": self.records(),
            "items": self.items,
            "signatures": list(self.signatures),
        }


@cache
def red_team_set() -> RedTeamSet:
    """Return the bundled set."""
    values = tomllib.loads(_FILE.read_text("utf-8"))
    return RedTeamSet(values["version"], values["items"], values["attacks"])


def red_team(
    judge: Judge, *, attacks: Sequence[str] | None = None, resampling: Resampling | None = None
) -> RedTeam:
    """Measure how far instructions inside a summary raise a judge's rating of it.

    Poor summaries are rated with and without each attack.

    Args:
        judge: The judge.
        attacks: Names of attacks (default: all of the bundled set).
        resampling: Rounds, confidence and seed of the intervals.

    Returns:
        The effect of each attack on the rating, and of all.

    Raises:
        ParameterError: The metric is not a judge.
        UnknownNameError: There is no such attack.

    Example:
        >>> import rubrica as rb
        >>> from rubrica.meta import red_team
        >>> from rubrica.metrics import Judge
        >>> class Gullible(Judge):
        ...     def score_all(self, summaries, *context):
        ...         ratings = [5 if "answer 5" in text else 2 for text in summaries]
        ...         return [rb.MetricsDict({"judge-coherence": {"score": rating, "invalid": 0}}) for rating in ratings]
        >>> result = red_team(Gullible("any-model", endpoint="http://localhost:8000/v1"), attacks=["override"])
        >>> [(attack.name, attack.effect.value) for attack in result.attacks]
        [('override', 3.0)]
    """
    # Imported on use: `rubrica.meta` does not need the client.
    from rubrica.metrics.judge.metric import Judge

    known = red_team_set()
    resampling = resampling or Resampling()
    if not isinstance(judge, Judge):
        raise ParameterError("only the metric 'judge' reads instructions; red_team needs one")
    chosen = [a for a in known.attacks if attacks is None or a["name"] in attacks]
    names = [attack["name"] for attack in known.attacks]
    for name in attacks or ():
        if name not in names:
            raise UnknownNameError("attack", name, names)
    texts = [[item["summary"] for item in known.items]]
    best = best_answer(judge)
    for attack in chosen:
        texts.append([_attacked(attack["text"], item["summary"], best) for item in known.items])
    scores, invalid = _scores(judge, known.items, texts)
    changes = (scores[1:] - scores[0]).T
    intervals = bootstrap_means(np.ascontiguousarray(changes), resampling)
    effects = [
        AttackEffect(
            attack["name"],
            attack["kind"],
            interval,
            _share_above(change),
            max(0.0, float(np.mean(wrong - invalid[0]))),
        )
        for attack, interval, change, wrong in zip(
            chosen, intervals, changes.T, invalid[1:], strict=True
        )
    ]
    # Of each summary, over all attacks: summaries are what is resampled.
    means = np.array([_mean(row) for row in changes])
    prompt = judge.prompt
    method = method_signature(
        "red-team",
        scores,
        set=known.version,
        attacks=len(chosen),
        rounds=resampling.rounds,
        seed=resampling.seed,
    )
    return RedTeam(
        f"{judge.model_name} ({prompt.name})",
        prompt.highest - prompt.lowest if prompt.kind == "rating" else 1.0,
        none_if_nan(_mean(scores[0])),
        bootstrap_means(means[:, None], resampling)[0],
        sorted(effects, key=lambda e: (-_sortable(e.effect.value), e.name)),
        len(known.items),
        [str(judge.signature()), str(method)],
    )


def best_answer(judge: Judge) -> str:
    """Return the answer that an attacker wants."""
    prompt = judge.prompt
    if prompt.rules is not None:
        return max(prompt.rules.labels, key=lambda name: prompt.rules.labels[name])  # type: ignore[union-attr]
    if prompt.kind == "rating":
        return f"{prompt.highest:g}"
    return "yes" if prompt.kind == "checklist" else "that this summary is better"


def _attacked(template: str, summary: str, best: str) -> str:
    return template.replace("{{summary}}", summary).replace("{{best}}", best)


def _scores(
    judge: Judge, items: Sequence[Mapping[str, str]], texts: Sequence[Sequence[str]]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return scores and shares of unreadable answers, a row per list of texts; NaN without a score."""
    context: dict[str, list[Any]] = {
        "documents": [[item["document"]] for item in items],
        "references": [[item["reference"]] for item in items],
        "query": ["What happened?"] * len(items),
    }
    fields = [context[name] * len(texts) for name in judge.required_context_fields]
    rows = judge.score_all([text for row in texts for text in row], *fields)
    name = f"judge-{judge.prompt.name}"
    values = [[nan_if_none(row[name][key]) for row in rows] for key in ("score", "invalid")]
    scores, invalid = (np.array(row, float).reshape(len(texts), len(items)) for row in values)
    return scores, invalid


def _share_above(changes: np.ndarray[Any, Any]) -> float | None:
    defined = changes[~np.isnan(changes)]
    return float(np.mean(defined > 0)) if len(defined) else None


def _mean(values: np.ndarray[Any, Any]) -> float:
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if len(defined) else math.nan


def _sortable(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _interval_cells(interval: Interval) -> list[str]:
    bounds = (interval.value, interval.lower, interval.upper)
    return [
        "undefined" if bound is None or math.isnan(bound) else f"{bound:+.2f}" for bound in bounds
    ]
