"""Commands of SacreROUGE; a class registered below one of these bases becomes a command."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

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


class SetupCommand(RootSubcommand):
    """A command with a parser for each thing that it sets up, and for those that users registered."""

    verb: ClassVar[str]
    about: ClassVar[str]
    registered: ClassVar[type[Subcommand]]

    def add_parsers(self, subparsers: Any) -> None:
        """Add a parser for each thing that can be set up."""
        raise NotImplementedError

    def add_subparser(self, parser: Any) -> None:
        """Add the parser of the command, and those below it."""
        self.parser = parser.add_parser(self.verb, description=self.about, help=self.about)
        subparsers = self.parser.add_subparsers()
        self.add_parsers(subparsers)
        for _, (command, _) in sorted(Registrable._registry[self.registered].items()):
            command().add_subparser(subparsers)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Set up what was named, or print the help."""
        if "subfunc" in args:
            args.subfunc(args)
        else:
            self.parser.print_help()
