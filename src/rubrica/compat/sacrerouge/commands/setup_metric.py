"""`setup-metric NAME`: check, or fetch, what a metric needs."""

from __future__ import annotations

import argparse
import importlib.util
from functools import partial
from typing import Any

from rubrica.compat.sacrerouge.commands import MetricSetupSubcommand, RootSubcommand, SetupCommand
from rubrica.datasets.resources import fetch
from rubrica.errors import MissingResourceError
from rubrica.metrics.base.metric import METRICS

# The metrics that SacreROUGE sets up, with the options it has for each.
NAMES = {
    **dict.fromkeys(("autosummeng", "bertscore", "blanc", "bleurt", "meteor", "moverscore"), ()),
    **dict.fromkeys(("apes", "python-rouge", "rouge", "simetrix", "supert"), ()),
    **dict.fromkeys(("bewte", "pyreval", "qa-eval", "s3"), ("--force",)),
    "sum-qe": tuple(
        f"--download-{years}-model" for years in ("2005-2006", "2005-2007", "2006-2007")
    ),
}


def set_up(name: str, args: argparse.Namespace) -> None:
    """Check the packages of a metric, and fetch its files."""
    cls = METRICS.get(name)
    for package, extra in cls.needed_packages().items():
        if importlib.util.find_spec(package) is None:
            raise MissingResourceError(f"{name} needs {package}: pip install 'rubrica[{extra}]'")
    for resource in cls.resources:
        fetch(resource, resource.path(f"metrics/{name}"), offline=False, say=print)
    cls.set_up(None, source=None, offline=False, say=print)
    print(f"{name} setup success")


@RootSubcommand.register("setup-metric")
class SetupMetricSubcommand(SetupCommand):
    """The command."""

    verb = "setup-metric"
    about = "Setup a metric"
    registered = MetricSetupSubcommand

    def add_parsers(self, subparsers: Any) -> None:
        """Add a parser per metric."""
        for name, options in NAMES.items():
            own = subparsers.add_parser(name, help=f"setup {name}")
            for option in options:
                own.add_argument(option, action="store_true", help="accepted, without effect")
            own.set_defaults(subfunc=partial(set_up, name))
