"""A checkpoint's tokenizer from its `tokenizer.json`; needs tokenizers, not transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.checkpoint import Checkpoint


class FileTokenizer:
    """The part of a transformers tokenizer's interface that encoders use."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingResourceError(
                "backend onnx needs tokenizers: pip install 'rubrica[onnx]'"
            ) from error
        file = checkpoint.folder / "tokenizer.json"
        if not file.is_file():
            raise MissingResourceError(
                f"{checkpoint.folder}: no tokenizer.json, which is needed without transformers. Create it "
                "where transformers is: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
            )
        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:
            # The library raises no subclass.
            raise DataError(f"not a tokenizer: {error}", file=str(file)) from error
        # Saved settings would apply: all-MiniLM-L6-v2's tokenizer truncates at 128 tokens.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        config = checkpoint.tokenizer_config()
        self._cut_from = config.get("truncation_side", "right")
        self.model_max_length = int(config.get("model_max_length") or 10**30)
        added_tokens = self._tokenizer.get_added_tokens_decoder().values()
        self.all_special_tokens = [token.content for token in added_tokens if token.special]

    def __call__(
        self, texts: Sequence[str], *, truncation: bool = False, max_length: int = 0, **_: Any
    ) -> dict[str, list[list[int]]]:
        """Return token ids of texts, and a mask of the special tokens."""
        if truncation:
            self._tokenizer.enable_truncation(max_length, direction=self._cut_from)
        try:
            encodings = self._tokenizer.encode_batch(list(texts))
        finally:
            self._tokenizer.no_truncation()
        return {
            "input_ids": [encoding.ids for encoding in encodings],
            "special_tokens_mask": [encoding.special_tokens_mask for encoding in encodings],
        }

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """Return the text of each token."""
        return [self._tokenizer.id_to_token(token_id) or "" for token_id in ids]
