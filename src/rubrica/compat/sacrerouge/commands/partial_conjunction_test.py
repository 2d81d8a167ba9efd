"""`partial-conjunction-test`: on how many data sets is a metric better, from p-values of `stat-sig-test`."""

from __future__ import annotations

import argparse
from typing import Any

from rubrica.compat.sacrerouge.commands import RootSubcommand
from rubrica.compat.sacrerouge.commands.options import add_result_arguments, save_result, start
from rubrica.compat.sacrerouge.stats import partial_conjunction_pvalue_test
from rubrica.data.jsonl import read_json
from rubrica.errors import DataError, MismatchError
from rubrica.meta.correlation.levels import Level


def run_all_partial_conjunction_pvalue_test(
    method: str,
    pvalue_json_files_or_dicts: list[Any],
    names: list[str],
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Return k and the significant names of every level and coefficient of the first file."""
    if len(pvalue_json_files_or_dicts) != len(names):
        raise MismatchError(f"{len(pvalue_json_files_or_dicts)} files, but {len(names)} names")
    results = [
        read_json(source) if isinstance(source, str) else source
        for source in pvalue_json_files_or_dicts
    ]
    output: dict[str, Any] = {"method": method, "names": names, "alpha": alpha}
    for level in [level.key for level in Level if level.key in results[0]]:
        output[level] = {}
        for coefficient in ("pearson", "spearman", "kendall"):
            try:
                p_values = [result[level][coefficient]["pvalue"] for result in results]
            except KeyError as error:
                raise DataError(f"a file has no p-values at {level}.{coefficient}") from error
            k, significant = partial_conjunction_pvalue_test(method, p_values, alpha)
            output[level][coefficient] = {"k": k, "significant": [names[i] for i in significant]}
    return output


@RootSubcommand.register("partial-conjunction-test")
class PartialConjunctionTestSubcommand(RootSubcommand):
    """The command."""

    def add_subparser(self, parser: Any) -> None:
        """Add its parser."""
        about = "Run a partial conjunction test on a set of p-values"
        self.parser = parser.add_parser("partial-conjunction-test", description=about, help=about)
        self.parser.add_argument(
            "--pvalue-json-files", nargs="+", required=True, help="results of stat-sig-test"
        )
        self.parser.add_argument("--names", nargs="+", required=True, help="a name for each file")
        self.parser.add_argument(
            "--method", choices=["bonferroni"], default="bonferroni", help="(bonferroni)"
        )
        self.parser.add_argument("--alpha", type=float, default=0.05, help="(0.05)")
        add_result_arguments(self.parser)
        self.parser.set_defaults(func=self.run)

    def run(self, args: argparse.Namespace) -> None:
        """Run it."""
        start(args)
        save_result(
            args,
            run_all_partial_conjunction_pvalue_test(
                args.method, args.pvalue_json_files, args.names, args.alpha
            ),
        )
