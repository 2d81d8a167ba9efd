"""Options and outputs that SacreROUGE's commands share."""

from __future__ import annotations

import argparse
import json
import logging
from typing import Any

from rubrica.compat.sacrerouge.common import Params
from rubrica.compat.sacrerouge.common.util import (
    import_module_and_submodules,
    make_parent,
    prepare_global_logging,
)
from rubrica.compat.sacrerouge.data import EvalInstance
from rubrica.compat.sacrerouge.data.dataset_readers import DatasetReader
from rubrica.compat.sacrerouge.metrics import Metric

logger = logging.getLogger(__name__)


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--log-file` and `--silent`."""
    parser.add_argument("--log-file", help="file for the log")
    parser.add_argument("--silent", action="store_true", help="do not log to standard output")


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--config` and `--overrides`."""
    parser.add_argument(
        "--config",
        required=True,
        help="JSON or Jsonnet file with dataset_reader, metrics, input_files",
    )
    parser.add_argument("--overrides", help="JSON or Jsonnet object that is merged into the file")


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what runs of metrics share."""
    add_log_arguments(parser)
    parser.add_argument(
        "--include-packages", nargs="+", default=[], help="packages with metrics and readers"
    )


def add_score_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the files of scores, the type of rows, and the levels to skip."""
    parser.add_argument(
        "--metrics-jsonl-files", nargs="+", required=True, help="files of scores, merged by summary"
    )
    parser.add_argument(
        "--summarizer-type", required=True, choices=["all", "reference", "peer"], help="which rows"
    )
    for level in ("summary-level", "system-level", "global"):
        parser.add_argument(f"--skip-{level}", action="store_true", help="leave this level out")


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the output file of a result and where the log goes."""
    parser.add_argument("--output-file", help="JSON file for the result")
    add_log_arguments(parser)


def start(args: argparse.Namespace) -> None:
    """Prepare the log, and import the packages of the user."""
    prepare_global_logging(file_path=args.log_file, silent=args.silent)
    for package in getattr(args, "include_packages", None) or []:
        import_module_and_submodules(package)


def read_run(args: argparse.Namespace) -> tuple[list[EvalInstance], list[Metric]]:
    """Return the instances and the metrics of a configuration file."""
    params = Params.from_file(args.config, args.overrides)
    reader = DatasetReader.from_params(params.pop("dataset_reader"))
    metrics = [Metric.from_params(parameters) for parameters in params.pop("metrics")]
    files = params.pop("input_files")
    return reader.read(*([files] if isinstance(files, str) else files)), metrics


def save_result(args: argparse.Namespace, result: Any) -> None:
    """Write a result to its file, and to the log unless that is silent."""
    text = json.dumps(result, indent=2)
    if args.output_file:
        make_parent(args.output_file)
        with open(args.output_file, "w", encoding="utf-8") as stream:
            stream.write(text)
    if not args.silent:
        logger.info(text)
