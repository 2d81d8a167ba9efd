"""Sequence-to-sequence models between processes."""

from __future__ import annotations

import pickle

from rubrica.text.checkpoint import find_checkpoint
from rubrica.text.running import Settings
from rubrica.text.seq2seq import Seq2Seq
from tiny_models import checkpoint, needs_torch

pytestmark = needs_torch


def test_what_a_model_wrote_is_not_pickled() -> None:
    found = find_checkpoint(checkpoint("bart"), remedy="")
    model = Seq2Seq(found, Settings(device="cpu", cache_dir="off"))
    written = model.generate(["a storm"], longest=64, new_tokens=4)
    assert model._generated
    other = pickle.loads(pickle.dumps(model))
    assert not other._generated
    assert other.generate(["a storm"], longest=64, new_tokens=4) == written
