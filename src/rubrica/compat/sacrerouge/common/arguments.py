"""Metrics and readers from a command line: an option per parameter of a metric's constructor."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rubrica.compat.sacrerouge.common.params import ConfigurationError, Params
from rubrica.compat.sacrerouge.common.registrable import (
    _NO_DEFAULT,
    Registrable,
    construct_arg,
    constructor_parameters,
)
from rubrica.compat.sacrerouge.data.dataset_readers import DatasetReader
from rubrica.compat.sacrerouge.metrics import Metric
from rubrica.parameters import Parameter


def get_dataset_reader_from_argument(argument: str) -> DatasetReader:
    """Return the reader of a name, or of parameters in JSON."""
    if argument in Registrable._registry[DatasetReader]:
        return DatasetReader.from_params(argument)
    try:
        return DatasetReader.from_params(Params(json.loads(argument)))
    except json.JSONDecodeError as error:
        known = ", ".join(DatasetReader.list_available())
        raise ConfigurationError(
            f"--dataset-reader: {argument!r} is neither a reader ({known}) nor JSON"
        ) from error


def add_metric_arguments(parser: argparse.ArgumentParser, metric_type: type) -> None:
    """Add an option for each parameter of the metric: plain types as words, others as JSON."""
    for name, parameter in _named(metric_type):
        default = parameter.default
        options: dict[str, Any] = {"required": default is _NO_DEFAULT}
        if parameter.annotation in (int, float, str):
            options["type"] = parameter.annotation
        elif parameter.annotation is bool:
            options["type"] = _truth
        else:
            options["type"] = str
            if default not in (None, _NO_DEFAULT):
                default = json.dumps(default)
        if default is not _NO_DEFAULT:
            options["default"] = default
        parser.add_argument(f"--{name}", **options)


def get_metric_from_arguments(metric_type: type, args: argparse.Namespace) -> Metric:
    """Return the metric whose parameters were parsed."""
    values = {}
    for name, parameter in _named(metric_type):
        value = getattr(args, name)
        if parameter.annotation not in (int, float, str, bool) and value is not None:
            try:
                decoded = json.loads(value)
                value = construct_arg(
                    metric_type.__name__, name, decoded, parameter.annotation, _NO_DEFAULT
                )
            except (json.JSONDecodeError, TypeError):
                # Not JSON: the text itself.
                pass
        values[name] = value
    metric: Metric = metric_type(**values)
    return metric


def _named(metric_type: type) -> list[tuple[str, Any]]:
    """The constructor's parameters without `*args` and `**kwargs`."""
    return [
        (name, parameter)
        for name, parameter in constructor_parameters(metric_type).items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _truth(word: str) -> bool:
    """The words yes, true, on, 1 and no, false, off, 0."""
    return bool(Parameter("value", bool, None).parse(word))
