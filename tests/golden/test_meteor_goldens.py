"""METEOR equals meteor-1.5.jar: tokens, alignments, scores of segments and of corpora.

`meteor.jsonl` are written texts; its paraphrase column was made with METEOR's own table, which is not
ours to ship, so here it is only checked where that file is given. `meteor_random.json.gz` has random
texts with a small table of our own, in all of the jar's settings that the metric offers.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.core import kernels
from rubrica.metrics.meteor.metric import Meteor
from rubrica.metrics.meteor.paraphrases import load_paraphrases
from rubrica.metrics.meteor.score import TASKS, score
from rubrica.metrics.meteor.tokens import tokens
from rubrica.metrics.meteor.words import texts_of

HERE = Path(__file__).parent / "metrics"
ROWS = [json.loads(line) for line in (HERE / "meteor.jsonl").read_text("utf-8").splitlines()]
SYSTEM = ROWS.pop()
RANDOM = json.loads(gzip.decompress((HERE / "meteor_random.json.gz").read_bytes()))
OFFICIAL_TABLE = os.environ.get("RUBRICA_METEOR_PARAPHRASES")
MODULES = ["exact", "exact stem", "exact stem synonym", "exact stem synonym paraphrase"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    if not OFFICIAL_TABLE:
        monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path_factory.mktemp("data")))


def test_tokens_are_those_of_the_jar() -> None:
    assert len(ROWS) == 156
    for row in ROWS:
        for side in ("summary", "reference"):
            assert tokens(row[side]) == row[f"tokens_{side}"], row["id"]


@pytest.mark.parametrize("modules", MODULES)
def test_scores_are_those_of_the_jar(modules: str) -> None:
    table = None
    if modules == MODULES[3]:
        if not OFFICIAL_TABLE:
            pytest.skip("set RUBRICA_METEOR_PARAPHRASES to paraphrase-en.gz of METEOR 1.5")
        table = load_paraphrases(OFFICIAL_TABLE)
    texts = texts_of(
        [row[f"tokens_{side}"] for row in ROWS for side in ("summary", "reference")],
        synonyms=True,
        phrase_words=table.words if table else None,
    )
    pairs = np.arange(2 * len(ROWS), dtype=np.int64).reshape(-1, 2)
    counts = kernels.meteor_statistics(
        texts, pairs, MODULES.index(modules) + 1, table.table if table else None
    )
    for row, counted in zip(ROWS, counts.tolist(), strict=True):
        found, expected = score(counted, TASKS["rank"]), row["expected"][modules]
        # The jar divides by zero for an empty reference; here that recall is 0.
        recall = expected["recall"] or 0.0
        assert found.precision == pytest.approx(expected["precision"], abs=1e-12), row["id"]
        assert found.recall == pytest.approx(recall, abs=1e-12), row["id"]
        assert found.penalty == pytest.approx(expected["frag_penalty"], abs=1e-12), row["id"]
        assert found.meteor == pytest.approx(expected["score"], abs=1e-12), row["id"]
    final = score(counts.sum(axis=0).tolist(), TASKS["rank"]).meteor
    assert final == pytest.approx(SYSTEM["expected_final"][modules], abs=1e-12)


@pytest.mark.parametrize("modules", MODULES[:3])
def test_the_metric_gives_the_same(modules: Any) -> None:
    macro, rows = Meteor(modules=modules).evaluate(
        [row["summary"] for row in ROWS], [[row["reference"]] for row in ROWS]
    )
    for row, found in zip(ROWS, rows, strict=True):
        assert found["METEOR"] == pytest.approx(row["expected"][modules]["score"], abs=1e-12)
    assert macro["METEOR"] == pytest.approx(SYSTEM["expected_final"][modules], abs=1e-12)


def with_table(parameters: dict[str, Any]) -> Meteor:
    table = parameters.get("paraphrases") and str(HERE / "meteor_paraphrases.txt")
    return Meteor(**{**parameters, "paraphrases": table or None})


@pytest.mark.parametrize("run", RANDOM["runs"], ids=lambda run: str(run["parameters"]))
def test_random_texts_score_as_in_the_jar(run: dict[str, Any]) -> None:
    # The plain aligner takes some seconds for all.
    count = len(RANDOM["pairs"]) if kernels.IMPLEMENTATION == "native" else 60
    pairs = RANDOM["pairs"][:count]
    macro, rows = with_table(run["parameters"]).evaluate(
        [summary for summary, _ in pairs], [[other] for _, other in pairs]
    )
    for pair, found, expected in zip(pairs, rows, run["scores"][:count], strict=True):
        assert found["METEOR"] == pytest.approx(expected, abs=1e-12), pair
    if count == len(run["scores"]):
        assert macro["METEOR"] == pytest.approx(run["final"], abs=1e-12)


def test_the_best_of_two_references_is_that_of_the_jar() -> None:
    case = RANDOM["best_of_two"]
    metric = with_table({"paraphrases": True, "multi_reference": "best"})
    macro, rows = metric.evaluate(case["summaries"], case["references"])
    assert [row["METEOR"] for row in rows] == pytest.approx(case["scores"], abs=1e-12)
    assert macro["METEOR"] == pytest.approx(case["final"], abs=1e-12)


def test_odd_characters_are_tokens_as_in_the_jar() -> None:
    """Quotes, dashes, dots, abbreviations, other scripts and blanks, in any order."""
    cases = RANDOM["odd_characters"]
    rows = Meteor().score_all([one for one, _, _ in cases], [[other] for _, other, _ in cases])
    for found, (summary, reference, expected) in zip(rows, cases, strict=True):
        assert found["METEOR"] == pytest.approx(expected, abs=1e-12), (summary, reference)
