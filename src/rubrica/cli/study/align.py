"""Find, for each line of a file, the line of an anchor file that belongs to the same document."""

from __future__ import annotations

import argparse

import msgspec

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_seed
from rubrica.cli.parser import Parser
from rubrica.data.files import atomic_output, read_text_lines
from rubrica.data.jsonl import write_json
from rubrica.errors import UsageError
from rubrica.study.align import MIN_SCORE, NGRAM, align, random_probes
from rubrica.study.preprocess import letters
from rubrica.study.realign import record_path
from rubrica.text.tags import is_stand_in, sentences_of


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options, including those of REALSumm."""
    parser.example = "rubrica study align -out tagged/bart.ref.txt -ref tagged/lead3.ref.txt -matching_path bart.json"
    parser.old_spellings |= {"--length": "--probe-length", "--n-jobs": "--workers"}
    parser.add_argument("-out", "--out", required=True, metavar="FILE", help="references to align")
    parser.add_argument("-ref", "--ref", required=True, metavar="FILE", help="the anchors")
    parser.add_argument(
        "-matching_path",
        "--matching-path",
        required=True,
        metavar="JSON",
        help="the mapping (for each line of --out the line of --ref, from 0, or -1)",
    )
    parser.add_argument(
        "--report",
        metavar="JSON",
        help="where to write the report: scores, margins and unmatched lines",
    )
    parser.add_argument(
        "--method",
        choices=("index", "random"),
        default="index",
        help="method (index: deterministic, one-to-one; random: REALSumm's probes; default: index)",
    )
    parser.add_argument(
        "--ngram",
        type=int,
        default=NGRAM,
        metavar="N",
        help=f"index: characters of an n-gram (default: {NGRAM})",
    )
    parser.add_argument(
        "--min-score",
        type=float,
        default=MIN_SCORE,
        metavar="X",
        help=f"index: minimum score of a match (default: {MIN_SCORE})",
    )
    parser.add_argument(
        "-length",
        "--probe-length",
        dest="length",
        type=int,
        default=30,
        metavar="N",
        help="random: characters of a probe (default: 30)",
    )
    parser.add_argument(
        "-max_attempts",
        "--max-attempts",
        type=int,
        default=10,
        metavar="N",
        help="random: failed probes before a line is left unmatched (default: 10)",
    )
    add_seed(parser, default=0, detail=" (for --method random)")
    parser.add_argument(
        "--workers",
        "-n_jobs",
        type=int,
        default=1,
        metavar="N",
        help="cores to use (by --method random; default: 1)",
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    if arguments.workers < 1:
        raise UsageError(f"--workers must be at least 1: {arguments.workers}")
    texts, anchors = (_letters(file) for file in (arguments.out, arguments.ref))
    if arguments.method == "index":
        alignment = align(texts, anchors, ngram=arguments.ngram, min_score=arguments.min_score)
    else:
        alignment = random_probes(
            texts, anchors, length=arguments.length, max_attempts=arguments.max_attempts,
            seed=arguments.seed, workers=arguments.workers,
        )  # fmt: skip
    with atomic_output(arguments.matching_path) as stream:
        stream.write(msgspec.json.encode(alignment.mapping()) + b"\n")
    report = alignment.report()
    record = {"texts": report["texts"], "anchors": report["anchors"], "ref": arguments.ref}
    write_json(record_path(arguments.matching_path), record)
    if arguments.report:
        how = {"method": arguments.method, "out": arguments.out, "ref": arguments.ref}
        write_json(arguments.report, how | report)
    console.say(
        f"{report['matched']:,} of {report['texts']:,} lines matched, {report['exact']:,} of them "
        f"exactly; {len(report['unmatched']):,} without a match"
    )
    if report["margin_below_0.1"]:
        console.say(
            f"warning: {report['margin_below_0.1']:,} matches have a second candidate with nearly the "
            "same score (duplicates among the anchors?); --report lists margins"
        )
    for anchor, lines in list(report["collisions"].items())[:5]:
        shown = ", ".join(str(line + 1) for line in lines)
        console.say(f"warning: lines {shown} have the same anchor, line {int(anchor) + 1}")
    return 0


def _letters(file: str) -> list[str]:
    """Return normalised lines; stand-in lines (### ... ###) and faulty tags are tolerated."""
    return [
        "" if is_stand_in(line) else letters(" ".join(sentences_of(line, "repair")))
        for _, line in read_text_lines(file)
    ]
