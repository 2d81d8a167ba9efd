"""`rubrica rouge155`: a drop-in for ROUGE-1.5.5.pl, same options, same output, no Perl."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from rubrica.cli.parser import Parser
from rubrica.cli.rouge155.counting import (
    Instance,
    count_elements,
    count_words,
    element_engine,
    text_engine,
    text_measures,
)
from rubrica.cli.rouge155.options import USAGE, Options, StopError, read_options
from rubrica.cli.rouge155.report import section
from rubrica.cli.rouge155.settings import Evaluation, read_folders, read_list, read_settings
from rubrica.cli.rouge155.trace import trace_elements, trace_words
from rubrica.metrics.rouge.scorer import REFERENCE, Floats, RougeScorer

# What pyrouge passes when it is told nothing.
_PYROUGE_DEFAULTS = ["-c", "95", "-2", "-1", "-U", "-r", "1000", "-n", "4", "-w", "1.2"]


def add_arguments(parser: Parser, words: list[str]) -> None:
    """Leave the words to `run`: the options are Perl's, not argparse's."""
    parser.verbatim_usage = USAGE


def run(arguments: argparse.Namespace) -> int:
    """Run the command; the exit status is 0, or not 0 where the official program dies."""
    try:
        options, evaluations, peers = _plan(list(arguments.words))
        for peer in peers:
            for text in _sections(options, evaluations, peer):
                sys.stdout.write(text)
    except StopError as stop:
        sys.stdout.flush()
        print(str(stop).rstrip("\n"), file=sys.stderr)
        return stop.exit_code
    return 0


def _plan(argv: list[str]) -> tuple[Options, list[Evaluation], list[str]]:
    """Options, evaluations, and the peers to report in their order."""
    if "--pyrouge" in argv:
        return _plan_folders(argv)
    options = read_options(argv)
    path, *more = options.rest
    if "z" in options:
        peer = more[0] if more else "X"
        return options, read_list(path, options.text("z").upper(), peer), [peer]
    if "a" not in options and not more:
        raise StopError(
            "Please specify a system ID to evaluate or use option '-a' to evaluate all systems."
        )
    evaluations = read_settings(path)
    if "a" not in options:
        return options, evaluations, [more[0]]
    every = {peer for evaluation in evaluations for peer in evaluation.peers}
    return options, evaluations, sorted(every, key=str.encode)


def _plan_folders(argv: list[str]) -> tuple[Options, list[Evaluation], list[str]]:
    at = argv.index("--pyrouge")
    system_dir, model_dir = [*argv[at + 1 : at + 3], "", ""][:2]
    rest = argv[:at] + argv[at + 3 :]
    named = {"--system-pattern": "", "--model-pattern": "", "--system-id": "1"}
    for name in named:
        if name in rest[:-1]:
            where = rest.index(name)
            named[name] = rest[where + 1]
            rest = rest[:where] + rest[where + 2 :]
    system_pattern, model_pattern, system_id = named.values()
    if not (model_dir and system_pattern and model_pattern):
        raise StopError(USAGE, 2)
    evaluations = read_folders(system_dir, model_dir, system_pattern, model_pattern, system_id)
    # pyrouge stems whatever else it is told.
    words = [*(rest or _PYROUGE_DEFAULTS), "-m", "--", "pyrouge"]
    return read_options(words), evaluations, [system_id]


def _sections(options: Options, evaluations: list[Evaluation], peer: str) -> Iterator[str]:
    instances: list[Instance] = []
    for evaluation in evaluations:
        if peer in evaluation.peers:
            instances.append((evaluation, peer))
        else:
            print(
                f"*ROUGE Warning: test instance for peer {peer} does not exist "
                f"for evaluation {evaluation.id}",
                file=sys.stderr,
            )
    engine = text_engine(options)
    counts = count_words(options, engine, instances)
    keys = [f"{evaluation.id}.{peer}" for evaluation, _ in instances]
    scores, totals = _results(engine, counts)
    for k, measure in enumerate(text_measures(options, engine)):
        if measure.column == "w" and any(
            (evaluation[:, k, REFERENCE] == 0).any() for evaluation in counts
        ):
            raise StopError("Illegal division by zero: ROUGE-W of a model without words")
        if "v" in options:
            places = {id(evaluation): i for i, (evaluation, _) in enumerate(instances)}
            for evaluation in evaluations:
                # ROUGE-N names every evaluation, also one that the peer is not part of.
                yield f"@Eval ({evaluation.id})\n" if measure.column.startswith("n") else ""
                if id(evaluation) in places:
                    row = (places[id(evaluation)], k)
                    yield trace_words(
                        options, engine.options, measure, evaluation, peer, scores[row], totals[row]
                    )
        yield section(options, peer, measure.name, keys, scores[:, k], totals[:, k])
    if "3" in options:
        engine = element_engine(options)
        scores, totals = _results(engine, count_elements(options, engine, instances))
        if "v" in options:
            for i, (evaluation, _) in enumerate(instances):
                yield trace_elements(options, evaluation, peer, scores[i, 0], totals[i, 0])
        name = f"ROUGE-BE-{options.text('3')}"
        yield section(options, peer, name, keys, scores[:, 0], totals[:, 0])


def _results(engine: RougeScorer, counts: list[Floats]) -> tuple[Floats, Floats]:
    """Scores and combined counts of each instance; 0 where there are no models."""
    sizes = np.array([len(rows) for rows in counts], dtype=np.int64)
    scores = np.zeros((len(counts), len(engine.options.measures), 3))
    totals = np.zeros_like(scores)
    if sizes.any():
        starts = (np.cumsum(sizes) - sizes)[sizes > 0]
        together = np.concatenate(counts)
        scores[sizes > 0] = engine.score(together, starts)
        totals[sizes > 0] = engine.combine(together, starts)
    return scores, totals
