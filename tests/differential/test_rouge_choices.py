"""The rows of choices that `explain` walks through give the numbers of the profiles they are named after."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from rubrica.errors import RubricaWarning
from rubrica.metrics import Rouge
from rubrica.metrics.rouge.presets import PRESETS, choices_of, has_measure
from rubrica.metrics.rouge.scored_choices import PARTS, scored
from support import rouge_check

OFFICIAL = {"profile": "rouge-1.5.5"}
# preset -> the profile's parameters
SAME: dict[str, dict[str, Any]] = {
    "rubrica": {},
    "rubrica,words=9,references=best-recall": {"max_words": 9, "scoring_function": "max"},
    "rouge-1.5.5": OFFICIAL,
    "rouge-1.5.5,stopwords=yes": {**OFFICIAL, "remove_stopwords": True},
    "rouge-1.5.5,exceptions=none": {**OFFICIAL, "exceptions": "empty"},
    "rouge-1.5.5,references=best-recall": {**OFFICIAL, "scoring_function": "max"},
    "rouge-1.5.5,words=7": {**OFFICIAL, "max_words": 7},
    "rouge-1.5.5,bytes=40": {**OFFICIAL, "max_bytes": 40},
    "pyrouge": {**OFFICIAL, "use_porter_stemmer": False},
    "rouge-score,fallback=characters": {"profile": "rouge-score", "fallback": "characters"},
    "rouge-score": {"profile": "rouge-score"},
    "rouge-score,stemmer=porter-nltk": {"profile": "rouge-score", "use_porter_stemmer": True},
    "torchmetrics": {"profile": "torchmetrics"},
    "torchmetrics,references=mean": {"profile": "torchmetrics", "scoring_function": "average"},
    "rouge": {"profile": "rouge"},
    "rouge-nonexclusive": {"profile": "rouge-nonexclusive"},
    "rouge-metric": {"profile": "rouge-metric"},
    "py-rouge": {"profile": "py-rouge"},
    "py-rouge,limit=0,references=best-recall": {
        "profile": "py-rouge", "max_bytes": 0, "scoring_function": "max",
    },
    "python-rouge": {"profile": "python-rouge"},
    "unicode": {"profile": "unicode"},
    "character": {"profile": "character"},
}  # fmt: skip


def measured(preset: str) -> dict[str, Rouge]:
    """Each measure with the metric that gives it; W alone, for py-rouge's bends ROUGE-L."""
    plain = Rouge(2, compute_rouge_l=True, **SAME[preset])
    made = dict.fromkeys(("rouge-1", "rouge-2", "rouge-l"), plain)
    if has_measure(preset, "rouge-w-1.2"):
        made["rouge-w-1.2"] = Rouge(0, wlcs_weight=1.2, **SAME[preset])
    if has_measure(preset, "rouge-su4"):
        made["rouge-su4"] = Rouge(0, skip_bigram_gap_length=4, **SAME[preset])
        made["rouge-s*"] = Rouge(0, skip_bigram_gap_length=-1, skip_unigrams=False, **SAME[preset])
    return made


@pytest.mark.parametrize("preset", SAME)
def test_choices_give_the_profiles_numbers(preset: str) -> None:
    cases = [case for case in rouge_check.cases().values() if case[1]][:200]
    summaries, references = [s for s, _ in cases], [refs for _, refs in cases]
    for measure, metric in measured(preset).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RubricaWarning)
            system, expected = metric.evaluate(summaries, references)
        scale = metric.engine.profile.scale
        found = scored(summaries, references, choices_of(preset), measure)
        wanted = np.array([[row[measure][part] for part in PARTS] for row in expected]) / scale
        assert np.abs(found.scores - wanted).max() < 1e-12, measure
        for part in PARTS:
            assert found.system()[part] == pytest.approx(system[measure][part] / scale, abs=1e-9)


def test_choices_share_py_rouges_odd_counts() -> None:
    for measure, summary, references in (
        ("rouge-2", "rain fell", ["rain fell", ""]),
        ("rouge-3", "the old ferry sailed", ["old ferry sailed", "rain", "snow"]),
        ("rouge-w-1", "far far", ["far\nfar far"]),
    ):
        expected = Rouge(3, profile="py-rouge", wlcs_weight=1.0).score(summary, references)
        found = scored([summary], [references], PRESETS["py-rouge"], measure)
        assert found.scores[0].tolist() == [expected[measure][part] for part in PARTS]


def test_every_preset_is_compared() -> None:
    compared = {name.partition(",")[0] for name in SAME}
    # files2rouge is the Perl after a cut of its own, evaluate is rouge-score with a median.
    assert set(PRESETS) == compared | {"files2rouge", "evaluate"}


def test_files2rouge_cuts_at_its_end_of_sentence_and_then_calls_the_perl() -> None:
    summary, reference = "it was late . the ferry left .", "the ferry left . it was late ."
    for measure in ("rouge-1", "rouge-l"):
        found = scored([summary], [[reference]], PRESETS["files2rouge"], measure)
        lines = [text.replace(" . ", " .\n") for text in (summary, reference)]
        expected = Rouge(1, compute_rouge_l=True, use_porter_stemmer=False).score(
            lines[0], lines[1:]
        )
        assert found.scores[0, 2] * 100 == pytest.approx(expected[measure]["f1"])
