"""The metric bertscore around its arithmetic: batches, baselines, idf, models that are not there."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import DataError, MissingResourceError, ParameterError
from rubrica.metrics import Metric
from rubrica.metrics.bertscore.baseline import random_pairs, read_baseline
from rubrica.metrics.bertscore.defaults import default_model, layer_of
from rubrica.scoring import evaluate
from support.tiny_models import checkpoint, corpus, needs_torch

KEYS = ("precision", "recall", "f1")


def make(**parameters: Any) -> Any:
    config = {"type": "bertscore", "model_type": checkpoint("encoder"), "num_layers": 2}
    return Metric.from_config({**config, "cache_dir": "off", "device": "cpu", **parameters})


@needs_torch
def test_scores_do_not_depend_on_batches() -> None:
    texts = corpus()[:24]
    together = make(batch_tokens=5000).score_all(texts[:12], [[one] for one in texts[12:]])
    for at, row in enumerate(together):
        alone = make(batch_tokens=1).score(texts[at], [texts[12 + at]])
        assert alone.approx_equal(row, rel=0, abs=1e-6)


@needs_torch
def test_idf_is_that_of_the_run_however_rows_are_batched() -> None:
    texts = corpus()[:12]
    instances = [
        EvalInstance(str(at), "sys", "peer", Fields(summary=text, references=[texts[-1 - at]]))
        for at, text in enumerate(texts)
    ]
    scored = [
        evaluate(instances, [make(idf=True)], batch_size=size, workers=1)[1] for size in (2, 1000)
    ]
    for one, two in zip(*scored, strict=True):
        assert one.metrics.approx_equal(two.metrics, rel=0, abs=1e-6)
    plain = evaluate(instances, [make()], workers=1)[1]
    assert any(
        not a.metrics.approx_equal(b.metrics, abs=1e-4)
        for a, b in zip(plain, scored[0], strict=True)
    )


@needs_torch
@pytest.mark.parametrize("idf", [False, True])
def test_an_empty_side_scores_nothing(idf: bool) -> None:
    metric = make(idf=idf)
    for summary, reference in (("", "A text."), ("A text.", " "), ("", "")):
        assert list(metric.score(summary, [reference])["bertscore"].values()) == [0, 0, 0]


@needs_torch
def test_rescaling_uses_the_rows_of_the_layer(tmp_path: Path) -> None:
    table = tmp_path / "baseline.tsv"
    table.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n2,0.25,0.5,0.4\n", "utf-8")
    texts = corpus()[:2]
    plain = make().score(texts[0], [texts[1]])["bertscore"]
    made = make(rescale_with_baseline=True, baseline_path=str(table)).score(texts[0], [texts[1]])
    for key, base in zip(KEYS, (0.25, 0.5, 0.4), strict=True):
        assert made["bertscore"][key] == pytest.approx((plain[key] - base) / (1 - base))


@needs_torch
def test_a_baseline_that_is_not_there_is_told() -> None:
    with pytest.raises(MissingResourceError, match="make-baseline"):
        make(rescale_with_baseline=True).score("A text.", ["Another."])


def test_the_shipped_baseline_has_every_layer() -> None:
    from rubrica.metrics.bertscore.baseline import find_baseline

    for layer in range(7):
        made = find_baseline("all-MiniLM-L6-v2", layer, lang="en", path=None)
        assert 0 < made.precision < 0.9
        assert made.precision == pytest.approx(made.recall, abs=0.02)


@pytest.mark.parametrize("line", ["x,1,2,3", "2,0.5,0.5", "2,1.0,0.5,0.5"])
def test_a_bad_row_of_a_baseline_is_told(tmp_path: Path, line: str) -> None:
    table = tmp_path / "bad.tsv"
    table.write_text(f"LAYER,P,R,F\n{line}\n", "utf-8")
    with pytest.raises(DataError, match=r"bad.tsv:2: not a row"):
        read_baseline(table, 2)
    table.write_text("LAYER,P,R,F\n1,.1,.1,.1\n", "utf-8")
    with pytest.raises(DataError, match="no row for layer 2"):
        read_baseline(table, 2)


def test_random_pairs_are_of_different_texts_and_repeat() -> None:
    texts = ["a", "b", "b", " ", "c"]
    left, right = random_pairs(texts, 50, 1)
    assert all(one != two for one, two in zip(left, right, strict=True))
    assert random_pairs(texts, 50, 1) == (left, right)
    with pytest.raises(ParameterError, match="two different texts"):
        random_pairs(["a", "a"], 3, 1)


def test_models_and_layers_are_the_originals_where_a_language_is_named() -> None:
    assert default_model(None) == "all-MiniLM-L6-v2"
    assert (default_model("en"), layer_of("roberta-large")) == ("roberta-large", 17)
    assert default_model("zh") == "bert-base-chinese"
    assert default_model("sw") == "bert-base-multilingual-cased"
    assert layer_of("models/bert-base-uncased/") == 9
    with pytest.raises(ParameterError, match="set num_layers"):
        layer_of("own-model")


def test_a_model_that_is_not_here_is_told_with_the_command(
    monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))
    metric = Metric.from_config({"type": "bertscore", "lang": "en"})
    with pytest.raises(
        MissingResourceError, match="rubrica setup-metric bertscore --model roberta-large"
    ):
        metric.score("A text.", ["Another."])


@needs_torch
def test_a_model_in_the_hugging_face_cache_is_found(monkeypatch: Any, tmp_path: Path) -> None:
    import shutil

    repository = tmp_path / "models--own--encoder"
    shutil.copytree(checkpoint("encoder"), repository / "snapshots" / "abc")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    metric = make(model_type="own/encoder")
    assert metric.score("A text.", ["A text."]) == make().score("A text.", ["A text."])
    assert "model_type:own/encoder|" in str(metric.signature())


@needs_torch
def test_a_folders_place_is_not_in_the_signature() -> None:
    line = str(make().signature())
    assert "|model_type:tiny-encoder|" in line.replace("bertscore", "")
    assert str(Path(checkpoint("encoder")).parent) not in line
    assert str(make(batch_tokens=7, threads=1).signature()) == line
    assert "dtype:bfloat16" in str(make(dtype="bfloat16").signature())


@needs_torch
def test_released_memory_is_loaded_again_and_nothing_of_it_is_pickled() -> None:
    metric = make()
    expected = metric.score("A text.", ["Another."])
    assert len(pickle.dumps(metric)) < 20_000
    metric.release()
    assert metric._models == {}
    assert metric.score("A text.", ["Another."]).approx_equal(expected, abs=1e-6)


@needs_torch
def test_jackknifing_scores_no_pair_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = make()
    seen: list[int] = []
    score = metric.score_pairs

    def counted(summaries: Any, references: Any) -> Any:
        seen.append(len(summaries))
        return score(summaries, references)

    monkeypatch.setattr(metric, "score_pairs", counted)
    metric.score_with_jackknife([["One.", "Two."]], [["A.", "B.", "C."]])
    assert seen == [6]
