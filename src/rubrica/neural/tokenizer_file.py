"""A checkpoint's tokenizer from its `tokenizer.json`, with the library tokenizers and without transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubrica.errors import DataError, MissingResourceError
from rubrica.neural.checkpoint import Checkpoint


class FileTokenizer:
    """What encoders use of a transformers tokenizer, under the same names."""

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
                f"{checkpoint.folder}: no tokenizer.json; without transformers a tokenizer is read from there. "
                "Where transformers is: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
            )
        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:
            # The library raises nothing more special.
            raise DataError(f"not a tokenizer: {error}", file=str(file)) from error
        # Files carry the settings of whoever saved them: all-MiniLM-L6-v2's cuts at 128 tokens.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        told = checkpoint.tokenizer_config()
        self._cut_from = told.get("truncation_side", "right")
        self.model_max_length = int(told.get("model_max_length") or 10**30)
        added = self._tokenizer.get_added_tokens_decoder().values()
        self.all_special_tokens = [token.content for token in added if token.special]

    def __call__(
        self, texts: Sequence[str], *, truncation: bool = False, max_length: int = 0, **_: Any
    ) -> dict[str, list[list[int]]]:
        """Token ids of texts, and which of them the tokenizer added."""
        if truncation:
            self._tokenizer.enable_truncation(max_length, direction=self._cut_from)
        try:
            made = self._tokenizer.encode_batch(list(texts))
        finally:
            self._tokenizer.no_truncation()
        return {
            "input_ids": [one.ids for one in made],
            "special_tokens_mask": [one.special_tokens_mask for one in made],
        }

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """The tokens' spellings."""
        return [self._tokenizer.id_to_token(one) or "" for one in ids]
