"""Commands of SacreROUGE; a class registered below one of these bases becomes a command."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.compat.sacrerouge.common import Registrable

__all__ = ["DatasetSetupSubcommand", "MetricSetupSubcommand", "RootSubcommand", "Subcommand"]


class Subcommand(Registrable):
    """A command: it adds its parser, and runs."""

    def add_subparser(self, parser: Any) -> None:
        """Add the parser of the command to the subparsers of its parent."""
        raise NotImplementedError

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        raise NotImplementedError


class RootSubcommand(Subcommand):
    """A command directly below `sacrerouge`."""


class DatasetSetupSubcommand(Subcommand):
    """A command below `setup-dataset`."""


class MetricSetupSubcommand(Subcommand):
    """A command below `setup-metric`."""
