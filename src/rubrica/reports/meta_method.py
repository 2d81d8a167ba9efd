"""The method of a meta-evaluation in sentences for a paper's appendix."""

from __future__ import annotations

from collections.abc import Mapping

from rubrica.formatting.words import counted, word_list
from rubrica.meta.ranking.rankings import MetaEvaluation
from rubrica.statistics.corrections import PROCEDURES

_COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho (ties take the mean of their ranks)",
    "kendall": "Kendall's tau-b",
    "tau-a": "Kendall's tau-a",
    "tau-c": "Kendall's tau-c",
}
_LEVELS = {
    "summary": "at the summary level (the mean over inputs of the correlation across systems)",
    "system": "at the system level (the correlation of the systems' mean scores)",
    "global": "at the global level (the correlation over all summaries at once)",
}
_DRAWN = {
    "bootstrap-system": "systems",
    "bootstrap-input": "inputs",
    "bootstrap-both": "systems and inputs",
}
_UNDEFINED = {
    "drop": "left out of the mean",
    "zero": "counted as zero",
    "error": "not allowed, and there were none",
}
_EXCHANGED = {
    "permutation-system": "the two metrics' scores of whole systems",
    "permutation-input": "the two metrics' scores of whole inputs",
}
_P_RULES = {"plus-one": "(c + 1) / (K + 1)", "ratio": "c / K"}


def method_text(evaluation: MetaEvaluation) -> list[str]:
    """Return paragraphs on data, correlations, intervals, tests and clusters."""
    parameters = evaluation.rankings[0].signature.parameters
    rounds, seed = f"{int(parameters['bs']):,}", parameters["seed"]
    return [
        " ".join(sentences)
        for sentences in (
            _data(evaluation),
            _correlations(evaluation, parameters["undefined"]),
            _intervals(evaluation, rounds, seed),
            _tests(evaluation, parameters, rounds, seed),
            [_version(evaluation)],
        )
        if sentences
    ]


def _data(result: MetaEvaluation) -> list[str]:
    out = [
        f"We compare {counted(len(result.metrics), 'metric')} ({', '.join(result.metrics)}) with "
        f"{counted(len(result.humans), 'human score')} ({', '.join(result.humans)})."
    ]
    if (join := result.join) is not None:
        out.append(
            f"The data are {counted(join.kept, 'summary', 'summaries')} of "
            f"{counted(join.systems, 'system')} for {counted(join.inputs, 'input')}."
        )
        unused = sum(join.dropped_type.values()) + sum(join.dropped_missing.values())
        if unused:
            out.append(
                f"{counted(unused, 'further summary', 'further summaries')} in the files "
                f"{'was' if unused == 1 else 'were'} not used, being of another type or lacking a score."
            )
    if result.lower_is_better:
        out.append(
            f"Lower values of {word_list(result.lower_is_better)} are better: correlations are reported as they are, "
            "and rankings and tests reverse their sign."
        )
    return out


def _correlations(result: MetaEvaluation, undefined: str) -> list[str]:
    levels = dict.fromkeys(ranking.level.value for ranking in result.rankings)
    coefficients = dict.fromkeys(ranking.coefficient.value for ranking in result.rankings)
    out = [
        f"Metrics are correlated with human scores by {word_list([_COEFFICIENTS[c] for c in coefficients])}, "
        f"{word_list([_LEVELS[level] for level in levels])}.",
        "For one human score all metrics are compared on the same summaries, those that have all scores.",
    ]
    if "summary" in levels:
        out.append(f"Inputs whose correlation is undefined are {_UNDEFINED[undefined]}.")
    return out


def _intervals(result: MetaEvaluation, rounds: str, seed: str) -> list[str]:
    """Sentences on intervals; levels with the same method share one."""
    levels: dict[str, list[str]] = {}
    for ranking in result.rankings:
        level_names = levels.setdefault(ranking.signature.parameters["interval"], [])
        if ranking.level.value not in level_names:
            level_names.append(ranking.level.value)
    levels.pop("none", None)
    parameters = result.rankings[0].signature.parameters
    tails = "two-sided" if parameters["tails"] == "2" else "one-sided"
    span = f"{tails} {parameters['confidence']} % confidence intervals"
    out = []
    for method, level_names in levels.items():
        level_text = (
            f" at the {word_list(level_names)} level{'s' if len(level_names) > 1 else ''}"
            if len(levels) > 1
            else ""
        )
        if method == "fisher":
            out.append(f"We report {span} by Fisher's transformation{level_text}.")
        elif method == "jackknife":
            out.append(
                f"We report {span} by the two-way jackknife over systems and inputs on the scale of Fisher's "
                f"transformation{level_text}."
            )
        else:
            bounds = "BCa" if parameters["bounds"] == "bca" else "percentile"
            out.append(
                f"We report {span} by the {bounds} bootstrap, which draws {_DRAWN[method]} with replacement "
                f"({rounds} rounds, seed {seed}){level_text}."
            )
    return out


def _tests(
    result: MetaEvaluation, parameters: Mapping[str, str], rounds: str, seed: str
) -> list[str]:
    if len(result.metrics) < 2:
        return []
    test, one_sided = parameters["test"], parameters["test-tails"] == "1"
    asks = "one-sided: the first correlates better" if one_sided else "two-sided: they differ"
    if test in ("permutation-two-way", "permutation-max"):
        scaled = (
            ", after the wider distribution is scaled to the variance of both exchanges together, which allows for errors "
            "of systems and of inputs at once"
            if test == "permutation-two-way"
            else ""
        )
        test_text = (
            "two permutation tests, which exchange the two metrics' standardized scores of whole systems and of whole "
            f"inputs and of which the larger p-value counts{scaled} ({rounds} rounds, seed {seed}, "
            f"p = {_P_RULES[parameters['test-p-rule']]})"
        )
    elif test.startswith("permutation"):
        swaps = _EXCHANGED.get(test) or (
            "single scores of the two metrics"
            if parameters["test-scheme"] == "cells"
            else "the two metrics' scores of whole systems and of whole inputs"
        )
        rule = _P_RULES[parameters["test-p-rule"]]
        test_text = (
            f"a permutation test that exchanges {swaps} after standardizing them "
            f"({rounds} rounds, seed {seed}, p = {rule})"
        )
    elif test == "williams":
        kind = "signed" if parameters["test-signed"] == "yes" else "absolute"
        test_text = f"Williams' test of {kind} correlations"
    else:
        test_text = (
            f"a paired bootstrap that draws {_DRAWN.get(test, test)} ({rounds} rounds, seed {seed})"
        )
    out = [f"Each pair of metrics is compared by {test_text} ({asks})."]
    if procedure := PROCEDURES.get(parameters["correction"]):
        out.append(
            "The p-values of one human score, level and coefficient are corrected together "
            f"by {procedure}; significant means p ≤ {result.alpha:g}."
        )
    else:
        out.append(f"The p-values are not corrected; significant means p ≤ {result.alpha:g}.")
    if parameters["clusters"] == "wmt":
        out.append(
            "Metrics, sorted by their correlation, fall into clusters: a cluster ends before the first "
            "metric that one of its members significantly beats."
        )
    else:
        out.append(
            "Metrics fall into clusters: the first holds all that no other metric significantly beats, "
            "each further one those that only metrics of earlier clusters beat."
        )
    return out


def _version(result: MetaEvaluation) -> str:
    signature = result.rankings[0].signature
    return f"All numbers were computed with Rubrica {signature.version}."
