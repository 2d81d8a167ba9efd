"""Token vectors: any layer, any batch, any length, one computation per text."""

from __future__ import annotations

import json
import shutil
import socket
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rubrica.errors import DataError, DataWarning, MissingResourceError, ParameterError
from rubrica.neural.batches import OutOfMemoryError, run_batches, token_batches
from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.encoder import Encoder
from rubrica.neural.progress import listening
from rubrica.neural.running import Settings, inference
from support.tiny_models import checkpoint, corpus, needs_torch

pytestmark = needs_torch


def encoder(
    kind: str = "encoder", *, settings: dict[str, Any] | None = None, **options: Any
) -> Encoder:
    chosen = {"cache_dir": "off", "device": "cpu", **(settings or {})}
    return Encoder(find_checkpoint(checkpoint(kind), remedy=""), Settings(**chosen), **options)


@cache
def plain_model(kind: str) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    path = checkpoint(kind)
    return AutoTokenizer.from_pretrained(path), AutoModel.from_pretrained(path).eval()


def plain_vectors(kind: str, text: str, layer: int) -> np.ndarray:
    """One text, all layers computed, one of them taken."""
    import torch

    tokenizer, model = plain_model(kind)
    tokens = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        states = model(
            input_ids=tokens["input_ids"],
            attention_mask=tokens["attention_mask"],
            output_hidden_states=True,
        ).hidden_states
    return np.asarray(states[layer][0].numpy())


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_vectors_are_those_of_the_layer(layer: int) -> None:
    texts = corpus()[:12]
    for text, encoded in zip(texts, encoder(layer=layer).encode(texts), strict=True):
        np.testing.assert_allclose(
            encoded.vectors, plain_vectors("encoder", text, layer), atol=1e-5
        )


def test_layers_above_the_wanted_one_are_not_computed() -> None:
    model = encoder(layer=1)
    model.encode(["The library is open."])
    assert len(model.network.encoder.layer) == 1


def test_a_padding_token_that_a_text_spells_out_stands_where_transformers_puts_it() -> None:
    text = " The <pad> library is <pad> open."
    made = encoder("roberta").encode([text])[0]
    assert made.ids.count(1) == 2
    np.testing.assert_allclose(made.vectors, plain_vectors("roberta", text, 2), atol=1e-5)


def test_results_do_not_depend_on_the_batch() -> None:
    texts = corpus()[:40]
    together = encoder(settings={"batch_tokens": 4096}).encode(texts)
    model = encoder(settings={"batch_tokens": 1})
    alone = [model.encode([text])[0] for text in texts]
    for one, two in zip(together, alone, strict=True):
        assert one.ids == two.ids
        np.testing.assert_array_equal(one.vectors, two.vectors)


def test_power_means_are_of_the_last_layers() -> None:
    text = corpus()[0]
    states = [plain_vectors("encoder", text, layer) for layer in (2, 3)]
    units = np.stack([one / np.linalg.norm(one, axis=1, keepdims=True) for one in states])
    expected = np.concatenate([units.min(0), units.mean(0), units.max(0)], axis=1)
    made = encoder(layer=2, pooling="pmeans").encode([text])[0].vectors
    np.testing.assert_allclose(made, expected, atol=1e-5)


def test_equal_texts_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = encoder()
    computed: list[int] = []
    forward = model._forward

    def counted(rows: Any) -> Any:
        computed.append(len(rows))
        return forward(rows)

    monkeypatch.setattr(model, "_forward", counted)
    model.encode(["A fire broke out.", "Nobody was hurt.", "A fire broke out."])
    # The tokenizer has no capitals: this is the same request.
    model.encode(["A FIRE broke  out.", "The mayor resigned."])
    assert sum(computed) == 3


def test_a_second_run_takes_vectors_from_the_disk(tmp_path: Path, monkeypatch: Any) -> None:
    texts, settings = corpus()[:10], {"cache_dir": str(tmp_path)}
    first = encoder(settings=settings)
    expected = first.encode(texts)
    first.release()
    second = encoder(settings=settings)
    monkeypatch.setattr(second, "_forward", lambda rows: pytest.fail("computed again"))
    for one, two in zip(expected, second.encode(texts), strict=True):
        np.testing.assert_array_equal(one.vectors, two.vectors)
    # Another layer is something else.
    third = encoder(settings=settings, layer=1)
    assert not np.array_equal(third.encode(texts[:1])[0].vectors, expected[0].vectors)


def test_byte_level_tokenizers_see_a_blank_before_the_text() -> None:
    text = "The library is open."
    with_blank = encoder("roberta").encode([text])[0]
    expected = plain_vectors("roberta", " " + text, 2)
    np.testing.assert_allclose(with_blank.vectors, expected, atol=1e-5)
    without = plain_vectors("roberta", text, 2)
    assert without.shape != expected.shape or not np.allclose(without, expected, atol=1e-3)


LONG = " ".join(["The harbour office said that a replacement vessel would arrive."] * 12)


def test_a_long_text_is_cut_and_counted() -> None:
    model = encoder("roberta")
    # 66 positions, of which RoBERTa leaves the first two unused.
    assert model.limit == 64
    with pytest.warns(DataWarning, match="1 of 2 texts have more than 64 tokens.*cut"):
        long, short = model.encode([LONG, "Short."])
    assert len(long.ids) == 64
    assert long.special[0]
    assert long.special[-1]
    assert len(short.ids) < 64


