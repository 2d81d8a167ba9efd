"""A tokenizer from a SentencePiece file, whose own package is not needed.

The file is a protocol buffer: pieces with their scores, and how texts are made ready.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from rubrica.errors import DataError
from rubrica.neural.convert.protobuf import fields

# Numbers of the fields (sentencepiece_model.proto).
_PIECES, _TRAINING, _NORMALISING = 1, 2, 3
_TEXT, _SCORE, _KIND = 1, 2, 3
_MODEL_TYPE, _CHARACTERS, _DUMMY_PREFIX, _EXTRA_BLANKS = 3, 2, 3, 4
_UNKNOWN, _UNIGRAM = 2, 1


def read_sentencepiece(path: Path) -> Any:
    """The `tokenizers.Tokenizer` of a unigram model: the pieces that SentencePiece itself cuts texts into."""
    from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers
    from tokenizers.models import Unigram

    try:
        model = fields(path.read_bytes())
        pieces = [fields(piece) for piece in model[_PIECES]]
        vocabulary = [(piece[_TEXT][0].decode(), _number(piece.get(_SCORE))) for piece in pieces]
        kinds = [piece.get(_KIND, [1])[0] for piece in pieces]
        training = fields(model[_TRAINING][0])
        normalising = fields(model[_NORMALISING][0])
    except (OSError, ValueError, IndexError, KeyError, struct.error) as error:
        raise DataError(f"not a SentencePiece model: {error}", file=str(path)) from error
    if training.get(_MODEL_TYPE, [_UNIGRAM])[0] != _UNIGRAM or _UNKNOWN not in kinds:
        raise DataError("not a unigram model of SentencePiece", file=str(path))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=kinds.index(_UNKNOWN), byte_fallback=False))
    steps: list[Any] = []
    if characters := normalising.get(_CHARACTERS, [b""])[0]:
        steps.append(normalizers.Precompiled(characters))
    if normalising.get(_EXTRA_BLANKS, [1])[0]:
        steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    prefix = "always" if normalising.get(_DUMMY_PREFIX, [1])[0] else "never"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=prefix)
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme=prefix)
    return tokenizer


def _number(values: list[bytes] | None) -> float:
    return float(struct.unpack("<f", values[0])[0]) if values else 0.0
