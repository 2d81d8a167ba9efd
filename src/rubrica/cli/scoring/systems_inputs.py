"""Systems' files on a command line: texts with `-r` and `-d`, or anything a reader reads."""

from __future__ import annotations

import argparse
import os
import re
import warnings
from collections.abc import Sequence
from typing import Any

from rubrica.cli.options import Parser
from rubrica.cli.scoring.inputs import check_fields, reader_for
from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.lines import LineAlignedReader
from rubrica.errors import DataWarning, UsageError
from rubrica.metrics.base.metric import Metric


def add_inputs(
    parser: Parser, what: str = "a file for each system; the first is the baseline"
) -> Any:
    """The group of input options, with the files as plain words."""
    parser.intermixed = True
    group = parser.add_argument_group("input")
    group.add_argument("input_files", nargs="+", metavar="FILE", help=what)
    for option, name in (("-r", "references"), ("-d", "documents")):
        group.add_argument(
            option,
            f"--{name}",
            action="append",
            default=[],
            metavar="FILE",
            help=f"{name}, a text per line; takes one file, for a second one write {option} again",
        )
    group.add_argument(
        "--sentences",
        default="auto",
        metavar="MARKS",
        help="what marks sentences in a line: auto, none, tags, q, x_sep, newline (default: auto)",
    )
    group.add_argument(
        "--dataset-reader",
        metavar="READER",
        help="for files that are not a text per line: a reader's name (default: by their ending)",
    )
    return group


def reader_of(
    arguments: argparse.Namespace, metrics: Sequence[Metric], files: Sequence[str]
) -> DatasetReader:
    """The reader for these files: of lines of text when references or documents are named."""
    if arguments.references or arguments.documents:
        if arguments.dataset_reader not in (None, "text"):
            raise UsageError("-r and -d are for texts per line; a reader finds them by itself")
        reader: DatasetReader = LineAlignedReader(
            references=arguments.references,
            documents=arguments.documents,
            sentences=arguments.sentences,
        )
    else:
        reader = reader_for(arguments.dataset_reader, metrics, files)
    check_given(arguments, reader, metrics)
    check_fields(reader, metrics)
    _warn_of_references(arguments.references, files)
    return reader


# How people name files of references: ref.txt, references.B.txt, test.target, gold-2.txt.
_REFERENCE = re.compile(r"(^|[._-])(refs?|references?|targets?|gold)(?=[._\d-]|$)", re.IGNORECASE)


def _warn_of_references(references: Sequence[str], systems: Sequence[str]) -> None:
    """`-r A B SYSTEM` makes B a system; who meant two references is told how to write that."""
    if not references:
        return
    known = {os.path.realpath(file) for file in references}
    for file in systems:
        if os.path.realpath(file) in known:
            told = f"{file} is a system here and also its own reference"
        elif _REFERENCE.search(os.path.basename(file)):
            told = f"{file} looks like references and is taken for a system"
        else:
            continue
        warnings.warn(
            f"{told}; -r takes one file: for several references write -r once for each",
            DataWarning,
            stacklevel=2,
        )


def check_given(
    arguments: argparse.Namespace, reader: DatasetReader, metrics: Sequence[Metric]
) -> None:
    """Before anything is read: are there files for what the metrics are scored against?"""
    if not isinstance(reader, LineAlignedReader):
        return
    for metric in metrics:
        for name in metric.required_context_fields:
            if name in ("references", "documents") and not getattr(arguments, name):
                raise UsageError(
                    f"metric {metric.label!r} needs {name}: name their file with -{name[0]}"
                )
