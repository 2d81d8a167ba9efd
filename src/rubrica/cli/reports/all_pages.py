"""Write all pages that a run's files allow, linked to each other."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.errors import RubricaError, UsageError
from rubrica.reports.linked import LinkedPage, write_linked
from rubrica.reports.run_folder import RunFiles, find_run_files

_ABOUT = {
    "systems": ("Systems", "Scores of all systems with intervals and tests, every input and its texts."),
    "rouge": ("ROUGE matches", "Which words of a summary and a reference ROUGE counted."),
    "embeddings": ("Token similarities", "Which tokens of a summary and a reference are close in meaning, by word mover’s similarity."),
    "meta": ("Meta-evaluation", "How well metrics agree with people, with intervals and tests."),
    "pyramid": ("Pyramids", "Which content units each summary expresses."),
}  # fmt: skip


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica report all`."""
    parser.example = "rubrica report all results summaries.jsonl -o pages"
    parser.add_argument(
        "folders",
        nargs="+",
        metavar="DIR",
        help="folder with scores, summaries, documents, pyramids, annotations and results of meta-evaluate; "
        "further folders or files, such as the summaries that were scored",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="where to write the result (a folder; default: DIR/report)",
    )
    output.add_argument("--title", metavar="TEXT", help="title of the page (with all links)")


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    for path in arguments.folders:
        if not os.path.exists(path):
            raise UsageError(f"no such folder: {path}")
    first = arguments.folders[0]
    folder = first if os.path.isdir(first) else os.path.dirname(first) or "."
    files = find_run_files(*arguments.folders)
    pages, notes = [], list(unused_files(files))
    for name, kind, words in page_words(files):
        try:
            pages.append(_page(name, kind, words, folder, console))
        except RubricaError as error:
            message = str(error).replace(os.path.join(folder, ""), "")
            notes.append(f"{_ABOUT[kind][0]}: no page ({message})")
            console.say(notes[-1])
    if not pages:
        raise UsageError(
            f"{' '.join(arguments.folders)}: no scores, summaries, pyramids or results to write pages of"
        )
    title = arguments.title or f"Run: {os.path.basename(os.path.abspath(folder))}"
    output = arguments.output or os.path.join(folder, "report")
    console.result(write_linked(output, pages, title=title, notes=notes), saved=True)
    return 0


def unused_files(files: RunFiles) -> Iterator[str]:
    """Yield a line for each file that no page shows, and for pages that need another file."""

    def named(paths: list[str], reason: str) -> Iterator[str]:
        for path in paths:
            yield f"{os.path.basename(path)}: {reason}"

    if not files.scores:
        yield from named(
            files.means,
            "only mean scores; a page needs the scores of each summary, which evaluate writes with "
            "--micro-output-jsonl",
        )
    if not files.summaries:
        yield from named(files.documents, "documents of summaries that are not here")
        if files.scores:
            yield (
                "ROUGE matches and token similarities: no page (no summaries here; name their file after the folder)"
            )
    if len(files.pyramids) != 1:
        number = "several files of pyramids" if files.pyramids else "no pyramids"
        yield from named(files.annotations, f"annotated summaries, but there are {number} here")
    yield from named(files.others, "no scores, summaries, documents, pyramids or results in it")


def page_words(files: RunFiles) -> Iterator[tuple[str, str, list[str]]]:
    """Yield for each page that files allow its name, the kind of report and the words of its command."""
    documents = ["--documents", *files.documents] if files.documents and files.summaries else []
    texts = ["--summaries", *files.summaries] if files.summaries else []
    if files.scores:
        yield "systems", "systems", [*files.scores, *texts, *documents]
    elif files.summaries:
        yield "systems", "systems", [*files.summaries, *documents]
    if files.summaries:
        yield "rouge", "rouge", files.summaries
        yield "embeddings", "embeddings", files.summaries
    for number, result in enumerate(files.results, 1):
        name = "meta" if number == 1 else f"meta-{number}"
        yield name, "meta", [result, *_moved_scores(result, files.scores), *texts]
    for number, pyramids in enumerate(files.pyramids, 1):
        name = "pyramid" if number == 1 else f"pyramid-{number}"
        yield name, "pyramid", [pyramids, *(files.annotations if len(files.pyramids) == 1 else [])]


def _moved_scores(result: str, scores: list[str]) -> list[str]:
    """Return `--scores` with the folder's files of the same names if a result's own are not where it says."""
    from rubrica.cli.scoring.config import load

    config: Any = load(result).get("config", {})
    files = config.get("scores", []) if isinstance(config, dict) else []
    if all(not isinstance(file, str) or os.path.exists(file) for file in files):
        return []
    here = {os.path.basename(path): path for path in scores}
    return ["--scores", *(here.get(os.path.basename(file), file) for file in files)]


def _page(name: str, kind: str, words: list[str], folder: str, console: Console) -> LinkedPage:
    """Write the page of a kind as its own command does."""
    module = import_module(f"rubrica.cli.reports.{kind}")
    parser = Parser(prog=f"rubrica report {kind}", description=module.__doc__)
    add_general_options(parser)
    module.add_arguments(parser, words)
    report = module.render(parser.parse(words), console)
    if report.note:
        console.say(f"{name}.html: {report.note}")
    title, about = _ABOUT[kind]
    number = name.removeprefix(kind).removeprefix("-")
    inside = [os.path.relpath(word, folder) if os.path.exists(word) else word for word in words]
    command = shlex.join(["rubrica", "report", kind, *inside, "-o", f"{name}.html"])
    return LinkedPage(f"{name}.html", f"{title} {number}".strip(), about, command, report.content)
