"""Explain why two ROUGE numbers for the same texts differ, given two implementations or two numbers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_text_or_json
from rubrica.cli.parser import Parser
from rubrica.data.instance import Text
from rubrica.data.jsonl import encoded_json
from rubrica.datasets.readers.lines import LineAlignedReader
from rubrica.errors import DataError, ParameterError, UsageError, printable
from rubrica.formatting.text_table import text_table
from rubrica.metrics.rouge.explain import explain
from rubrica.metrics.rouge.identify import MEASURES, Candidate, identify
from rubrica.metrics.rouge.presets import PRESETS, choices_of, has_measure
from rubrica.metrics.rouge.scored_choices import PARTS

SHOWN = 5


def add_arguments(parser: Parser, words: list[str]) -> None:
    """The options of `rubrica explain`."""
    parser.example = (
        "rubrica explain summaries.txt -r references.txt --a rouge-1.5.5 --b rouge-score"
    )
    parser.usage = "rubrica explain SUMMARIES -r REFERENCES [--a PRESET] [--b PRESET] [--numbers X Y] [options]"
    texts = parser.add_argument_group("texts")
    texts.add_argument("summaries", nargs="?", metavar="FILE", help="summaries, one text per line")
    texts.add_argument(
        "-r",
        "--references",
        action="append",
        default=[],
        metavar="FILE",
        help="references (a file with one text per line; repeat -r for a second file)",
    )
    texts.add_argument("--summary", metavar="TEXT", help="instead of files: one summary")
    texts.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="TEXT",
        help="a reference of --summary (repeat for a second one)",
    )
    texts.add_argument(
        "--line", type=int, metavar="N", help="only the texts in this line of the files"
    )
    texts.add_argument(
        "--sentences",
        default="auto",
        metavar="MARKS",
        help="what marks the sentences in a line: auto, none, tags, q, x_sep, newline (default: auto)",
    )
    parser.completions |= {"a": lambda: PRESETS, "b": lambda: PRESETS}
    what = parser.add_argument_group("what differs")
    for option, default in (("--a", "rouge-1.5.5"), ("--b", "rouge-score")):
        what.add_argument(
            option,
            default=default,
            metavar="PRESET",
            help=f"one of {', '.join(PRESETS)}, with changes after commas: rouge-score,stemmer=porter-nltk "
            f"(default: {default})",
        )
    what.add_argument(
        "--numbers",
        nargs=2,
        metavar="X",
        help="two numbers: find the settings that give them, then explain the difference",
    )
    what.add_argument(
        "--measures",
        nargs="+",
        default=list(MEASURES),
        metavar="M",
        help="measures, such as rouge-1.f1 (also rouge-w-1.2, rouge-s4, rouge-su4, ...; --part chooses recall or precision; default: rouge-1 rouge-2 rouge-l)",
    )
    what.add_argument(
        "--part", choices=PARTS, default="f1", help="recall, precision or f1 (default: f1)"
    )
    output = parser.add_argument_group("output")
    add_text_or_json(output)


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    summaries, references = _texts(arguments)
    if arguments.numbers:
        console.result(printable(_numbers(arguments, summaries, references)))
        return 0
    arguments.measures = [_measure(name, arguments.part) for name in arguments.measures]
    a, b = arguments.a, arguments.b
    for preset in (a, b):
        choices_of(preset)  # raises for an unknown name
    for preset, measure in product((arguments.a, arguments.b), arguments.measures):
        if not has_measure(preset, measure):
            raise ParameterError(f"{preset.partition(',')[0]} has no {measure} to explain")
    explanations = [
        explain(summaries, references, a, b, measure, arguments.part)
        for measure in arguments.measures
    ]
    if arguments.format == "json":
        measures = [explanation.to_dict() for explanation in explanations]
        result = {"a": arguments.a, "b": arguments.b, "measures": measures}
        console.result(encoded_json(result).decode().rstrip())
    else:
        console.result(printable("\n\n".join(map(str, explanations))))
    return 0


def _measure(name: str, part: str) -> str:
    """Return the measure as `explain` names it: `rouge-l` for `rougeL`, `ROUGE-L` and `rouge-l.f1`."""
    plain = name.lower().replace("_", "-").removesuffix(f".{part}").removesuffix(f"-{part}")
    return re.sub(r"^rouge-?", "rouge-", plain)


def _texts(arguments: argparse.Namespace) -> tuple[list[Text], list[list[Text]]]:
    if arguments.summary is not None:
        if arguments.summaries or not arguments.reference:
            raise UsageError("--summary TEXT goes with --reference TEXT, and without files")
        return [arguments.summary], [list(arguments.reference)]
    if not (arguments.summaries and arguments.references):
        raise UsageError("explain needs SUMMARIES and -r REFERENCES, or --summary and --reference")
    reader = LineAlignedReader(references=arguments.references, sentences=arguments.sentences)
    rows = list(reader.read(arguments.summaries))
    if arguments.line is not None:
        if not 1 <= arguments.line <= len(rows):
            raise DataError(f"there is no line {arguments.line}, only {len(rows)}")
        rows = [rows[arguments.line - 1]]
    if not rows:
        raise DataError("no texts to explain", file=arguments.summaries)
    return [row.fields["summary"] for row in rows], [row.fields["references"] for row in rows]


def _numbers(
    arguments: argparse.Namespace, summaries: list[Text], references: list[list[Text]]
) -> str:
    """For each number what gives it; then, if both are known, the way from one to the other."""
    identified = [
        identify(candidate, summaries, references, arguments.measures)
        for candidate in arguments.numbers
    ]
    if arguments.format == "json":
        result = {
            number: [asdict(candidate) for candidate in candidates if candidate.match]
            or [asdict(candidates[0])]
            for number, candidates in zip(arguments.numbers, identified, strict=True)
        }
        return encoded_json(result).decode().rstrip()
    parts = []
    for number, candidates in zip(arguments.numbers, identified, strict=True):
        matching = [candidate for candidate in candidates if candidate.match]
        if matching:
            more = f" ({len(matching) - SHOWN} more)" if len(matching) > SHOWN else ""
            parts.append(f"{number} is given by{more}:\n{_listed(matching[:SHOWN])}")
        else:
            near = sorted(candidates, key=lambda candidate: candidate.off)[:SHOWN]
            parts.append(f"no known setting gives {number}; the nearest:\n{_listed(near)}")
    first, second = (
        next((candidate for candidate in ones if candidate.match), None) for ones in identified
    )
    if first is not None and second is not None:
        # The way is explained on one measure; of another one there is nothing to explain.
        same = [
            candidate
            for candidate in identified[1]
            if candidate.match and candidate.measure == first.measure
        ]
        second = same[0] if same else second
        if (first.measure, first.part) != (second.measure, second.part):
            parts.append(
                f"They are different measures: {first.measure} {first.part} and "
                f"{second.measure} {second.part}."
            )
        else:
            ways = first.choices, second.choices
            parts.append(str(explain(summaries, references, *ways, first.measure, first.part)))
    return "\n\n".join(parts)


def _listed(candidates: Sequence[Candidate]) -> str:
    rows = [
        [candidate.choices, candidate.measure, candidate.part, f"{candidate.value:.6f}"]
        for candidate in candidates
    ]
    return text_table(["way", "measure", "part", "value"], rows, right=3)
