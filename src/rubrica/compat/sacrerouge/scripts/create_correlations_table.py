"""Write correlations, results of `correlate`, as an HTML table: a row per metric, three columns per data set."""

from __future__ import annotations

import argparse
import html

from rubrica.compat.sacrerouge.common.util import make_parent
from rubrica.data.jsonl import read_json

_VALUES = (("pearson", "r"), ("spearman", "rho"), ("kendall", "tau"))


def main(args: argparse.Namespace) -> None:
    """Write the table."""
    values = {(metric, data): read_json(file) for file, metric, data in args.input}
    metrics = dict.fromkeys(metric for _, metric, _ in args.input)
    datasets = dict.fromkeys(data for _, _, data in args.input)
    heads = [f'<th colspan="3">{html.escape(data)}</th>' for data in datasets]
    lines = ["<table>", "<tr>", "<th></th>", *heads, "</tr>"]
    lines += [
        "<tr>",
        "<th></th>",
        *["<th>r</th>", "<th>p</th>", "<th>k</th>"] * len(datasets),
        "</tr>",
    ]
    for metric in metrics:
        lines += ["<tr>", f"<td>{html.escape(metric)}</td>"]
        for data in datasets:
            level = values.get((metric, data), {}).get(args.correlation_level, {})
            for coefficient, symbol in _VALUES:
                value = level.get(coefficient, {}).get(symbol)
                lines.append("<td></td>" if value is None else f"<td>{value:.2f}</td>")
        lines.append("</tr>")
    make_parent(args.output_file)
    with open(args.output_file, "w", encoding="utf-8") as out:
        out.write("\n".join([*lines, "</table>", ""]))


if __name__ == "__main__":
    argp = argparse.ArgumentParser()
    argp.add_argument("output_file")
    argp.add_argument("correlation_level", choices=["summary_level", "system_level", "global"])
    argp.add_argument(
        "--input",
        action="append",
        nargs=3,
        required=True,
        metavar=("file_path", "metric", "dataset"),
    )
    main(argp.parse_args())
