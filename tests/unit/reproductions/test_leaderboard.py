"""The leaderboard: entries with intervals and clusters, the same bytes twice, and every format."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.data.table import ScoreTable
from rubrica.datasets.released import JudgedTexts
from rubrica.errors import DataError
from rubrica.reproductions import leaderboard, load_recipe
from rubrica.reproductions.board_pages import render_board
from rubrica.reproductions.leaderboard import (
    BoardSpec,
    Leaderboard,
    benchmark_entries,
    build_leaderboard,
    load_board,
)
from rubrica.reproductions.recipe import Recipe

SMALL = """
coefficient = "kendall"
rounds = 50
seed = 1

[[benchmarks]]
name = "stand-in"
recipe = "moverscore-tac2009"
input = "tac"
humans = ["responsiveness"]
language = "en"

[[metrics]]
config = { type = "rouge", max_ngram = 1 }
measures = ["rouge-1.f1", "rouge-1.recall"]
needs = "references"
cost = "lexical"
"""


def scores() -> ScoreTable:
    """Return six systems on twenty inputs: one measure is people's score, the other its opposite."""
    people = np.random.default_rng(1).normal(size=(6, 20)) + np.arange(6)[:, None]
    values = np.stack([people, -people, people], axis=2)
    systems, inputs = [f"s{n}" for n in range(6)], [f"d{n}" for n in range(20)]
    measures = ["rouge-1.f1", "rouge-1.recall", "responsiveness"]
    return ScoreTable.from_array(values, systems=systems, inputs=inputs, measures=measures)


def small_board() -> Leaderboard:
    spec = load_board(SMALL)
    entries, signatures = benchmark_entries(spec.benchmarks[0], spec, scores())
    return Leaderboard(
        title="T", version="0", coefficient="kendall", entries=entries, signatures=signatures
    )


def test_the_measure_that_agrees_with_people_comes_first() -> None:
    board = small_board()
    for level in ("system", "summary"):
        best, worst = [entry for entry in board.entries if entry.level == level]
        assert (best.measure, best.value) == ("rouge-1.f1", 1.0)
        assert (worst.measure, worst.value) == ("rouge-1.recall", -1.0)
        assert best.cluster == 1
        assert best.signature.startswith("rouge|")
        assert f"stand-in, responsiveness, {level}" in board.signatures


def test_the_same_scores_give_the_same_bytes() -> None:
    for output in ("json", "markdown", "html"):
        assert render_board(small_board(), output) == render_board(small_board(), output)


def test_every_format_has_the_measures() -> None:
    board = small_board()
    for output in ("text", "json", "markdown", "html"):
        assert b"rouge-1.recall" in render_board(board, output)
    assert msgspec.json.decode(render_board(board, "json"), type=Leaderboard) == board


def test_a_board_is_built_from_the_files_of_a_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = {
        "references": [{"text": ["a b c d .", "e ."]}],
        "annotations": [
            {"text": text, "summ_id": name, "responsiveness": score, "pyr_score": score}
            for name, text, score in (
                ("1", ["a b c d .", "e ."], 3.0),
                ("2", ["a b x y .", "e ."], 2.0),
                ("3", ["q r x y .", "e ."], 1.0),
                ("4", ["a b c y .", "e ."], 2.5),
            )
        ],
    }
    data = json.dumps({"D1": topic, "D2": topic}).encode()

    def stand_in(name: str) -> Recipe:
        recipe = load_recipe(name)
        digest = hashlib.sha256(data).hexdigest()
        files = [msgspec.structs.replace(file, sha256=digest) for file in recipe.files]
        return msgspec.structs.replace(recipe, files=files)

    monkeypatch.setattr(leaderboard, "load_recipe", stand_in)
    recipe = stand_in("moverscore-tac2009")
    path = tmp_path / recipe.source.folder / recipe.files[0].name
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    board = build_leaderboard(load_board(SMALL), tmp_path)
    values = {(e.level, e.measure): e.value for e in board.entries}
    assert values["system", "rouge-1.recall"] == 1.0
    assert values["summary", "rouge-1.recall"] == 1.0


def test_a_metric_takes_part_where_its_need_and_its_language_are_met() -> None:
    spec = load_board(
        SMALL
        + """
        [[metrics]]
        config = { type = "simetrix" }
        measures = ["smoothedJSD"]
        needs = "documents"
        cost = "lexical"
        lower_is_better = true
        languages = ["en"]
        """
    )
    fields = Fields({"summary": "a", "references": ["a"]})
    bare = JudgedTexts([EvalInstance("d", "s", "peer", fields)], [])
    full = JudgedTexts([EvalInstance("d", "s", "peer", Fields({**fields, "documents": ["a"]}))], [])
    english = spec.benchmarks[0]
    basque = msgspec.structs.replace(english, language="eu")
    rouge, simetrix = spec.metrics
    cases = [(rouge, basque, bare), (simetrix, english, full)]
    assert all(leaderboard.is_suitable(*case) for case in cases)
    cases = [(simetrix, english, bare), (simetrix, basque, full)]
    assert not any(leaderboard.is_suitable(*case) for case in cases)


def test_a_measure_whose_lower_values_are_better_is_ranked_with_its_sign_reversed() -> None:
    spec = load_board(SMALL.replace('cost = "lexical"', 'cost = "lexical"\nlower_is_better = true'))
    entries, _ = benchmark_entries(spec.benchmarks[0], spec, scores())
    assert [(e.measure, e.value) for e in entries[:2]] == [
        ("rouge-1.recall", 1.0),
        ("rouge-1.f1", -1.0),
    ]


def test_a_model_is_shown_beside_its_measures() -> None:
    spec = load_board(SMALL.replace('cost = "lexical"', 'cost = "neural"\nmodel = "MiniLM"'))
    entries, _ = benchmark_entries(spec.benchmarks[0], spec, scores())
    assert entries[0].measure == "rouge-1.f1 (MiniLM)"


def test_the_list_names_inputs_of_recipes_that_have_texts() -> None:
    spec: BoardSpec = load_board()
    for benchmark in spec.benchmarks:
        source = load_recipe(benchmark.recipe).inputs[benchmark.input]
        assert source.reader in ("dataset", "text-pickle", "topics")
    measures = [measure for metric in spec.metrics for measure in metric.measures]
    tests = len(measures) * (len(measures) - 1)
    assert tests / (spec.rounds + 1) < 0.05, "Holm's correction could reach no significance"


def test_a_wrong_list_is_refused() -> None:
    with pytest.raises(DataError, match="not a list of benchmarks"):
        load_board(SMALL.replace("seed", "sead"))
