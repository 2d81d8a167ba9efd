"""`rubrica METRIC evaluate|score`: commands made from a metric's constructor; and its one-line form."""

from __future__ import annotations

import inspect
from importlib import import_module

from rubrica.cli.options import Parser, add_parameters, given
from rubrica.cli.scoring.inputs import ReaderOptions
from rubrica.cli.scoring.outputs import macro_and_micro, rows_output
from rubrica.cli.scoring.run_options import add_run_arguments
from rubrica.errors import UsageError, near_names
from rubrica.metrics import ADDRESSES
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.parameters import build

TASKS = {
    "evaluate": "score a system's summaries: rows and system scores",
    "score": "score peers and references, jackknifed where the metric allows it",
}
OUTPUTS = {"evaluate": "[MACRO] [MICRO]", "score": "OUT"}


def main(name: str, words: list[str]) -> int:
    """Run `rubrica NAME ...`."""
    cls = METRICS.load(name)
    if not words or words[0] in ("-h", "--help"):
        print(_help(name, cls))
        return 0
    if words[0].startswith("-"):
        from rubrica.cli.scoring import quick_score

        return quick_score.main(name, cls, words)
    task, rest = words[0], words[1:]
    if task in cls.commands:
        module = import_module(cls.commands[task][0])
        own = Parser(prog=f"rubrica {name} {task}", description=module.__doc__)
        module.add_arguments(own, rest)
        return int(module.run(own.parse(rest)))
    if task not in TASKS:
        commands = [*TASKS, *cls.commands]
        near = near_names(task, commands)
        told = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(commands)}"
        if not near and (line := _one_line_usage(name, cls)):
            told += f"; plain texts: {line}"
        raise UsageError(f"{name} has no command {task!r}; {told}\nSee: rubrica {name} --help")
    parser = Parser(
        prog=f"rubrica {name} {task}",
        usage=f"rubrica {name} {task} {OUTPUTS[task]} --input-files FILE [FILE ...] [options]",
        description=_summary(cls).replace("%", "%%"),
        epilog=f"More: docs/metrics/{name}.md" if name in ADDRESSES else None,
    )
    add_run_arguments(parser, task)
    reader_options = ReaderOptions(parser, rest)
    destinations = add_parameters(
        parser, f"parameters of {name}", cls, prefix="metric_", taken_prefix="metric_"
    )
    arguments = parser.parse(rest)
    metric = build(cls, given(arguments, destinations), what=f"metric {name!r}", allow_import=True)
    from rubrica.cli.scoring.run import Run

    run = Run(
        arguments, [metric], reader_options.reader(arguments, [metric]), arguments.input_files
    )
    if task == "evaluate":
        return run.evaluate(*macro_and_micro(arguments))
    return run.score(rows_output(arguments))


def _one_line_usage(name: str, cls: type[Metric]) -> str:
    from rubrica.cli.scoring.quick_score import usage

    return usage(name, cls)


def _help(name: str, cls: type[Metric]) -> str:
    tasks = {**TASKS, **{task: told for task, (_, told) in cls.commands.items()}}
    width = max(map(len, tasks))
    commands = [f"  {task:<{width}}  {told}" for task, told in tasks.items()]
    line = _one_line_usage(name, cls)
    return "\n".join(
        [
            f"usage: rubrica {name} {'|'.join(tasks)} ...",
            *([f"       {line}"] if line else []),
            "",
            _summary(cls),
            "",
            *commands,
            "",
            f"  rubrica {name} evaluate --help  its parameters and all options",
        ]
    )


def _summary(cls: type) -> str:
    """The docstring before its `Args:` section."""
    return inspect.cleandoc(cls.__doc__ or "").partition("Args:")[0].strip()
