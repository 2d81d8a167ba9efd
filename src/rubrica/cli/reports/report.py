"""Write an HTML page that holds all it shows: `rubrica report KIND ...`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice

from rubrica.cli.console import Console, warnings_told
from rubrica.cli.options import Parser, add_seed, check_confidence
from rubrica.cli.packages import add_include_packages
from rubrica.data.files import atomic_output
from rubrica.errors import DataError, UsageError, near_names

DEFAULT_OUTPUT = "report.html"


# Reports that are tables, too; matches of words need a page (or `rubrica explain`).
TABLES = ("systems", "meta", "embeddings", "pyramid")


@dataclass(frozen=True, slots=True)
class Made:
    """A page or, in another format, text; and what people should know of it."""

    content: bytes | str
    note: str = ""


Run = Callable[[argparse.Namespace, Console], Made]


def main(words: list[str]) -> int:
    """The page that the first word names."""
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0
    kind, rest = words[0], words[1:]
    if kind not in KINDS:
        near = near_names(kind, KINDS)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"no report {kind!r}{hint}\nSee: rubrica report --help")
    told, prepare = KINDS[kind]
    parser = Parser(prog=f"rubrica report {kind}", description=told)
    make = prepare(parser, rest)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=f"the page (default: {DEFAULT_OUTPUT})"
        + ("; tables go to standard output without it" if kind in TABLES else ""),
    )
    if kind in TABLES:
        output.add_argument(
            "--format",
            choices=("html", "text", "markdown", "latex"),
            default="html",
            help="the page, or its main tables (default: html)",
        )
    output.add_argument("--title", metavar="TEXT", help="the page's title")
    output.add_argument("--silent", action="store_true", help="print nothing but errors")
    add_include_packages(output)
    arguments = parser.parse(rest)
    console = Console(silent=arguments.silent)
    with warnings_told(console):
        made = make(arguments, console)
    if made.note:
        console.say(made.note)
    path = arguments.output
    if isinstance(made.content, str):
        if path is None:
            console.result(made.content)
            return 0
        content = f"{made.content}\n".encode()
    else:
        content = made.content
    _write(path or DEFAULT_OUTPUT, content)
    console.result(path or DEFAULT_OUTPUT)
    return 0


def _write(path: str, content: bytes) -> None:
    if os.path.isdir(path):
        raise UsageError(f"--output: {path!r} is a folder; name a file in it")
    try:
        with atomic_output(path) as stream:
            stream.write(content)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", file=path) from error


def _systems(parser: Parser, words: list[str]) -> Run:
    parser.add_argument(
        "scored", nargs="+", metavar="SCORED", help="rows that evaluate or score wrote"
    )
    parser.add_argument(
        "--summaries", nargs="+", default=[], metavar="FILE", help="the texts (JSON lines)"
    )
    parser.add_argument(
        "--documents",
        nargs="+",
        default=[],
        metavar="FILE",
        help="what was summarized (JSON lines with instance_id and document), to find copies",
    )
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help="only these, as rouge-1.f1 (default: all)"
    )
    parser.add_argument(
        "--include-references", action="store_true", help="show references as systems, too"
    )
    parser.add_argument(
        "--num-samples",
        type=int,
        metavar="N",
        help="rounds (default: 1000; with more than 7 systems as many as the tests need, up to 10000)",
    )
    parser.add_argument(
        "--confidence", type=float, default=95.0, metavar="X", help="percent (default: 95)"
    )
    add_seed(parser)
    return _make_systems


def _make_systems(arguments: argparse.Namespace, console: Console) -> Made:
    from rubrica.reports.systems import ScoredRows, SummaryTexts, enough_rounds, systems_report
    from rubrica.statistics.intervals import Resampling

    check_confidence(arguments.confidence)
    if arguments.num_samples is not None and arguments.num_samples < 0:
        raise UsageError(f"--num-samples must not be negative: {arguments.num_samples}")
    if arguments.documents and not arguments.summaries:
        raise UsageError("--documents needs --summaries, the texts to compare them with")
    scored = ScoredRows.read(arguments.scored)
    texts = None
    if arguments.summaries:
        texts = SummaryTexts.read(arguments.summaries, arguments.documents)
    rounds = arguments.num_samples
    if rounds is None:
        rounds = enough_rounds(scored.systems(arguments.include_references))
    report = systems_report(
        scored,
        texts,
        title=arguments.title or "Systems",
        measures=arguments.measures,
        include_references=arguments.include_references,
        resampling=Resampling(rounds, arguments.confidence, arguments.seed),
    )
    if arguments.format != "html":
        from rubrica.reports.tables.systems import systems_table

        return Made(systems_table(report, arguments.format))
    return Made(report.page())


def _meta(parser: Parser, words: list[str]) -> Run:
    from rubrica.cli.reports import meta as report_meta

    report_meta.add_arguments(parser)
    return lambda arguments, console: Made(report_meta.make(arguments, console))


def _rouge(parser: Parser, words: list[str]) -> Run:
    from rubrica.cli.scoring.inputs import ReaderOptions, check_fields
    from rubrica.reports.rouge_matches import DEFAULT_VARIANTS

    options = ReaderOptions(parser, words, positional=True)
    parser.add_argument(
        "--profiles",
        nargs="+",
        metavar="P",
        help="implementations to compare: a ROUGE profile, with :stemming, :no-stemming or "
        f":no-stop-words after it (default: {' '.join(DEFAULT_VARIANTS)}; before them unicode, where "
        "they would drop most letters)",
    )
    parser.add_argument(
        "--max-instances",
        type=int,
        default=100,
        metavar="N",
        help="show the first N inputs; 0 for all (default: 100)",
    )

    def make(arguments: argparse.Namespace, console: Console) -> Made:
        from rubrica.metrics.rouge.metric import Rouge
        from rubrica.reports.rouge_matches import rouge_report, usual_variant

        if arguments.max_instances < 0:
            raise UsageError(f"--max-instances must not be negative: {arguments.max_instances}")
        reader = options.reader(arguments, [Rouge()])
        check_fields(reader, [Rouge()])
        instances = iter(reader.read(*arguments.input_files))
        # What reads the texts comes first: the page opens with it.
        first = list(islice(instances, 100))
        usual = dict.fromkeys((usual_variant(first), *DEFAULT_VARIANTS))
        report = rouge_report(
            chain(first, instances),
            arguments.profiles or list(usual),
            title=arguments.title or "ROUGE matches",
            max_instances=arguments.max_instances,
        )
        note = reader.describe()
        if report.left_out:
            shown = arguments.max_instances
            note = f"{note}\nthe page shows the first {shown} of {shown + report.left_out} inputs; "
            note += "--max-instances 0 shows all"
        return Made(report.page(), note.strip())

    return make


def _embeddings(parser: Parser, words: list[str]) -> Run:
    from rubrica.cli.reports import embeddings as report_embeddings

    options = report_embeddings.add_arguments(parser, words)
    return lambda arguments, console: Made(*report_embeddings.make(arguments, options))


def _pyramid(parser: Parser, words: list[str]) -> Run:
    parser.add_argument("pyramids", metavar="PYRAMIDS", help="pyramids (JSON lines)")
    parser.add_argument(
        "annotations", nargs="*", metavar="ANNOTATIONS", help="annotated summaries (JSON lines)"
    )
    parser.add_argument(
        "--no-check-spans",
        action="store_true",
        help="take parts whose text is not what stands at their place",
    )
    return _make_pyramid


def _make_pyramid(arguments: argparse.Namespace, console: Console) -> Made:
    from rubrica.datasets.readers.pyramids import PyramidBasedReader
    from rubrica.reports.pyramid import pyramid_report

    reader = PyramidBasedReader(
        [arguments.pyramids],
        include_reference_annotations=False,
        check_spans=not arguments.no_check_spans,
    )
    pyramids = reader.read_pyramids(arguments.pyramids)
    instances = reader.read(*arguments.annotations) if arguments.annotations else ()
    annotated = [(one.fields["annotation"], one.fields["pyramid"]) for one in instances]
    report = pyramid_report(pyramids, annotated, title=arguments.title or "Pyramids")
    if arguments.format != "html":
        from rubrica.reports.tables.pyramid import WRITERS

        return Made(WRITERS[arguments.format](report))
    return Made(report.page())


KINDS: dict[str, tuple[str, Callable[[Parser, list[str]], Run]]] = {
    "systems": ("Systems over measures, with intervals, tests, inputs and texts.", _systems),
    "meta": ("Metrics against people: correlations, tests, systems, inputs, data.", _meta),
    "embeddings": ("How close tokens are, and which go together: bertscore, wms.", _embeddings),
    "pyramid": ("Content units by weight, where they stand, and each score's sum.", _pyramid),
    "rouge": ("What ROUGE counted, word by word, by several implementations.", _rouge),
}


def _help() -> str:
    width = max(map(len, KINDS))
    return "\n".join(
        [
            "usage: rubrica report KIND FILE... [-o page.html]",
            "",
            "Writes one HTML file that holds all it shows and works without a network.",
            "",
            "kinds:",
            *(f"  {kind:<{width}}  {told}" for kind, (told, _) in KINDS.items()),
            "",
            "  rubrica report KIND --help  the options of a report",
        ]
    )
