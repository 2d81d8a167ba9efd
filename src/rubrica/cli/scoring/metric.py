"""`rubrica METRIC evaluate|score`: commands built from a metric's constructor."""

from __future__ import annotations

import argparse
import inspect
from importlib import import_module

from rubrica.cli.constructor_options import add_parameters, explicit_parameters
from rubrica.cli.parser import Parser
from rubrica.cli.scoring.quick_score import QuickScore, usage
from rubrica.cli.verbs import METRIC_COMMANDS, Command
from rubrica.errors import UsageError, near_names
from rubrica.metrics import ADDRESSES
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.originals import like_original
from rubrica.parameters import build

TASKS = {
    "evaluate": "score a system's summaries: rows and system scores",
    "score": "score peers and references, jackknifed where the metric allows it",
}
OUTPUTS = {"evaluate": "[MACRO] [MICRO]", "score": "OUT"}


def metric_command(name: str, words: list[str]) -> tuple[Command, int]:
    """Return the command of a metric that words name, and how many of the words name it."""
    cls = METRICS.load(name)
    if words[0].startswith("-"):
        return QuickScore(name, cls), 0
    task = words[0]
    if entry := METRIC_COMMANDS.get(name, {}).get(task):
        module: Command = import_module(entry.module)
        return module, 1
    if task not in TASKS:
        raise UsageError(_unknown_task(name, cls, task))
    return _MetricTask(name, cls, task), 1


class _MetricTask:
    """`rubrica NAME evaluate` or `rubrica NAME score`."""

    def __init__(self, name: str, cls: type[Metric], task: str) -> None:
        self._name, self._cls, self._task = name, cls, task
        self.__doc__ = _summary(cls).replace("%", "%%")

    def add_arguments(self, parser: Parser, words: list[str]) -> None:
        """Add the options of the run, of the reader and of the metric."""
        from rubrica.cli.scoring.inputs import InputOptions
        from rubrica.cli.scoring.run_options import add_run_arguments

        name, task = self._name, self._task
        parser.usage = (
            f"rubrica {name} {task} {OUTPUTS[task]} --input-files FILE [FILE ...] [options]"
        )
        if name in ADDRESSES:
            parser.epilog = f"More: rubrica docs {name}"
        outputs = "system.json rows.jsonl" if task == "evaluate" else "rows.jsonl"
        parser.example = f"rubrica {name} {task} {outputs} --input-files summaries.jsonl"
        parser.missing_hint = (
            f"; name the files to score after it, or use: rubrica {task} FILE -m {name}"
        )
        add_run_arguments(parser, task)
        self._input_options = InputOptions(parser, words, positional=False)
        self._parameters = add_parameters(
            parser, f"parameters of {name}", self._cls, prefix="metric_", taken_prefix="metric_"
        )

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command."""
        from rubrica.cli.scoring.outputs import macro_and_micro, rows_output
        from rubrica.cli.scoring.run import Run

        parameters = explicit_parameters(arguments, self._parameters)
        if arguments.like is not None:
            parameters = like_original(self._cls, arguments.like, parameters)
        metric = build(self._cls, parameters, what=f"metric {self._name!r}", allow_import=True)
        reader = self._input_options.reader(arguments, [metric])
        run = Run(arguments, [metric], reader, arguments.input_files)
        if self._task == "evaluate":
            return run.evaluate(*macro_and_micro(arguments, arguments.outputs))
        return run.score(rows_output(arguments, arguments.outputs))


def metric_help(name: str) -> str:
    """Return what `rubrica NAME --help` prints."""
    cls = METRICS.load(name)
    more = METRIC_COMMANDS.get(name, {})
    tasks = {**TASKS, **{task: entry.summary for task, entry in more.items()}}
    width = max(map(len, tasks))
    line = usage(name, cls)
    return "\n".join(
        [
            f"usage: rubrica {name} {'|'.join(tasks)} ...",
            *([f"       {line}"] if line else []),
            "",
            _summary(cls),
            "",
            *(f"  {task:<{width}}  {summary}" for task, summary in tasks.items()),
            "",
            f"  rubrica {name} evaluate --help  its parameters and all options",
            "",
            "example:",
            f"  rubrica {name} evaluate system.json rows.jsonl --input-files summaries.jsonl",
        ]
    )


def _unknown_task(name: str, cls: type[Metric], task: str) -> str:
    commands = [*TASKS, *METRIC_COMMANDS.get(name, {})]
    near = near_names(task, commands)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(commands)}"
    if not near and (line := usage(name, cls)):
        hint += f"; plain texts: {line}"
    return f"{name} has no command {task!r}; {hint}\nSee: rubrica {name} --help"


def _summary(cls: type) -> str:
    """Return the docstring before its `Args:` section."""
    return inspect.cleandoc(cls.__doc__ or "").partition("Args:")[0].strip()
