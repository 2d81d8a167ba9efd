"""SacreROUGE's command line: its root commands, and one per registered metric."""

from __future__ import annotations

import argparse

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.common import Registrable
from rubrica.compat.sacrerouge.common.util import import_module_and_submodules


def build_argument_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    import_module_and_submodules("rubrica.compat.sacrerouge")
    from rubrica.compat.sacrerouge.commands import metric_command

    parser = argparse.ArgumentParser(prog="sacrerouge")
    subparsers = parser.add_subparsers()
    for _, (command, _) in sorted(Registrable._registry[RootSubcommand].items()):
        command().add_subparser(subparsers)
    metric_command.add_metric_subcommands(subparsers)
    return parser
