"""Metrics as words of a command line: `chrf`, `rouge,max_ngram=2`, or JSON as in a configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rubrica.cli.packages import search_working_directory
from rubrica.cli.parser import Parser
from rubrica.errors import UnknownNameError, UsageError
from rubrica.metrics.base.metric import METRICS, Metric
from rubrica.metrics.base.metric_like import add_config, with_usual_measures
from rubrica.metrics.rouge.measure_names import rouge_parameters
from rubrica.parameters import parameters_of


def add_metrics(parser: Parser, **more: Any) -> None:
    """`-m`, `--metrics`."""
    parser.unknown_hint = (
        "; a parameter of a metric follows the metric's name, as in -m rouge,max_ngram=3"
    )
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        metavar="METRIC",
        help="metrics (parameters after commas or as JSON: chrf,word_order=2; rouge is ROUGE-1, 2 "
        "and L unless max_ngram or another parameter chooses measures)",
        **more,
    )


def metrics_of(
    words: Sequence[str], presets: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Metric]:
    """Return the metrics that words name. Of two equal names the later one's values get `name#2`.

    Several measures of ROUGE (`rouge1`, `rouge-su4`) are one metric.

    `presets` are configurations under names of their own, instead of the usual measures.
    """
    metrics: list[Metric] = []
    if any(":" in word for word in words):
        search_working_directory()
    configs: list[dict[str, Any]] = []
    for word in words:
        add_config(configs, _config(word, presets))
    for config in configs:
        metric = Metric.from_config(config, allow_import=True)
        same = sum(1 for other in metrics if other.label == metric.label)
        if same and metric.output_key is None:
            # A hyphen would make it `rouge-2`, which is a measure.
            metric.output_key = f"{metric.label}#{same + 1}"
        metrics.append(metric)
    return metrics


def _config(word: str, presets: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Any]:
    if word.lstrip().startswith("{"):
        try:
            return dict(msgspec.json.decode(word.encode()))
        except (msgspec.DecodeError, TypeError, ValueError) as error:
            raise UsageError(f"-m: not valid JSON: {word} ({error})") from error
    name, *pairs = word.split(",")
    preset = dict((presets or {}).get(name, {}))
    name = METRICS.resolve(preset.pop("type", name))
    # A measure of rouge is computed with the usual ones.
    cls = "rouge" if name not in METRICS and rouge_parameters(name) is not None else name
    known = {parameter.name: parameter for parameter in parameters_of(METRICS.load(cls))}
    config: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise UsageError(f"-m {word}: expected NAME,parameter=value,...; found {pair!r}")
        if key in ("as", "like"):
            config[key] = text
            continue
        parameter = known.get(key.replace("-", "_"))
        if parameter is None:
            raise UnknownNameError("parameter", key, known, owner=f"metric {name!r}")
        config[parameter.name] = parameter.parse(text)
    if presets is None:
        return with_usual_measures(name, config)
    return {"type": name, **preset, **config}
