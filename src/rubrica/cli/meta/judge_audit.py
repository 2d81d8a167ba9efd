"""Audit judges: agreement with people, position, length and self-preference bias, stability, juries."""

from __future__ import annotations

import argparse

from rubrica.cli.console import Console, console_for
from rubrica.cli.meta.inputs import add_scores, read_scores, write_result
from rubrica.cli.meta.judge_audit_text import audit_text, audit_verdict
from rubrica.cli.meta.judge_inputs import add_html, write_page
from rubrica.cli.meta.method_inputs import (
    add_resampling_arguments,
)
from rubrica.cli.options import add_summarizer_type, resampling_of
from rubrica.cli.parser import Parser
from rubrica.data.instance import flatten
from rubrica.data.table import ScoreTable
from rubrica.errors import DataError, UsageError
from rubrica.formatting.jsonable import to_jsonable
from rubrica.meta.judges.audit_findings import ScoreAudit
from rubrica.meta.judges.jury import JuryReport, compare_juries
from rubrica.meta.judges.pair_audit import audit_pairs, read_pairs
from rubrica.meta.judges.ratings import read_ratings
from rubrica.meta.judges.score_audit import audit_judge
from rubrica.meta.scores import Matrix
from rubrica.statistics.intervals import Resampling


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica judge-audit`."""
    parser.example = (
        "rubrica judge-audit --human relevance --judges judge-relevance.score --length length "
        "--scores judge.jsonl stats.jsonl human.jsonl\n"
        "rubrica judge-audit --pairs verdicts.jsonl --html audit.html"
    )
    group = parser.add_argument_group("ratings: scores of summaries by judges and people")
    group.add_argument("--human", metavar="M", help="human scores (a measure such as relevance)")
    group.add_argument(
        "--judges", nargs="+", metavar="M", help="judges (the measures that hold their scores)"
    )
    add_scores(parser, group)
    add_summarizer_type(group, "peer")
    group.add_argument(
        "--aspects",
        nargs="+",
        default=[],
        metavar="M",
        help="aspects: other human scores, for the agreement with each",
    )
    group.add_argument("--length", metavar="M", help="measure of length (for length bias)")
    group.add_argument(
        "--style",
        nargs="+",
        default=[],
        metavar="M",
        help="measures of style: other features of the summaries, for style bias",
    )
    group.add_argument("--repeat", metavar="M", help="second run of the first judge")
    group.add_argument(
        "--paraphrases",
        nargs="+",
        default=[],
        metavar="M",
        help="scores of the first judge with paraphrased prompts, for sensitivity to the prompt",
    )
    group.add_argument(
        "--own-systems",
        nargs="+",
        default=[],
        metavar="SYSTEM",
        help="systems of the judge's own family, for self-preference",
    )
    group.add_argument(
        "--ratings",
        nargs="+",
        default=[],
        metavar="FILE",
        help="ratings of each person (--human is a list in these rows), for the human ceiling",
    )
    group.add_argument(
        "--summaries",
        nargs="+",
        default=[],
        metavar="FILE",
        help="the texts (JSON lines), shown with the largest disagreements",
    )
    pairs = parser.add_argument_group("pairs: verdicts in both orders")
    pairs.add_argument(
        "--pairs",
        nargs="+",
        default=[],
        metavar="FILE",
        help="rows with original, swapped and optionally label (1, 2 or tie, by text and not by position), or LLMBar's result.json",
    )
    add_html(parser)
    add_resampling_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    resampling = resampling_of(arguments, required=True)
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
            "verdict": audit_verdict(audits, pair_audits, jury),
            "ratings": audits,
            "pairs": to_jsonable(pair_audits, without=("inconsistent",)),
            "jury": jury,
        }
        write_result(arguments, console, result, audit_text(audits, pair_audits, jury))
    return 0


def _ratings(
    arguments: argparse.Namespace, console: Console, resampling: Resampling
) -> tuple[list[ScoreAudit], JuryReport | None]:
    extra = [name for name in (arguments.length, arguments.repeat) if name is not None]
    human = [arguments.human, *arguments.aspects]
    names = [*arguments.judges, *human, *extra, *arguments.style, *arguments.paraphrases]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"{twice[0]} is named twice")
    table, _ = read_scores(arguments, names, console)
    spelled = dict(zip(names, table.measures, strict=True))
    matrices = {name: table.matrix(measure) for name, measure in spelled.items()}
    people = matrices[arguments.human]
    annotators = _annotators(arguments, table)
    texts = _texts(arguments, table)
    audits = [
        audit_judge(
            matrices[name],
            people,
            systems=table.systems,
            inputs=table.inputs,
            length=matrices.get(arguments.length),
            style={measure: matrices[measure] for measure in arguments.style},
            repeat=matrices.get(arguments.repeat) if at == 0 else None,
            paraphrases={m: matrices[m] for m in arguments.paraphrases} if at == 0 else None,
            own_systems=arguments.own_systems,
            aspects={measure: matrices[measure] for measure in arguments.aspects},
            annotators=annotators,
            texts=texts,
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


def _annotators(arguments: argparse.Namespace, table: ScoreTable) -> dict[str, Matrix]:
    """Return each person's ratings of every aspect, annotators x systems x inputs, if files are named."""
    if not arguments.ratings:
        return {}
    kind = arguments.summarizer_type
    names = [arguments.human, *arguments.aspects]
    cubes = {}
    for name, ratings in zip(
        names, read_ratings(arguments.ratings, names, summarizer_type=kind), strict=True
    ):
        if len(ratings.judges) < 2:
            raise DataError(
                f"--ratings: no summary has a list of ratings under {name}, one per person"
            )
        cube = ratings.cube(table.systems, table.inputs)
        if cube is not None:
            cubes[name] = cube
    return cubes


def _texts(
    arguments: argparse.Namespace, table: ScoreTable
) -> dict[tuple[str, str], dict[str, str]]:
    """Return the texts of the audited summaries, by input and system, under their headings."""
    if not arguments.summaries:
        return {}
    from rubrica.reports.scored_texts import SummaryTexts

    read = SummaryTexts.read(arguments.summaries)
    texts = {}
    for key, summary in read.summaries.items():
        texts[key] = {"Summary": flatten(summary)}
        for number, reference in enumerate(read.references.get(key, ()), 1):
            texts[key][f"Reference {number}"] = flatten(reference)
        if key[0] in read.documents:
            texts[key]["Document"] = flatten(read.documents[key[0]])
    if not any((i, s) in texts for i in table.inputs for s in table.systems):
        raise DataError("--summaries: no text belongs to a system and input of the scores")
    return texts
