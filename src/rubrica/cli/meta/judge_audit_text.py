"""The text of `rubrica judge-audit`: the verdict, tables of findings and the largest disagreements."""

from __future__ import annotations

from collections.abc import Mapping

from rubrica.cli.meta.method_inputs import section, signature_lines, span
from rubrica.formatting.text_table import format_p, format_value
from rubrica.meta.judges.audit_findings import ScoreAudit
from rubrica.meta.judges.jury import JuryReport
from rubrica.meta.judges.pair_audit import PairAudit
from rubrica.statistics.intervals import Interval

# Disagreements in the text output, and the characters of their summaries.
_SHOWN, _EXCERPT = 3, 60


def audit_verdict(
    audits: list[ScoreAudit], pairs: Mapping[str, PairAudit], jury: JuryReport | None
) -> str:
    """Return the verdicts on all judges, pairs and the jury, each on its own line."""
    lines = [audit.verdict() for audit in audits]
    lines += [audit.verdict(name) for name, audit in pairs.items()]
    return "\n".join([*lines, *([jury.verdict()] if jury else [])])


def audit_text(
    audits: list[ScoreAudit], pairs: Mapping[str, PairAudit], jury: JuryReport | None
) -> str:
    """Return the verdict, a table per judge, and what pairs and juries say."""
    parts, signatures = [audit_verdict(audits, pairs, jury)], []
    for audit in audits:
        rows = [
            [
                item.name,
                f"{item.value:,}" if isinstance(item.value, int) else format_value(item.value),
                span(item.lower, item.upper),
                "-" if item.concern is None else "yes" if item.concern else "no",
            ]
            for item in audit.findings
        ]
        title = f"{audit.judge} on {audit.summaries:,} summaries"
        parts.append(section(title, ["check", "value", "interval", "concern"], rows))
        parts.append(_disagreements(audit))
        signatures.append(audit.signature)
    if pairs:
        headers = [
            "pairs",
            "n",
            "first place",
            "interval",
            "p",
            "same in both",
            "right",
            "right twice",
        ]
        rows = [
            [
                name,
                f"{item.pairs:,}",
                _value(item.first),
                "-" if item.first is None else span(item.first.lower, item.first.upper),
                format_p(item.position_p_value),
                _value(item.consistent),
                _value(item.correct_average),
                _value(item.correct_both),
            ]
            for name, item in pairs.items()
        ]
        parts.append(section("verdicts in both orders", headers, rows))
        signatures += [item.signature for item in pairs.values()]
    if jury:
        rows = [
            [
                f"{item.name} (jury)" if item.is_jury else item.name,
                format_value(item.correlation),
                format_value(item.difference),
                span(item.lower, item.upper),
            ]
            for item in jury.members
        ]
        headers = ["judge or jury", "correlation", f"minus {jury.best_judge}", "interval"]
        parts.append(section("juries", headers, rows))
        signatures.append(jury.signature)
    return "\n\n".join([*parts, signature_lines(signatures)])


def _disagreements(audit: ScoreAudit) -> str:
    """Return the largest disagreements, with the beginning of the summaries if they are known."""
    cases = audit.worst[:_SHOWN]
    headers = ["input", "system", "people", "judge", "difference"]
    rows = [
        [case.instance, case.system, *map(format_value, (case.human, case.judge, case.difference))]
        for case in cases
    ]
    if any(case.texts for case in cases):
        headers.append("summary")
        for row, case in zip(rows, cases, strict=True):
            text = " ".join(dict(case.texts).get("Summary", "").split())
            row.append(text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 3]}...")
    return section(f"largest disagreements of {audit.judge}", headers, rows)


def _value(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.value:.4f}"
