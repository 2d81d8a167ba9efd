"""`rubrica`: finds the command, imports only what it needs, and tells errors in one paragraph."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

from rubrica import __version__
from rubrica.cli.options import Parser
from rubrica.cli.streams import prepare_streams
from rubrica.cli.verbs import SECTIONS, VERBS
from rubrica.errors import RubricaError, UsageError, near_names, printable
from rubrica.metrics import ADDRESSES


def main(argv: list[str] | None = None) -> int:
    """Run a command line; the exit code is 0, 1 (error), 2 (usage), 3 (install something) or 130."""
    words = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        return _command(words)()
    except RubricaError as error:
        if debug:
            raise
        print(printable(f"rubrica: {error}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("rubrica: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`| head`): not our error. What is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if debug:
            raise
        print(printable(f"rubrica: {error}"), file=sys.stderr)
        return 1
    except MemoryError:
        if debug:
            raise
        print(
            "rubrica: not enough memory; smaller numbers need less, such as those of --num-samples, "
            "--batch-size and --workers",
            file=sys.stderr,
        )
        return 1
    except Exception as error:
        if debug:
            raise
        told = f"rubrica: unexpected {type(error).__name__}: {error}"
        print(
            printable(f"{told}\nThis is a bug; --debug shows where it happened."), file=sys.stderr
        )
        return 1


def _command(words: list[str]) -> Callable[[], int]:
    """Return what runs the command that words name."""
    if words[:1] == ["--version"]:
        return partial(_print, _version)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help"):
        return partial(_print, _help)
    command, rest = words[0], words[1:]
    if command.startswith("-"):
        raise UsageError(f"no option {command} here\nSee: rubrica --help")
    _include_packages(words)
    if command in VERBS:
        verb: Any = import_module(VERBS[command][0])
        if hasattr(verb, "main"):
            return partial(verb.main, rest)
        parser = Parser(prog=f"rubrica {command}", description=verb.__doc__)
        verb.add_arguments(parser, rest)
        return partial(verb.run, parser.parse(rest))
    return _metric_command(command, rest)


def _metric_command(name: str, words: list[str]) -> Callable[[], int]:
    from rubrica.cli.scoring.metric import main as metric_main
    from rubrica.metrics.base.metric import METRICS

    if ":" in name:
        from rubrica.cli.packages import search_working_directory

        search_working_directory()
    elif name not in METRICS:
        near = near_names(name, [*VERBS, *METRICS.names()])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(
            f"no command or metric {name!r}{hint}\nSee: rubrica --help, rubrica list metrics"
        )
    return partial(metric_main, name, words)


def _print(text: Callable[[], str]) -> int:
    print(text())
    return 0


def _include_packages(words: list[str]) -> None:
    """Import the packages after --include-packages before commands are looked up by name."""
    names: list[str] = []
    for at, word in enumerate(words):
        if word == "--include-packages":
            for name in words[at + 1 :]:
                if name.startswith("-"):
                    break
                names.append(name)
        elif word.startswith("--include-packages="):
            names.append(word.partition("=")[2])
    if names:
        from rubrica.cli.packages import import_packages

        import_packages(names)


def _help() -> str:
    lines = [
        "usage: rubrica COMMAND ...          rubrica METRIC evaluate|score ...",
        "                                    rubrica METRIC --p PREDICTIONS --r REFERENCES",
        "",
        "Evaluates text summaries, and the metrics that evaluate summaries.",
        "",
        *_commands(),
        "metrics (each has the commands evaluate and score):",
        *_wrapped(sorted(ADDRESSES)),
        "",
        "  rubrica COMMAND --help          the options of a command",
        "  rubrica METRIC evaluate --help  the parameters of a metric",
        "  rubrica list metrics            what the metrics are, plug-ins included",
        "",
        "options: --version, --debug (show tracebacks)",
    ]
    return "\n".join(lines)


def _commands() -> Iterator[str]:
    width = max(map(len, VERBS))
    for section, verbs in SECTIONS.items():
        yield f"{section}:"
        yield from (f"  {verb:<{width}}  {told}" for verb, (_, told) in verbs.items())
        yield ""


def _wrapped(names: list[str]) -> list[str]:
    lines, line = [], " "
    for name in names:
        if len(line) + len(name) > 88:
            lines.append(line)
            line = " "
        line += f" {name}"
    return [*lines, line]


def _version() -> str:
    from rubrica.core import kernels

    kind = "native kernels" if kernels.IMPLEMENTATION == "native" else "plain Python kernels"
    return f"rubrica {__version__} ({kind})"
