"""Look through files of any size in the browser: a viewer on this machine."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rubrica.cli.console import Console, with_console
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.inputs import InputOptions
from rubrica.cli.scoring.metric_spec import metrics_of
from rubrica.cli.signals import stoppable
from rubrica.data.files import writable
from rubrica.errors import RubricaError, UsageError

if TYPE_CHECKING:
    from rubrica.serve.viewer.library import Library

_TURN_SECONDS = 0.0005


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica open`."""
    parser.example = "rubrica open scores.jsonl summaries.jsonl"
    options = InputOptions(
        parser,
        words,
        files_help="files of summaries or scores in any format that evaluate or compare reads, of documents, "
        "pyramids or annotations, folders of them, or the output of a running evaluate; more can be dropped "
        "onto the page",
        required=False,
    )
    parser.set_defaults(input_options=options)
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="FILE",
        help="an earlier run (its scores, summaries or both; repeat for a second file): shows what changed, "
        "regressions first",
    )
    parser.add_argument(
        "-m",
        "--metrics",
        dest="metric",
        metavar="METRIC",
        help="metrics (one that shows how it scored an opened sample: by links between tokens, such as wms, "
        "or by checked sentences and units, such as minicheck and judge,prompt=claims)",
    )
    parser.add_argument(
        "--notes",
        metavar="FILE",
        help="file of flags and notes on samples (JSON lines; created if it does not exist)",
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="port to listen on (default: a free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="only print the address; do not open a browser"
    )


@with_console
def run(arguments: argparse.Namespace, console: Console) -> int:
    """Run the command."""
    from rubrica.serve.server import bind, known_hosts, require_packages, serve

    require_packages()
    if not 0 <= arguments.port < 65536:
        raise UsageError(f"--port lies between 0 and 65535: {arguments.port}")
    from rubrica.serve.viewer.app import make_viewer
    from rubrica.serve.viewer.explained import Explainer
    from rubrica.serve.viewer.flagging import Flags
    from rubrica.serve.viewer.library import PARTIAL, Library, files_to_open

    if arguments.notes:
        writable(arguments.notes)
    for path in (*arguments.input_files, *arguments.before):
        if not os.path.exists(path) and not os.path.exists(path + PARTIAL):
            raise UsageError(f"no such file: {path}")
    with stoppable(), TemporaryDirectory(prefix="rubrica-open-") as folder, _short_turns():
        library = Library(
            folder, lambda path: arguments.input_options.reader(arguments, [], [path])
        )
        for path, named in files_to_open(arguments.input_files):
            _open(library, path, named, console)
        if arguments.input_files and not library.files:
            raise UsageError("no summaries, scores or pyramids there; name files that hold some")
        if arguments.before:
            changes = library.compare_with(arguments.before)
            console.say(
                f"compared with the run before: {len(library.table) - changes.new_rows:,} summaries in both, "
                f"{changes.new_rows:,} new, {changes.missing_rows:,} missing"
            )
        if arguments.notes:
            library.wait()
            library.flags = Flags(arguments.notes, library.table)
        if arguments.metric:
            library.explainer = Explainer(metrics_of([arguments.metric])[0], library.table)
        token = secrets.token_urlsafe(24)
        app = make_viewer(library, known_hosts("127.0.0.1"), token=token)
        listening = bind("127.0.0.1", arguments.port)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/open/{token}"
        console.result(address)
        console.say("Ctrl-C stops it.")
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(address)
        try:
            serve(app, listening)
        finally:
            library.close()
    return 0


@contextmanager
def _short_turns() -> Iterator[None]:
    """Let threads take turns often: an answer should not wait for the threads that read files."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _open(library: Library, path: str, named: bool, console: Console) -> None:
    """Open a file and say in one line what was recognised; in a folder there may be other things."""
    try:
        file = library.open(path)
    except RubricaError as error:
        if named:
            raise
        console.say(f"left out: {error}")
        return
    more = " so far" if file.state != "read" else ""
    note = f" ({file.note})" if file.note else ""
    console.say(f"{path}: {file.rows:,} rows of {file.kind}{more}{note}")
