"""Audit judges: agreement with people, position, length and self-preference bias, stability, juries."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import add_scores, put, read_scores, shown
from rubrica.cli.meta.judge_inputs import add_html, write_page
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
    resampling_of,
    section,
    signature_lines,
    span,
)
from rubrica.cli.options import Parser
from rubrica.errors import UsageError
from rubrica.formatting.text_table import shown_p
from rubrica.meta.jsonable import plain
from rubrica.meta.judges.jury import JuryReport, compare_juries
from rubrica.meta.judges.pair_audit import PairAudit, audit_pairs, read_pairs
from rubrica.meta.judges.score_audit import ScoreAudit, audit_judge
from rubrica.statistics.intervals import Interval, Resampling


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica judge-audit`."""
    parser.example = (
        "rubrica judge-audit --human relevance --judges judge-relevance.score --length length "
        "--scores judge.jsonl stats.jsonl human.jsonl\n"
        "rubrica judge-audit --pairs verdicts.jsonl --html audit.html"
    )
    group = parser.add_argument_group("ratings: scores of summaries by judges and people")
    group.add_argument("--human", metavar="M", help="human scores: a measure such as relevance")
    group.add_argument(
        "--judges", nargs="+", metavar="M", help="judges: the measures of their scores"
    )
    add_scores(parser, group)
    group.add_argument(
        "--summarizer-type",
        choices=("all", "reference", "peer"),
        default="peer",
        help="type of the summaries: which to use (default: peer)",
    )
    group.add_argument("--length", metavar="M", help="measure of length (for length bias)")
    group.add_argument(
        "--repeat", metavar="M", help="second run of the first judge, or another prompt"
    )
    group.add_argument(
        "--own-systems",
        nargs="+",
        default=[],
        metavar="SYSTEM",
        help="systems of the judge's own family, for self-preference",
    )
    pairs = parser.add_argument_group("pairs: verdicts in both orders")
    pairs.add_argument(
        "--pairs",
        nargs="+",
        default=[],
        metavar="FILE",
        help="rows with original, swapped and maybe label (1, 2 or tie: the text, not its place), or "
        "LLMBar's result.json",
    )
    add_html(parser)
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    resampling = resampling_of(arguments)
    rated = arguments.judges is not None
    if rated and (arguments.human is None or not arguments.scores):
        raise UsageError("--judges needs --human and --scores")
    if not rated and not arguments.pairs:
        raise UsageError("nothing to audit: give --judges with --human, or --pairs")
    with console_for(arguments) as console:
        pair_audits = {
            file: audit_pairs(read_pairs(file), resampling=resampling) for file in arguments.pairs
        }
        audits, jury = _ratings(arguments, console, resampling) if rated else ([], None)
        if arguments.html:
            from rubrica.reports.judge_audit import audit_report

            write_page(arguments, audit_report(audits, pair_audits, jury))
        result = {
            "verdict": _verdict(audits, pair_audits, jury),
            "ratings": plain(audits),
            "pairs": plain(pair_audits, without=("inconsistent",)),
            "jury": plain(jury),
        }
        put(arguments, console, result, _text(audits, pair_audits, jury))
    return 0


def _ratings(
    arguments: argparse.Namespace, console: Console, resampling: Resampling
) -> tuple[list[ScoreAudit], JuryReport | None]:
    extra = [name for name in (arguments.length, arguments.repeat) if name is not None]
    names = [*arguments.judges, arguments.human, *extra]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice")
    table, _ = read_scores(arguments, names, console)
    spelled = dict(zip(names, table.measures, strict=True))
    matrices = {name: table.matrix(measure) for name, measure in spelled.items()}
    people = matrices[arguments.human]
    audits = [
        audit_judge(
            matrices[name],
            people,
            systems=table.systems,
            inputs=table.inputs,
            length=matrices.get(arguments.length),
            repeat=matrices.get(arguments.repeat) if at == 0 else None,
            own_systems=arguments.own_systems,
            resampling=resampling,
            judge_name=name,
            human_name=arguments.human,
        )
        for at, name in enumerate(arguments.judges)
    ]
    if len(audits) < 2:
        return audits, None
    judges = {name: matrices[name] for name in arguments.judges}
    jury = compare_juries(judges, people, resampling=resampling, human_name=arguments.human)
    return audits, jury


def _verdict(
    audits: list[ScoreAudit], pairs: Mapping[str, PairAudit], jury: JuryReport | None
) -> str:
    sentences = [score_audit.verdict() for score_audit in audits]
    sentences += [audit.verdict(name) for name, audit in pairs.items()]
    return " ".join([*sentences, *([jury.verdict()] if jury else [])])


def _text(audits: list[ScoreAudit], pairs: Mapping[str, PairAudit], jury: JuryReport | None) -> str:
    parts, signatures = [_verdict(audits, pairs, jury)], []
    for audit in audits:
        rows = [
            [
                item.name,
                shown(item.value),
                span(item.lower, item.upper),
                "-" if item.concern is None else "yes" if item.concern else "no",
            ]
            for item in audit.findings
        ]
        title = f"{audit.judge} on {audit.summaries:,} summaries"
        parts.append(section(title, ["check", "value", "interval", "concern"], rows))
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
                shown_p(item.position_p_value),
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
                shown(item.correlation),
                shown(item.difference),
                span(item.lower, item.upper),
            ]
            for item in jury.members
        ]
        headers = ["judge or jury", "correlation", f"minus {jury.best_judge}", "interval"]
        parts.append(section("juries", headers, rows))
        signatures.append(jury.signature)
    return "\n\n".join([*parts, signature_lines(signatures)])


def _value(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.value:.4f}"
