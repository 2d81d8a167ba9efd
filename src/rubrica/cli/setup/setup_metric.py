"""Fetch or check what a metric needs: packages, and files verified by their hash."""

from __future__ import annotations

import argparse
import importlib.util
import sys

from rubrica.cli.parser import Parser
from rubrica.datasets.resources import fetch
from rubrica.errors import MissingResourceError, ParameterError, RubricaError, UsageError
from rubrica.metrics.base.metric import METRICS, Metric


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Add the options of `rubrica setup-metric`."""
    parser.example = "rubrica setup-metric bertscore --offline"
    parser.completions["name"] = METRICS.names
    parser.add_argument("name", nargs="?", help="a metric; without one, all are checked")
    parser.add_argument(
        "--from", dest="source", metavar="PATH", help="take files from here instead of the network"
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="a checkpoint of the Hugging Face hub to fetch for the metric (with --from: to copy)",
    )
    parser.add_argument(
        "--export-onnx",
        metavar="FOLDER",
        help="also write the model as an ONNX graph, for machines without torch",
    )
    parser.add_argument("--offline", action="store_true", help="never fetch anything; only check")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; the exit code is 0 only if the metric is ready."""
    if arguments.name is not None:
        cls = METRICS.load(arguments.name)
        _setup(cls, arguments.name, arguments.source, arguments.offline, arguments.model)
        if arguments.export_onnx is not None:
            _export(cls, arguments.model, arguments.export_onnx)
        print(f"{arguments.name}: ready")
        return 0
    for option, value in (("--model", arguments.model), ("--export-onnx", arguments.export_onnx)):
        if value is not None:
            raise UsageError(f"{option} needs the name of the metric that uses it")
    missing = 0
    for name in METRICS.names():
        try:
            _setup(METRICS.get(name), name, None, True, None)
            print(f"{name}: ready")
        except RubricaError as error:
            missing += 1
            print(f"{name}: {error}")
    return MissingResourceError.exit_code if missing else 0


def _setup(
    cls: type[Metric], name: str, source: str | None, offline: bool, model: str | None
) -> None:
    for package, extra in cls.needed_packages().items():
        if importlib.util.find_spec(package) is None:
            raise MissingResourceError(
                f"metric {name!r} needs {package}: pip install 'rubrica[{extra}]'"
            )
    for resource in cls.resources:
        fetch(
            resource,
            resource.path(f"metrics/{name}"),
            source=source,
            offline=offline,
            say=_say,
        )
    cls.set_up(model, source=source, offline=offline, say=_say)


def _export(cls: type[Metric], model: str | None, folder: str) -> None:
    from rubrica.metrics.base.encoder import EncoderMetric

    if not issubclass(cls, EncoderMetric):
        raise ParameterError(f"metric {cls.name!r} does not run on ONNX Runtime")
    cls.export_onnx(model, folder, say=_say)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
