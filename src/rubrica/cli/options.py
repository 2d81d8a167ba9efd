"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rubrica.cli.parser import Parser
from rubrica.errors import UsageError
from rubrica.parameters import SEED
from rubrica.statistics.corrections import CORRECTIONS

if TYPE_CHECKING:
    from rubrica.statistics.intervals import Resampling

_ENDINGS = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".txt": "text"}
RESULT_ENDINGS = (".json", *_ENDINGS)


def format_of(path: str) -> str:
    """Return the format of an output file by its ending; JSON if that says nothing."""
    from rubrica.data.files import content_ending

    return _ENDINGS.get(content_ending(path), "json")


def add_general_options(parser: Parser) -> None:
    """Add the options that every command has."""
    group = parser.add_argument_group("general")
    group.add_argument(
        "-q",
        "--quiet",
        "--silent",
        action="store_true",
        help="print errors only, and the result if no file is named for it",
    )
    group.add_argument(
        "-v", "--verbose", action="store_true", help="also print how long each step took"
    )
    group.add_argument("--log-file", metavar="FILE", help="append messages to this file")
    group.add_argument(
        "--include-packages",
        nargs="+",
        metavar="P",
        help="import these packages first, such as your own metrics and readers",
    )


class _StoreSeed(argparse.Action):
    """Stores a seed that every generator of random numbers takes."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not 0 <= values < 2**64:
            raise UsageError(f"--seed must be a whole number from 0 to 2^64 - 1: {values}")
        setattr(namespace, self.dest, values)


def add_seed(
    parser: argparse._ActionsContainer, *more: str, default: int = SEED, detail: str = ""
) -> None:
    """Add `--seed`, under other names too."""
    parser.add_argument(
        "--seed",
        *more,
        dest="seed",
        action=_StoreSeed,
        type=int,
        default=default,
        metavar="N",
        help=f"seed of the random numbers{detail} (default: {default})",
    )


def add_resampling_rounds(parser: argparse._ActionsContainer, detail: str = "") -> None:
    """Add `--rounds`, 1,000 unless the user says otherwise."""
    parser.add_argument(
        "--rounds",
        type=int,
        default=1000,
        metavar="N",
        help=f"resampling rounds ({detail}default: 1,000)",
    )


def add_test_rounds(parser: argparse._ActionsContainer) -> None:
    """Add `--rounds` of paired tests, each of which has a default of its own."""
    parser.add_argument(
        "--rounds",
        type=int,
        metavar="N",
        help="resampling rounds (for the tests; default: ar 10,000, bs 1,000)",
    )


def add_correction(parser: argparse._ActionsContainer, over: str, default: str = "holm") -> None:
    """Add `--correction`, with what it corrects over."""
    parser.add_argument(
        "--correction",
        choices=tuple(CORRECTIONS),
        default=default,
        help=f"multiplicity correction (over {over}; default: {default})",
    )


def add_measure_names(
    parser: argparse._ActionsContainer, detail: str = "", *, required: bool = False
) -> None:
    """Add `--measures`, some measures by name."""
    parser.add_argument(
        "--measures",
        nargs="+",
        required=required,
        metavar="M",
        help=f"measures, such as rouge-1.f1{detail}",
    )


def add_lower_is_better(parser: argparse._ActionsContainer) -> None:
    """Add `--lower-is-better`, for measures that nothing else describes."""
    parser.add_argument(
        "--lower-is-better",
        nargs="+",
        default=[],
        metavar="M",
        help="measures whose lower values are better (registered metrics declare it themselves)",
    )


def add_summarizer_type(parser: argparse._ActionsContainer, default: str) -> None:
    """Add `--summarizer-type`."""
    parser.add_argument(
        "--summarizer-type",
        choices=("all", "reference", "peer"),
        default=default,
        help=f"type of the summaries (which to use; default: {default})",
    )


def add_dry_run(parser: argparse._ActionsContainer, shown: str) -> None:
    """Add `--dry-run`, with what it shows."""
    parser.add_argument(
        "--dry-run", action="store_true", help=f"only show what would happen: {shown}"
    )


def add_cluster(parser: argparse._ActionsContainer) -> None:
    """Add `--cluster`, which inputs are resampled together."""
    parser.add_argument(
        "--cluster",
        metavar="FIELD",
        help="treat inputs as one unit if they share this field of their rows (such as topic), or the part of their id that matches id:REGEX",
    )


def add_alpha(parser: argparse._ActionsContainer, default: float | None = 0.05) -> None:
    """Add `--alpha`."""
    shown = "1 - confidence / 100" if default is None else f"{default:g}"
    parser.add_argument(
        "--alpha",
        type=float,
        default=default,
        metavar="X",
        help=f"significance level (default: {shown})",
    )


def check_alpha(alpha: float) -> None:
    """Refuse what is no significance level."""
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha must lie between 0 and 1, not {alpha:g}")


def add_interval_rounds(parser: argparse._ActionsContainer) -> None:
    """Add `--interval-rounds`, for commands whose `--rounds` are those of tests."""
    parser.add_argument(
        "--interval-rounds",
        type=int,
        default=1000,
        metavar="N",
        help="resampling rounds of the intervals; 0 for no intervals (default: 1,000)",
    )


def add_confidence(parser: argparse._ActionsContainer) -> None:
    """Add `--confidence`."""
    parser.add_argument(
        "--confidence",
        type=float,
        default=95.0,
        metavar="X",
        help="confidence level of the intervals, in percent (default: 95)",
    )


def check_confidence(percent: float) -> None:
    """Refuse what is no percentage, and 0.95, which would give an interval of almost no width."""
    if not 0 < percent < 100:
        raise UsageError(f"--confidence must lie between 0 and 100, not {percent:g}")
    if percent <= 1:
        raise UsageError(
            f"--confidence is in percent: {100 * percent:g} for {percent:g}"
            if percent < 1
            else "--confidence is in percent, such as 95; not 1"
        )


def resampling_of(
    arguments: argparse.Namespace, option: str = "--rounds", *, required: bool = False
) -> Resampling:
    """Return the bootstrap that the option for its rounds, `--confidence` and `--seed` ask for.

    Zero rounds mean no bootstrap, unless one is `required`.
    """
    from rubrica.statistics.intervals import Resampling

    rounds = getattr(arguments, option.removeprefix("--").replace("-", "_"))
    check_confidence(arguments.confidence)
    if rounds < required:
        least = "be at least 1" if required else "not be negative"
        raise UsageError(f"{option} must {least}: {rounds}")
    return Resampling(rounds, arguments.confidence, arguments.seed)


def add_text_or_json(parser: argparse._ActionsContainer) -> None:
    """Add the format of a result that is printed as text or JSON."""
    parser.add_argument(
        "-f",
        "--format",
        choices=("text", "json"),
        default="text",
        help="output format (default: text)",
    )