def test_a_long_text_is_told_of_once(recwarn: pytest.WarningsRecorder) -> None:
    model = encoder("roberta")
    model.encode([LONG])
    model.encode([LONG])
    model.token_ids([LONG])
    assert len([one for one in recwarn if one.category is DataWarning]) == 1


def test_a_long_text_can_be_refused() -> None:
    with pytest.raises(DataError, match="long_texts=truncate or window"):
        encoder("roberta", long_texts="error").encode([LONG])


def test_windows_give_every_token_the_vector_of_the_window_it_is_most_inside_of() -> None:
    model = encoder("roberta", long_texts="window")
    with pytest.warns(DataWarning, match="overlapping windows"):
        made = model.encode([LONG])[0]
    assert len(made.ids) > 128
    assert made.vectors.shape[0] == len(made.ids)
    body, room = made.ids[1:-1], 62
    for at in (0, 20, 70, len(body) // 2, len(body) - 1):
        starts = [*range(0, len(body) - room, room // 2), len(body) - room]

        def depth(start: int, at: int = at) -> int:
            before = at - start if start else room
            after = start + room - 1 - at if start + room < len(body) else room
            return min(before, after)

        inside = [s for s in starts if s <= at < s + room]
        best = max(inside, key=depth)
        window = [made.ids[0], *body[best : best + room], made.ids[-1]]
        with inference(model.settings):
            expected = model._forward([window])[0][1 + at - best]
        np.testing.assert_allclose(made.vectors[1 + at], expected, atol=1e-5)


def test_an_empty_text_has_only_the_tokenizers_own_tokens() -> None:
    made = encoder().encode([""])[0]
    assert made.special == [True, True]
    assert made.vectors.shape == (2, 32)


def test_a_tokenizer_without_a_limit_does_not_crash() -> None:
    model = encoder()
    model.tokenizer.model_max_length = 10**30
    assert model.limit == 1024


def test_a_layer_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="layers 0 to 3"):
        encoder(layer=4)


def test_nothing_reaches_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    encoder().encode(["The library is open."])
    with pytest.raises(MissingResourceError, match="setup-metric bertscore --model no/such"):
        find_checkpoint("no/such", remedy="rubrica setup-metric bertscore --model no/such")


def test_a_checkpoints_own_code_does_not_run(tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "model"
    shutil.copytree(checkpoint("encoder"), folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.C", "AutoModel": "own.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    # Nobody is asked, either.
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    encoder = Encoder(
        find_checkpoint(str(folder), remedy=""), Settings(cache_dir="off", device="cpu"), layer=2
    )
    with pytest.raises(DataError, match="cannot be loaded"):
        encoder.encode(["A text."])
    assert not (tmp_path / "ran").exists()


def test_threads_are_as_asked_and_put_back() -> None:
    import torch

    before = torch.get_num_threads()
    seen = []
    model = encoder(settings={"threads": 3})
    forward = model._forward

    def watched(rows: Any) -> Any:
        seen.append(torch.get_num_threads())
        return forward(rows)

    model._forward = watched  # type: ignore[method-assign]
    model.encode(["The library is open."])
    assert seen == [3]
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"device": "abacus"}, "unknown device"), ({"device": "cuda:7"}, "not available")],
)
def test_a_device_that_is_not_there_is_told(settings: dict[str, str], message: str) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ParameterError, match=message):
        encoder(settings=settings).encode(["text"])


# Batches.


def test_batches_keep_the_budget_and_lose_nothing() -> None:
    lengths = [5, 900, 17, 17, 300, 2, 64, 1500, 0]
    batches = token_batches(lengths, 1000)
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or max(lengths[at] for at in batch) * len(batch) <= 1000


def test_with_a_step_a_batch_holds_texts_of_one_width() -> None:
    lengths = [5, 16, 17, 31, 32, 33, 3, 64]
    batches = token_batches(lengths, 1000, step=16)
    assert sorted(at for batch in batches for at in batch) == list(range(8))
    widths = [{-(-lengths[at] // 16) for at in batch} for batch in batches]
    assert widths == [{4}, {3}, {2}, {1}]


@pytest.mark.parametrize("error", [RuntimeError("CUDA out of memory"), MemoryError()])
def test_a_batch_that_does_not_fit_is_halved(error: Exception) -> None:
    sizes = []

    def compute(places: list[int]) -> list[int]:
        sizes.append(len(places))
        if len(places) > 3:
            raise error
        return [place * 10 for place in places]

    assert run_batches([4] * 16, 1000, compute) == [place * 10 for place in range(16)]
    # Once it is known how much fits, nothing larger is tried.
    assert sizes[:3] == [16, 8, 4]
    assert max(sizes[3:]) == 2


def test_one_text_that_does_not_fit_is_told() -> None:
    def compute(places: list[int]) -> list[int]:
        raise MemoryError

    with pytest.raises(OutOfMemoryError, match="a text of 7 tokens"):
        run_batches([7], 1000, compute)


def test_other_errors_are_not_hidden() -> None:
    def compute(places: list[int]) -> list[int]:
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        run_batches([7, 7], 1000, compute)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    with listening(lambda *facts: told.append(facts)):
        encoder(settings={"batch_tokens": 64}).encode(corpus()[:9])
    assert len(told) > 1
    assert told[-1] == ("texts encoded", 9, 9)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
