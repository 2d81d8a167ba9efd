"""`rubrica`: finds the command, imports only what it needs, and tells errors in one paragraph."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from rubrica import __version__
from rubrica.cli.options import Parser, UsageError
from rubrica.errors import RubricaError, near_names, printable
from rubrica.metrics import ADDRESSES

# verb -> (module, what it does)
VERBS = {
    "evaluate": ("rubrica.cli.evaluate", "score a system's summaries with the metrics of a file"),
    "score": ("rubrica.cli.score", "score peers and references, jackknifed, for meta-evaluation"),
    "correlate": ("rubrica.cli.correlate", "correlate a metric with human scores"),
    "stat-sig-test": (
        "rubrica.cli.stat_sig_test",
        "test whether one metric correlates better than another",
    ),
    "meta-evaluate": (
        "rubrica.cli.meta_evaluate",
        "rank many metrics by their correlation with human scores",
    ),
    "partial-conjunction-test": (
        "rubrica.cli.partial_conjunction_test",
        "on how many data sets a metric is better",
    ),
    "pairwise": ("rubrica.cli.pairwise", "does a metric order pairs as people do, ties included"),
    "system-ranking": (
        "rubrica.cli.system_ranking",
        "can a metric rank close systems, the best ones, and how steadily",
    ),
    "partial-correlation": (
        "rubrica.cli.partial_correlation",
        "what is left of a correlation given the system or the length",
    ),
    "threshold": ("rubrica.cli.threshold", "metrics against judgments of yes or no"),
    "preferences": ("rubrica.cli.preferences", "metrics against preferences between two summaries"),
    "agreement": ("rubrica.cli.agreement", "do judges agree: alpha, kappa, noise ceiling"),
    "power": ("rubrica.cli.power", "how many documents or systems are needed to see a difference"),
    "rouge155": ("rubrica.cli.rouge155", "ROUGE-1.5.5.pl's own command line, without the Perl"),
    "report": ("rubrica.cli.report", "write an HTML page: systems, ROUGE matches, pyramids"),
    "store": ("rubrica.cli.store", "look after a store of scores: ls, verify, merge, gc, export"),
    "list": ("rubrica.cli.list", "show the metrics, readers or data sets there are"),
    "setup-metric": ("rubrica.cli.setup_metric", "fetch or check what a metric needs"),
}


def main(argv: list[str] | None = None) -> int:
    """Run a command line; the exit code is 0, 1 (error), 2 (usage), 3 (install something) or 130."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        return _run(words)
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
    except Exception as error:
        if debug:
            raise
        told = f"rubrica: unexpected {type(error).__name__}: {error}"
        print(
            printable(f"{told}\nThis is a bug; --debug shows where it happened."), file=sys.stderr
        )
        return 1


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        print(_version())
        return 0
    if not words or words[0] in ("-h", "--help"):
        print(_help())
        return 0
    command, rest = words[0], words[1:]
    if command.startswith("-"):
        raise UsageError(f"no option {command} here\nSee: rubrica --help")
    _include_packages(words)
    if command in VERBS:
        verb: Any = import_module(VERBS[command][0])
        if hasattr(verb, "main"):
            return int(verb.main(rest))
        parser = Parser(prog=f"rubrica {command}", description=verb.__doc__)
        verb.add_arguments(parser, rest)
        return int(verb.run(parser.parse(rest)))
    return _metric_command(command, rest)


def _metric_command(name: str, words: list[str]) -> int:
    from rubrica.cli.metric import main as metric_main
    from rubrica.metrics.base import METRICS

    if ":" in name:
        from rubrica.cli.packages import search_working_directory

        search_working_directory()
    if name not in METRICS:
        near = near_names(name, [*VERBS, *METRICS.names()])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(
            f"no command or metric {name!r}{hint}\nSee: rubrica --help, rubrica list metrics"
        )
    return metric_main(name, words)


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
    width = max(map(len, VERBS))
    lines = [
        "usage: rubrica COMMAND ...          rubrica METRIC evaluate|score ...",
        "",
        "Evaluates text summaries, and the metrics that evaluate summaries.",
        "",
        "commands:",
        *(f"  {verb:<{width}}  {told}" for verb, (_, told) in VERBS.items()),
        "",
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
