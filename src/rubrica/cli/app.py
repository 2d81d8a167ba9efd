"""`rubrica`: finds the command, imports only what it needs, and prints errors in one paragraph."""

from __future__ import annotations

import errno
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from rubrica import __version__
from rubrica.cli.options import add_general_options
from rubrica.cli.parser import Parser
from rubrica.cli.streams import discard_output, prepare_streams
from rubrica.cli.verbs import SECTIONS, VERBS, Group
from rubrica.cli.wording import with_options
from rubrica.errors import (
    RubricaError,
    RubricaWarning,
    UsageError,
    near_names,
    printable,
)
from rubrica.metrics import ADDRESSES

_HELP = ("-h", "--help")
_NO_ROOM = (errno.ENOSPC, errno.EFBIG)


METRIC_TASKS = ("evaluate", "score")


def main(argv: list[str] | None = None) -> int:
    """Run a command line; the exit code is 0, 1 (error), 2 (usage), 3 (install something) or 130."""
    if argv is None:
        _spare_short_runs()
    words = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        with _short_warnings(quiet=not {"-q", "--quiet", "--silent"}.isdisjoint(words)):
            code = _command(words)()
            # A full disk is an error of the command, which Python would only report at its end.
            sys.stdout.flush()
            return code
    except RubricaError as error:
        if debug:
            raise
        print(printable(f"rubrica: {with_options(str(error))}"), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("rubrica: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): not our error.
        discard_output()
        return 0
    except OSError as error:
        if debug:
            raise
        discard_output()
        # Errors about files name them.
        full = error.errno in _NO_ROOM and error.filename is None
        message = f"standard output: cannot be written: {error.strerror}" if full else error
        print(printable(f"rubrica: {message}"), file=sys.stderr)
        return 1
    except MemoryError:
        if debug:
            raise
        print(
            "rubrica: out of memory: lower --batch-size, --workers or --rounds",
            file=sys.stderr,
        )
        return 1
    except Exception as error:
        if debug:
            raise
        message = f"rubrica: unexpected {type(error).__name__}: {error}"
        print(printable(f"{message}\nThis is a bug; --debug shows where it is."), file=sys.stderr)
        return 1


@contextmanager
def _short_warnings(*, quiet: bool) -> Iterator[None]:
    """Print warnings in one line each, without source code, also where the command has no console yet."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet:
            print(printable(f"warning: {with_options(str(message))}"), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RubricaWarning)
        warnings.showwarning = show
        yield


def _spare_short_runs() -> None:
    """Avoid work that only pays in long runs; it is a tenth of a command that takes a second."""
    # Idle threads of OpenBLAS spin for 2^26 cycles after numpy is imported.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Imports create many objects, all of which stay.
    gc.set_threshold(50_000)


def _command(words: list[str]) -> Callable[[], int]:
    """Return what runs the command that words name."""
    if words[:1] == ["--version"]:
        return partial(_print, _version)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0] in _HELP:
        return partial(_print, _help)
    name, rest = words[0], words[1:]
    if name == "complete":
        from rubrica.cli.completion import print_candidates

        return partial(print_candidates, rest)
    if name.startswith("-"):
        raise UsageError(f"no option {name} here\nSee: rubrica --help")
    _include_packages(words)
    entry = VERBS.get(name)
    if entry is not None and rest[:1] and rest[0] in METRIC_TASKS and _is_metric(name):
        entry = None
    if isinstance(entry, Group):
        return _group_command(name, entry, rest)
    if entry is None:
        return _metric_command(name, rest)
    return prepare(import_module(entry.module), name, rest)


def _is_metric(name: str) -> bool:
    """Return whether a command's name is also that of a metric: then `NAME evaluate|score` is the metric's."""
    from rubrica.metrics.base.metric import METRICS

    return name in METRICS


def prepare(command: Any, name: str, words: list[str]) -> Callable[[], int]:
    """Parse the words of a command; see `rubrica.cli.verbs.Command`."""
    parser = Parser(prog=f"rubrica {name}", description=command.__doc__)
    add_general_options(parser)
    command.add_arguments(parser, words)
    return partial(command.run, parser.parse(words))


def _group_command(group_name: str, group: Group, words: list[str]) -> Callable[[], int]:
    if not words:
        raise UsageError(f"{group_name} needs a command\n{_group_help(group_name, group)}")
    if words[0] in _HELP:
        return partial(_print, partial(_group_help, group_name, group))
    # A command of a group has one word or two.
    for count in (2, 1):
        name = " ".join(words[:count])
        if name in group.commands:
            module = import_module(group.commands[name].module)
            return prepare(module, f"{group_name} {name}", words[count:])
    inner = {
        name: entry for name, entry in group.commands.items() if name.startswith(f"{words[0]} ")
    }
    if inner:
        choices = "|".join(name.partition(" ")[2] for name in inner)
        usage = f"rubrica {group_name} {words[0]} {choices}"
        if words[1:2] and words[1] in _HELP:
            smaller = Group(group.summary, f"{usage} ...", inner)
            return partial(_print, partial(_group_help, group_name, smaller))
        raise UsageError(f"{group_name} {words[0]} needs a command: {usage}")
    hint = _did_you_mean(words[0], group.commands)
    raise UsageError(
        f"{group_name} has no command {words[0]!r}{hint}\nSee: rubrica {group_name} --help"
    )


def _group_help(name: str, group: Group) -> str:
    width = max(map(len, group.commands))
    return "\n".join(
        [
            f"usage: {group.usage}",
            "",
            *(
                f"  {command:<{width}}  {entry.summary}"
                for command, entry in group.commands.items()
            ),
            "",
            f"  rubrica {name} {next(iter(group.commands))} --help  the options of a command",
        ]
    )


def _metric_command(name: str, words: list[str]) -> Callable[[], int]:
    from rubrica.cli.scoring.metric import metric_command, metric_help
    from rubrica.metrics.base.metric import METRICS
    from rubrica.metrics.rouge.measure_names import USUAL, rouge_parameters

    if ":" in name:
        from rubrica.cli.packages import search_working_directory

        search_working_directory()
    elif name not in METRICS and (parameters := rouge_parameters(name)) is not None:
        # A measure of rouge: its parameters follow `evaluate` or `score`.
        name = "rouge"
        if words and words[0] not in _HELP:
            at = int(words[0] in METRIC_TASKS)
            options = [f"--{key}={value}" for key, value in {**USUAL, **parameters}.items()]
            words = [*words[:at], *options, *words[at:]]
    elif name not in METRICS:
        hint = _did_you_mean(name, [*VERBS, *METRICS.names()])
        raise UsageError(
            f"no command or metric {name!r}{hint}\nSee: rubrica --help, rubrica list metrics. "
            "Is it your own metric? Import its module first: --include-packages MODULE"
        )
    name = METRICS.resolve(name)
    if not words or words[0] in _HELP:
        return partial(_print, partial(metric_help, name))
    command, count = metric_command(name, words)
    return prepare(command, " ".join([name, *words[:count]]), words[count:])


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    near = near_names(name, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


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
        "Evaluate text summaries, and the metrics that evaluate summaries.",
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
        yield from (f"  {verb:<{width}}  {entry.summary}" for verb, entry in verbs.items())
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
