"""Who takes part in bench_rouge.py: our interfaces, and every rival that installs beside them.

A contender takes (references, summaries) and scores them pair by pair; None where it is not installed.
"""

from __future__ import annotations

import atexit
import importlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from rubrica.core import kernels
from rubrica.core.rouge_options import RougeOptions
from rubrica.metrics import Rouge
from support import perl_rouge

Floats = np.ndarray[Any, np.dtype[np.float64]]
Run = Callable[[Sequence[str], Sequence[str]], Any]  # (references, summaries)


def options(lsum: bool) -> RougeOptions:
    return RougeOptions(
        tokenizer="lower",
        stemmer="porter-nltk",
        newline_units=True,
        ngrams=(1, 2),
        lcs=True,
        lcs_union=lsum,
    )


def scores_of(counts: Floats) -> Floats:
    """Precision, recall and F as rouge-score divides: [pair, measure, 3]."""
    hits = counts[..., 0]
    precision = hits / np.maximum(counts[..., 2], 1)
    recall = hits / np.maximum(counts[..., 1], 1)
    total = precision + recall
    f = 2 * precision * recall / np.where(total > 0, total, 1)
    return np.stack([precision, recall, f], axis=-1)


def kernel(lsum: bool, threads: int = 1) -> Run:
    chosen = options(lsum)
    return lambda references, summaries: scores_of(
        kernels.rouge_counts(chosen, summaries, references, threads=threads)
    )


def metric(lsum: bool) -> Rouge:
    return Rouge(
        profile="rouge-score",
        max_ngram=2,
        compute_rouge_l=True,
        compute_rouge_lsum=lsum,
        use_porter_stemmer=True,
    )


def columns(made: Rouge) -> Run:
    return lambda refs, sums: made.score_columns(sums, [[r] for r in refs])


def dicts(made: Rouge) -> Run:
    return lambda refs, sums: made.score_multi_all([[s] for s in sums], [[r] for r in refs])


def types(lsum: bool) -> list[str]:
    return ["rouge1", "rouge2", "rougeL"] + ["rougeLsum"] * lsum


def scorer(module: str, lsum: bool) -> Run | None:
    """rouge-score and the packages that copy its interface."""
    try:
        made = importlib.import_module(module).RougeScorer(types(lsum), use_stemmer=True)
    except ImportError:
        return None
    if hasattr(made, "score_batch"):
        return lambda refs, sums: made.score_batch(list(refs), list(sums))
    return lambda refs, sums: [made.score(r, s) for r, s in zip(refs, sums, strict=True)]


def rouge_rust() -> Run | None:
    try:
        flat = importlib.import_module("fast_rouge").score_batch_flat
    except ImportError:
        return None
    return lambda refs, sums: flat(list(refs), list(sums))


def pltrdy() -> Run | None:
    try:
        made = importlib.import_module("rouge").Rouge()
    except ImportError:
        return None
    return lambda refs, sums: made.get_scores(list(sums), list(refs))


def rouge_metric() -> Run | None:
    try:
        made = importlib.import_module("rouge_metric").PyRouge(
            rouge_n=(1, 2), rouge_l=True, rouge_w=False, rouge_s=False, rouge_su=False
        )
    except ImportError:
        return None
    return lambda refs, sums: made.evaluate(list(sums), [[r] for r in refs])


def perl() -> Run | None:
    """The official script: files are written, then one process reads them all."""
    if perl_rouge.why_not():
        return None
    home = Path(tempfile.mkdtemp(), "perl")
    atexit.register(shutil.rmtree, home.parent)
    command = [*perl_rouge.official_rouge(home), "-n", "2", "-m"]

    def run(references: Sequence[str], summaries: Sequence[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for number, pair in enumerate(zip(summaries, references, strict=True)):
                names = [f"{folder}/p{number}", f"{folder}/m{number}"]
                for name, text in zip(names, pair, strict=True):
                    Path(name).write_text(text + "\n", encoding="utf-8")
                lines.append(" ".join(names))
            Path(folder, "list").write_text("\n".join(lines) + "\n")
            words = [*command, "-r", "1", "-z", "SPL", f"{folder}/list"]
            subprocess.run(words, check=True, capture_output=True)

    return run


def contenders(lsum: bool) -> dict[str, Run]:
    made = metric(lsum)
    found = {
        "rubrica counts, P, R, F": kernel(lsum),
        "rubrica score_columns": columns(made),
        "rubrica list of dicts": dicts(made),
        "rouge-score-rs": scorer("rouge_score_rs.rouge_scorer", lsum),
        "rouge-score": scorer("rouge_score.rouge_scorer", lsum),
        "rapidrouge": scorer("rapidrouge.rouge_scorer", lsum),
    }
    if lsum:
        # These compute ROUGE-1, 2 and the summary-level L.
        official = Rouge(max_ngram=2, compute_rouge_l=True)
        found["rubrica rouge-1.5.5 columns"] = columns(official)
        found["ROUGE-1.5.5.pl"] = perl()
        found["rouge-metric (no stemming)"] = rouge_metric()
    else:
        # Not the same numbers; shown for scale.
        found["rouge-rust (no stemming)"] = rouge_rust()
        found["rouge (pltrdy; no stemming, sets)"] = pltrdy()
    return {name: run for name, run in found.items() if run is not None}


def single_calls() -> dict[str, Run]:
    """`score` called once per pair."""
    made = metric(False)
    theirs = importlib.import_module("rouge_score_rs.rouge_scorer").RougeScorer(
        types(False), use_stemmer=True
    )
    return {
        "rubrica": lambda refs, sums: [made.score(s, [r]) for r, s in zip(refs, sums, strict=True)],
        "rouge-score-rs": lambda refs, sums: [
            theirs.score(r, s) for r, s in zip(refs, sums, strict=True)
        ],
    }
