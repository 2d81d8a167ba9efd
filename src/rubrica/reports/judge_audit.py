"""The page of a judge audit: the verdict, every check, and the worst examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rubrica.meta.judges.audit_findings import AGREEMENTS, ScoreAudit
from rubrica.meta.judges.jury import JuryReport
from rubrica.meta.judges.pair_audit import PairAudit
from rubrica.reports.judges import Example, IntervalMark, JudgeReport, ReportSection

_MAX_EXAMPLES = 10


def audit_report(
    audits: Sequence[ScoreAudit], pairs: Mapping[str, PairAudit], jury: JuryReport | None = None
) -> JudgeReport:
    """Return the page of audits of ratings, of pairs, and of a jury."""
    sections: list[ReportSection] = []
    sentences, signatures = [_rating_verdict(audits)] if audits else [], []
    if len(audits) > 1:
        sections.append(_overview(audits))
    for audit in audits:
        sections += _rating_sections(audit, audit.verdict() if len(audits) > 1 else "")
        signatures.append(str(audit.signature))
    for name, pair_audit in pairs.items():
        sections += _pair_sections(name, pair_audit)
        sentences.append(pair_audit.verdict(name))
        signatures.append(str(pair_audit.signature))
    if jury is not None:
        sections.append(_jury_section(jury))
        sentences.append(jury.verdict())
        signatures.append(str(jury.signature))
    summaries = sum(audit.summaries for audit in audits)
    pair_count = sum(pair_audit.pairs for pair_audit in pairs.values())
    counts = (summaries, "ratings"), (pair_count, "pairs in both orders")
    facts = " · ".join(f"{count:,} {what}" for count, what in counts if count)
    return JudgeReport("Judge audit", " ".join(sentences), facts, sections, signatures)


def _rating_verdict(audits: Sequence[ScoreAudit]) -> str:
    """Return the verdict on a judge, or how many of several raise concerns; their sections have their verdicts."""
    if len(audits) == 1:
        return audits[0].verdict()
    names = [
        f"{audit.judge} ({', '.join(audit.concerns())})" for audit in audits if audit.concerns()
    ]
    if not names:
        return f"None of {len(audits)} judges raises a concern."
    verb = "raises" if len(names) == 1 else "raise"
    return f"{len(names)} of {len(audits)} judges {verb} concerns: {', '.join(names)}."


def _overview(audits: Sequence[ScoreAudit]) -> ReportSection:
    """Return a row per judge: agreement with people, and concerns."""
    agreements = [
        [next(finding for finding in audit.findings if finding.name == name) for name in AGREEMENTS]
        for audit in audits
    ]
    return ReportSection(
        "Judges",
        f"Kendall's tau with {audits[0].human}, over summaries (drawn) and over systems.",
        headers=["judge", "summaries", "lower", "upper", "systems", "lower", "upper", "concerns"],
        rows=[
            (
                audit.judge,
                *(number for tau in taus for number in (tau.value, tau.lower, tau.upper)),
                ", ".join(audit.concerns()) or "none",
            )
            for audit, taus in zip(audits, agreements, strict=True)
        ],
        intervals=[
            IntervalMark(audit.judge, taus[0].value, taus[0].lower, taus[0].upper)
            for audit, taus in zip(audits, agreements, strict=True)
        ],
        reference=0.0,
    )


def _rating_sections(audit: ScoreAudit, verdict: str) -> list[ReportSection]:
    biases = [finding for finding in audit.findings if finding.reference == 0.0]
    agreement = [
        finding
        for finding in audit.findings
        if finding.name.startswith(("agreement", "human ceiling"))
    ]
    return [
        ReportSection(
            f"{audit.judge}: agreement",
            f"Correlation with {audit.human}; intervals resample inputs. The human ceiling is the highest that "
            "people's own disagreement allows, if there are ratings of several people.",
            intervals=[IntervalMark(o.name, o.value, o.lower, o.upper) for o in agreement],
            reference=0.0,
            verdict=verdict,
        ),
        ReportSection(
            f"{audit.judge}: checks",
            "A concern is a bias whose interval excludes 0, or a scale that is hardly used.",
            headers=["check", "value", "lower", "upper", "concern", "meaning"],
            rows=[
                (o.name, o.value, o.lower, o.upper, o.concern, o.meaning)
                for o in audit.findings
                # A count needs another number format; the meaning of "most common score" has it.
                if not isinstance(o.value, int)
            ],
            intervals=[IntervalMark(o.name, o.value, o.lower, o.upper) for o in biases],
            reference=0.0 if biases else None,
        ),
        ReportSection(
            f"{audit.judge}: systems",
            "Surplus: the judge's mean minus what people's scores predict.",
            headers=["system", "people", "judge", "surplus"],
            rows=audit.by_system,
        ),
        ReportSection(
            f"{audit.judge}: largest disagreements",
            "Differences in standard deviations; above 0 the judge is kinder than people.",
            headers=["input", "system", "people", "judge", "difference"],
            rows=[(o.instance, o.system, o.human, o.judge, o.difference) for o in audit.worst],
            examples=[
                Example(
                    f"{case.instance}, {case.system}",
                    f"People: {case.human:.2f}; judge: {case.judge:.2f}.",
                    case.texts,
                )
                for case in audit.worst
                if case.texts
            ],
        ),
    ]


def _pair_sections(name: str, audit: PairAudit) -> list[ReportSection]:
    shares = {
        "first place": audit.first,
        "same verdict in both orders": audit.consistent,
        "right, original order": audit.correct_original,
        "right, swapped order": audit.correct_swapped,
        "right in both orders": audit.correct_both,
    }
    examples = [
        Example(
            f"Pair {pair.name}",
            f"Original order: {_verdict(pair.original)}; swapped: {_verdict(pair.swapped)}"
            + (f"; people: {_verdict(pair.label)}" if pair.label is not None else ""),
            [(f"Text {at}", text) for at, text in enumerate(pair.texts, 1) if text],
        )
        for pair in audit.inconsistent[:_MAX_EXAMPLES]
    ]
    return [
        ReportSection(
            f"{name}: both orders",
            f"{audit.pairs:,} pairs; {audit.ties:,} ties and {audit.undecided:,} verdicts without "
            "a decision.",
            verdict=audit.verdict(name),
            intervals=[
                IntervalMark(label, share.value, share.lower, share.upper)
                for label, share in shares.items()
                if share is not None
            ],
            reference=0.5,
        ),
        ReportSection(
            f"{name}: changed verdicts",
            f"{len(audit.inconsistent):,} pairs were decided differently when the texts changed "
            f"places; the first {len(examples)} are shown.",
            examples=examples,
        ),
    ]


def _jury_section(jury: JuryReport) -> ReportSection:
    return ReportSection(
        "Juries",
        f"Correlation with {jury.human} minus that of the best single judge, {jury.best_judge}.",
        verdict=jury.verdict(),
        headers=["judge or jury", "jury", "correlation", "difference", "lower", "upper"],
        rows=[
            (o.name, o.is_jury, o.correlation, o.difference, o.lower, o.upper) for o in jury.members
        ],
        intervals=[IntervalMark(o.name, o.difference, o.lower, o.upper) for o in jury.members],
        reference=0.0,
    )


def _verdict(value: int | str | None) -> str:
    if value is None:
        return "no verdict"
    return value if isinstance(value, str) else f"text {value}"
