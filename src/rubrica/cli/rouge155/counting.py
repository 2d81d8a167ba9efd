"""Counts of every peer against its models, for all measures that the options ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rubrica.cli.rouge155.files import read_elements, read_units
from rubrica.cli.rouge155.options import Options, StopError
from rubrica.cli.rouge155.settings import Evaluation
from rubrica.core.python.rouge import count_texts
from rubrica.core.python.rouge_text import Text, reader
from rubrica.core.rouge_options import RougeOptions
from rubrica.metrics.rouge.profiles import PROFILES
from rubrica.metrics.rouge.scorer import Floats, RougeScorer

Instance = tuple[Evaluation, str]


@dataclass(frozen=True, slots=True)
class Measure:
    """One section of the output: its name, and its column in the counts."""

    name: str
    column: str


def text_engine(options: Options) -> RougeScorer:
    """The engine for all measures of words."""
    gap = options.number("2")
    gaps = () if "2" not in options else (None if gap < 0 else int(gap),)
    also_pairs = "u" not in options
    return _engine(
        options,
        RougeOptions(
            stemmer="porter-rouge" if "m" in options else "none",
            stopwords="s" in options,
            max_words=max(0, int(options.number("l"))) or None,
            max_bytes=max(0, int(options.number("b"))) or None,
            ngrams=tuple(range(1, int(options.number("n")) + 1)),
            lcs_union="x" not in options and "3" not in options,
            wlcs_weight=options.number("w") if "w" in options else None,
            skip_gaps=gaps if also_pairs else (),
            skip_unigram_gaps=gaps if "u" in options or "U" in options else (),
        ),
    )


def element_engine(options: Options) -> RougeScorer:
    """The engine for basic elements: clipped counts of items."""
    return _engine(options, RougeOptions(tokenizer="given", ngrams=(1,)))


def _engine(options: Options, choices: RougeOptions) -> RougeScorer:
    profile = replace(PROFILES["rouge-1.5.5"], scale=1.0)
    best = options.text("f") == "B"
    return RougeScorer(
        profile=profile,
        options=choices,
        combination=profile.combine["max" if best else "average"],
        alpha=options.number("p", 0.5),
    )


def text_measures(options: Options, engine: RougeScorer) -> list[Measure]:
    """The sections in the official order; weight and gap are named as they were typed."""
    gap = "*" if options.number("2") < 0 else options.text("2")
    names = {"lsum": "L", "w": f"W-{options.text('w')}"}
    measures = []
    for column in engine.options.measures:
        if column.startswith("s"):
            name = ("SU" if column.startswith("su") else "S") + gap
        else:
            name = names.get(column, column.removeprefix("n"))
        measures.append(Measure(f"ROUGE-{name}", column))
    return measures


def count_words(
    options: Options, engine: RougeScorer, instances: Sequence[Instance]
) -> list[Floats]:
    """For each instance an array [model, measure, 3]."""
    if not engine.options.measures:
        return [np.zeros((0, 0, 3)) for _ in instances]
    models, peers, pairs = _pair(instances)
    _find_all(models)
    summaries = [read_limited(path, evaluation, options) for evaluation, path in peers]
    references = [read_limited(path, evaluation, options) for evaluation, path in models]
    if "M" in options:
        counts = _count_models_stemmed(engine.options, summaries, references, pairs)
    else:
        counts = engine.count(summaries, references, pairs)
    return _by_instance(counts, instances)


def count_elements(
    options: Options, engine: RougeScorer, instances: Sequence[Instance]
) -> list[Floats]:
    """For each instance an array [model, 1, 3]."""
    mode, stem_models = options.text("3"), "m" in options or "M" in options
    models, peers, pairs = _pair(instances)
    _find_all(models)
    summaries = [
        [read_elements(path, evaluation.kind, mode, stem="m" in options)]
        for evaluation, path in peers
    ]
    references = [
        [read_elements(path, evaluation.kind, mode, stem=stem_models)]
        for evaluation, path in models
    ]
    return _by_instance(engine.count(summaries, references, pairs), instances)


Files = list[tuple[Evaluation, str]]


def _pair(instances: Sequence[Instance]) -> tuple[Files, Files, NDArray[np.int64]]:
    """Model files, each once, peer files, and the pairs of (peer, model)."""
    models: dict[tuple[str, str, bool], int] = {}
    model_files: Files = []
    pairs = []
    for number, (evaluation, _) in enumerate(instances):
        for path in evaluation.models():
            key = (path, evaluation.kind, evaluation.cut_at_angle)
            if key not in models:
                models[key] = len(model_files)
                model_files.append((evaluation, path))
            pairs.append((number, models[key]))
    peers = [(evaluation, evaluation.peer(peer_id)) for evaluation, peer_id in instances]
    return model_files, peers, np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _find_all(models: Files) -> None:
    for _, path in models:
        if not Path(path.strip()).exists():
            raise StopError(f"Cannot find model summary: {path}", 2)


def _by_instance(counts: Floats, instances: Sequence[Instance]) -> list[Floats]:
    ends = np.cumsum([len(evaluation.model_ids) for evaluation, _ in instances])
    return np.split(counts, ends[:-1]) if instances else []


def read_limited(path: str, evaluation: Evaluation, options: Options) -> list[str]:
    """The units of a file; limits that are not negative are left to the kernel."""
    units = read_units(path, evaluation.kind)
    if evaluation.cut_at_angle:
        units = [unit.split("<")[0] for unit in units]
    # A negative limit: no words at all, or the first unit without its last bytes. So Perl.
    if options.number("l") < 0:
        return []
    if options.number("b") < 0:
        return [unit[: int(options.number("b"))] for unit in units[:1]]
    return units


def _count_models_stemmed(
    options: RougeOptions,
    summaries: Sequence[object],
    references: Sequence[object],
    pairs: NDArray[np.int64],
) -> Floats:
    """The undocumented -M: models alone are stemmed, but not for ROUGE-N, and in ROUGE-W only where
    words are counted to clip the hits.
    """
    plain, stem = (reader(replace(options, stemmer=kind)) for kind in ("none", "porter-rouge"))
    peers, models = [*map(plain, summaries)], [*map(plain, references)]
    stemmed = [*map(stem, references)]
    clipped = [Text(s.whole, m.units) for s, m in zip(stemmed, models, strict=True)]
    out = count_texts(options, peers, stemmed, pairs)
    for first, others in (("n", models), ("w", clipped)):
        columns = [k for k, name in enumerate(options.measures) if name.startswith(first)]
        out[:, columns] = count_texts(options, peers, others, pairs)[:, columns]
    return out
