"""Writes the values of py-rouge and torchmetrics that rouge_check.py compares with.

Run in an environment of its own, because py-rouge hides the package `rouge`:
    pip install "setuptools<80" nltk py-rouge torch torchmetrics
    python tests/differential/record_rouge_packages.py
Both packages want NLTK's "punkt" model. No sentence is cut by it here: py-rouge's tokenizer is told
to keep the line, and torchmetrics cuts at newlines, as the profile does.
"""

from __future__ import annotations

import gzip
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nltk
import rouge
from torchmetrics.functional.text import rouge as torch_rouge

HERE = Path(__file__).parent
GOLDENS = HERE.parent / "golden" / "rouge" / "rouge155.jsonl.gz"


def main() -> None:
    word_tokenize = nltk.word_tokenize
    nltk.word_tokenize = lambda text, language="english": word_tokenize(text, preserve_line=True)
    torch_rouge._split_sentence = lambda x: x.split("\n")
    with gzip.open(GOLDENS, "rt", encoding="utf-8") as lines:
        rows = {row["case"]: row for row in map(json.loads, lines)}
    cases = [(name, row["hyp"], row["refs"]) for name, row in rows.items()]
    record("py-rouge", [py_rouge(*case) for case in cases])
    record("torchmetrics", [torchmetrics(*case) for case in cases])


def py_rouge(case: str, summary: str, references: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"case": case}
    for function in ("average", "max"):
        for stem in (True, False):
            for limit, kind in ((665, "bytes"), (10, "words"), (60, "bytes")):
                scorer = rouge.Rouge(
                    ["rouge-n", "rouge-l", "rouge-w"],
                    max_n=4,
                    length_limit=limit,
                    length_limit_type=kind,
                    apply_avg=function == "average",
                    apply_best=function == "max",
                    stemming=stem,
                    weight_factor=1.2,
                )
                key = f"{function} {'stem' if stem else 'plain'} {limit} {kind}"
                try:
                    scores = scorer.get_scores([summary], [references])
                except ZeroDivisionError:
                    # It divides by an empty reference's count when it looks for the best.
                    continue
                found[key] = {k: [s["r"], s["p"], s["f"]] for k, s in sorted(scores.items())}
    return found


def torchmetrics(case: str, summary: str, references: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"case": case}
    names = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    for accumulate in ("best", "avg"):
        for stem in (True, False):
            scores = torch_rouge.rouge_score(
                [summary], [references], accumulate, use_stemmer=stem, rouge_keys=names
            )
            found[f"{accumulate} {'stem' if stem else 'plain'}"] = {
                name: [float(scores[f"{name}_{p}"]) for p in ("recall", "precision", "fmeasure")]
                for name in names
            }
    return found


def record(package: str, rows: list[dict[str, Any]]) -> None:
    header = {"package": package, "version": version(package), "nltk": version("nltk")}
    lines = [json.dumps(row) + "\n" for row in (header, *rows)]
    packed = gzip.compress("".join(lines).encode(), 9, mtime=0)
    (HERE / f"recorded_{package}.jsonl.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
