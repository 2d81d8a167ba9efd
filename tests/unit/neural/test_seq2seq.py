"""What sequence-to-sequence models write: the model's own words, written once, kept like other results."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from rubrica.metrics.qa.question_writer import QuestionWriter
from rubrica.neural.checkpoint import Checkpoint, find_checkpoint
from rubrica.neural.running import Settings
from rubrica.neural.seq2seq import Seq2Seq, _matrix_of, _text_of
from support.tiny_models import checkpoint, corpus, needs_torch

pytestmark = needs_torch
LENGTHS = {"longest": 256, "new_tokens": 12}


def model(cache: Path | str = "off", folder: str | None = None) -> Seq2Seq:
    found = find_checkpoint(folder or checkpoint("bart"), remedy="")
    return Seq2Seq(found, Settings(device="cpu", cache_dir=str(cache)))


def forbidden(*_: Any, **__: Any) -> Any:
    pytest.fail("written again")


@pytest.mark.parametrize("beams", [1, 3])
def test_a_text_is_what_transformers_writes_for_it(beams: int) -> None:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(checkpoint("bart"))
    network = AutoModelForSeq2SeqLM.from_pretrained(checkpoint("bart")).eval()
    texts = corpus()[:4]
    made = model().generate(texts, beams=beams, **LENGTHS)
    for text, ours in zip(texts, made, strict=True):
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            written = network.generate(
                input_ids=ids, num_beams=beams, do_sample=False, max_new_tokens=12
            )
        decoded = tokenizer.decode(
            written[0], skip_special_tokens=True, clean_up_tokenization_spaces=True
        )
        assert ours == decoded.strip()
    assert len(set(made)) > 1


def test_a_second_run_takes_what_was_written_from_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = model(tmp_path)
    expected = first.generate(corpus()[:6], **LENGTHS)
    first.release()
    second = model(tmp_path)
    monkeypatch.setattr(second, "_write", forbidden)
    assert second.generate(corpus()[5::-1], **LENGTHS) == expected[::-1]


def test_equal_texts_are_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = model()
    seen: list[int] = []
    write = made._write

    def counted(rows: Any, *more: Any) -> Any:
        seen.append(len(rows))
        return write(rows, *more)

    monkeypatch.setattr(made, "_write", counted)
    made.generate([corpus()[0], corpus()[1], corpus()[0]], **LENGTHS)
    made.generate([corpus()[1]], **LENGTHS)
    assert sum(seen) == 2


@pytest.mark.parametrize("other", [{"beams": 2}, {"new_tokens": 5}])
def test_other_settings_are_written_anew(tmp_path: Path, other: dict[str, int]) -> None:
    first = model(tmp_path)
    first.generate(corpus()[:2], **LENGTHS)
    first.release()
    second = model(tmp_path)
    expected = model().generate(corpus()[:2], **{**LENGTHS, **other})
    assert second.generate(corpus()[:2], **{**LENGTHS, **other}) == expected
    second.release()
    assert len(list(tmp_path.iterdir())) == 2


def test_another_search_is_written_anew(tmp_path: Path) -> None:
    first = model(tmp_path)
    first.generate(corpus()[:2], beams=2, **LENGTHS)
    first.release()
    found = find_checkpoint(checkpoint("bart"), remedy="")
    other, alone = (
        QuestionWriter(found, Settings(device="cpu", cache_dir=str(place)))
        for place in (tmp_path, "off")
    )
    expected = alone.generate(corpus()[:2], beams=2, **LENGTHS)
    assert other.generate(corpus()[:2], beams=2, **LENGTHS) == expected
    other.release()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_checkpoint_that_writes_otherwise_is_another_model(tmp_path: Path) -> None:
    folder = tmp_path / "tiny-bart"
    shutil.copytree(checkpoint("bart"), folder)
    before = Checkpoint("x", folder).digest()
    file = folder / "generation_config.json"
    settings = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**settings, "no_repeat_ngram_size": 3}), "utf-8")
    assert Checkpoint("x", folder).digest() != before


def test_what_was_written_is_bounded_released_and_not_sent_along() -> None:
    made = model()
    expected = made.generate(corpus()[:3], **LENGTHS)
    (cache,) = made._caches.values()
    assert 0 < cache._held < cache._memory_bytes
    sent = pickle.dumps(made)
    assert len(sent) < 5_000
    assert pickle.loads(sent).generate(corpus()[:3], **LENGTHS) == expected
    made.release()
    assert made._caches == {}
    assert made.generate(corpus()[:3], **LENGTHS) == expected


@pytest.mark.parametrize("text", ["", "a", "Straße, 東京, \N{PILE OF POO}", "\0", "x" * 5000])
def test_any_text_is_kept_as_it_is(text: str) -> None:
    assert _matrix_of(text).size > 0
    assert _text_of(_matrix_of(text)) == text
