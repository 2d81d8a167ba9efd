"""Look through files of any size in the browser: a viewer on this machine."""

from __future__ import annotations

import argparse
import os
import secrets
from tempfile import TemporaryDirectory

from rubrica.cli.console import Console, with_console
from rubrica.cli.options import Parser
from rubrica.errors import RubricaError, UsageError

ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.bz2", ".jsonl.xz", ".parquet")


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica open`."""
    parser.example = "rubrica open scores.jsonl summaries.jsonl"
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="files of summaries, scores, pyramids or their annotations (JSON lines; scores also as "
        "Parquet), or folders of them; more can be dropped onto the page",
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
    from rubrica.serve.pyramids import Pyramids
    from rubrica.serve.summaries import Summaries
    from rubrica.serve.viewer import add_file, make_viewer

    summaries, pyramids = Summaries(), Pyramids()
    for path, named in _files(arguments.paths):
        try:
            opened = add_file(summaries, pyramids, path)
        except RubricaError as error:
            if named and path.endswith(".parquet"):
                raise UsageError(
                    f"{error}\nA Parquet file must hold scores here. Score a table of summaries first: "
                    f"rubrica evaluate -m rouge {path} --rows-output scores.jsonl"
                ) from error
            if named:
                raise
            # In a folder there may be other things.
            console.say(f"left out: {error}")
            continue
        console.say(f"{opened.rows:,} rows from {path}")
    if arguments.paths and not summaries.ids and not pyramids.files:
        raise UsageError("no summaries, scores or pyramids there; name files of JSON lines")
    with TemporaryDirectory(prefix="rubrica-open-") as folder:
        token = secrets.token_urlsafe(24)
        app = make_viewer(summaries, pyramids, folder, known_hosts("127.0.0.1"), token=token)
        listening = bind("127.0.0.1", arguments.port)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/open/{token}"
        console.result(address)
        console.say("Ctrl-C stops it.")
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(address)
        serve(app, listening)
    return 0


def _files(paths: list[str]) -> list[tuple[str, bool]]:
    """Each file once, and whether it was named itself."""
    found: dict[str, bool] = {}
    for path in paths:
        if os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                if name.endswith(ENDINGS):
                    found.setdefault(os.path.join(path, name), False)
        elif os.path.exists(path):
            found[path] = True
        else:
            raise UsageError(f"no such file: {path}")
    return list(found.items())
