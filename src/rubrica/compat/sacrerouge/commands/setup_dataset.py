"""`setup-dataset NAME ...`: raw data into SacreROUGE's files, with its positional arguments."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from rubrica.compat.sacrerouge.commands import DatasetSetupSubcommand, RootSubcommand, SetupCommand
from rubrica.datasets.base import DATASETS, setup_dataset
from rubrica.errors import UsageError

_YEARS = ("duc2001", "duc2002", "duc2003", "duc2004", "duc2005", "duc2006", "duc2007")
_FORCE = ("output_dir", "--force")
_ZIPS = ("--mds-documents-zip", "--mds-model-summaries-zip", "--mds-peer-summaries-zip")

# The words after each name: positional ones, then options. All but the output folder are raw data.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_YEARS, ("data_root", "output_dir")),
    **dict.fromkeys(("tac2008", "tac2009", "tac2010"), ("data_root", "output_dir")),
    "tac2011": ("gigaword_root", "data_root", "output_dir"),
    "nytimes": ("ldc2008t19_tgz", *_FORCE),
    **dict.fromkeys(("multiling2011", "multiling2017", "multiling2019"), ("output_dir",)),
    "multiling2013": ("output_dir", *_ZIPS, "--metrics-zip"),
    "multiling2015": ("output_dir", "--train-zip", "--test-zip"),
    "chaganty2018": ("output_dir",),
    **dict.fromkeys(("bhandari2020", "fabbri2020", "kryscinski2019"), _FORCE),
    **dict.fromkeys(("multinews", "vasilyev2020", "wcep"), _FORCE),
}


def set_up(name: str, args: argparse.Namespace) -> None:
    """Write the data set; the licence must be accepted, as in SacreROUGE where it asks."""
    licence = DATASETS.get(name).licence
    if not args.accept_licence:
        print(f"{name}: {licence}", file=sys.stderr)
        if not sys.stdin.isatty():
            raise UsageError(f"accept the licence of {name} with --accept-licence")
        if input("Continue? [y/n] ").strip().lower() not in ("y", "yes"):
            return
    named = [getattr(args, _attribute(word)) for word in ARGUMENTS[name] if _is_raw(word)]
    sources = [path for path in (*named, *args.source) if path is not None]
    setup_dataset(name, sources, args.output_dir, layout="sacrerouge", say=print)


@RootSubcommand.register("setup-dataset")
class SetupDatasetSubcommand(SetupCommand):
    """The command."""

    verb = "setup-dataset"
    about = "Setup a dataset"
    registered = DatasetSetupSubcommand

    def add_parsers(self, subparsers: Any) -> None:
        """Add a parser per data set."""
        for name, words in ARGUMENTS.items():
            own = subparsers.add_parser(name, help=f"setup {name}")
            for word in words:
                if word == "--force":
                    own.add_argument(word, action="store_true", help="accepted, without effect")
                else:
                    own.add_argument(
                        word, help="output folder" if word == "output_dir" else "raw data"
                    )
            own.add_argument(
                "--from",
                dest="source",
                nargs="+",
                default=[],
                help="raw data that cannot be fetched",
            )
            own.add_argument("--accept-licence", action="store_true", help="do not ask")
            own.set_defaults(subfunc=partial(set_up, name))


def _is_raw(word: str) -> bool:
    return word not in ("output_dir", "--force")


def _attribute(word: str) -> str:
    return word.removeprefix("--").replace("-", "_")
