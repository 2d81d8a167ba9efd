"""A checkpoint at work: loaded when first needed, every distinct request computed once."""

from __future__ import annotations

import gc
import hashlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rubrica.errors import DataError, DataWarning
from rubrica.neural.batches import run_batches
from rubrica.neural.cache import FLUSH_BYTES, KEY_BYTES, Matrix, ResultCache
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.onednn_linear import pack_linear_layers
from rubrica.neural.positions import AFTER_PADDING
from rubrica.neural.running import Settings, import_torch, import_transformers, inference

# Tokenizers without a limit say so by a very large number.
_NO_LIMIT = 1 << 20
# Numbers of 32 bits in the widest registers.
_ABREAST = 16


class Model:
    """A network with its tokenizer, and the results it has given.

    Kinds of models extend this: they make requests, and compute the results of a batch of them.
    """

    auto_class: ClassVar[str] = "AutoModel"
    # Whether nobody trains the network: then its weights may be laid out for the CPU.
    only_inference: ClassVar[bool] = True

    def __init__(self, checkpoint: Checkpoint, settings: Settings) -> None:
        self.checkpoint, self.settings = checkpoint, settings
        self._tokenizer: Any = None
        self._network: Any = None
        self._caches: dict[str, ResultCache] = {}

    @cached_property
    def config(self) -> dict[str, Any]:
        """What the checkpoint's `config.json` says; read once."""
        return self.checkpoint.config()

    @property
    def tokenizer(self) -> Any:
        """The checkpoint's tokenizer."""
        if self._tokenizer is None:
            transformers = import_transformers()
            self._tokenizer = self._from_folder(transformers.AutoTokenizer)
        return self._tokenizer

    @property
    def network(self) -> Any:
        """The network, ready to compute."""
        if self._network is None:
            torch, transformers = import_torch(), import_transformers()
            network, told = self._from_folder(
                getattr(transformers, self.auto_class),
                dtype=getattr(torch, self.settings.number_type()),
                output_loading_info=True,
            )
            self._check_weights(told["missing_keys"])
            self._network = self.placed(
                self.prepared(network).to(self.settings.resolved_device()).eval()
            )
        return self._network

    def _check_weights(self, missing: Iterable[str]) -> None:
        """Tell of weights that the checkpoint has not: transformers would draw them at random, and go on."""
        lost = sorted(name for name in missing if not self.is_optional_weight(name))
        if lost:
            raise DataError(
                f"is not a model of the kind that is needed here ({self.auto_class}): {len(lost)} weights are "
                f"not in it ({', '.join(lost[:3])})",
                file=str(self.checkpoint.folder),
            )

    def is_optional_weight(self, name: str) -> bool:
        """Whether a weight is not needed here: encoders are saved with and without a pooler."""
        return self.auto_class == "AutoModel" and "pooler." in name

    def prepared(self, network: Any) -> Any:
        """The loaded network, without what is not needed of it."""
        return network

    def placed(self, network: Any) -> Any:
        """The network on its device, laid out for it."""
        return pack_linear_layers(network) if self.only_inference else network

    @property
    def limit(self) -> int:
        """The most tokens of one input, those it adds itself included."""
        config = self.config
        positions = config.get("max_position_embeddings")
        limits = [int(self.tokenizer.model_max_length)]
        if positions:
            offset = config.get("pad_token_id") or 0
            shifted = config.get("model_type") in AFTER_PADDING
            limits.append(int(positions) - (offset + 1 if shifted else 0))
        return min(*limits, _NO_LIMIT)

    def results(
        self,
        view: str,
        requests: Sequence[Any],
        lengths: Sequence[int],
        compute: Callable[[list[int]], Sequence[Matrix]],
        *,
        what: str,
    ) -> list[Matrix]:
        """A matrix for each request; equal requests, now and later, are computed once.

        `view` says what is computed; requests are what it is computed from (their `repr` tells
        them apart); `compute` gets places in `requests`.
        """
        cache = self._cache(view)
        keys = [
            hashlib.blake2b(repr(one).encode(), digest_size=KEY_BYTES).digest() for one in requests
        ]
        first = {key: at for at, key in reversed(list(enumerate(keys)))}
        found = cache.get(first)
        missing = [at for key, at in first.items() if key not in found]
        missing.sort()
        if missing:
            with inference(self.settings):
                computed = run_batches(
                    [lengths[at] for at in missing],
                    self.settings.budget(),
                    lambda places: compute([missing[place] for place in places]),
                    what=what,
                    step=self.width_step(),
                )
            for at, matrix in zip(missing, computed, strict=True):
                found[keys[at]] = np.ascontiguousarray(matrix, dtype=np.float32)
                cache.put(keys[at], found[keys[at]])
            cache.flush(least=FLUSH_BYTES)
        return [found[key] for key in keys]

    def release(self) -> None:
        """Give the memory back: network, tokenizer, results; they are loaded again when needed."""
        for cache in self._caches.values():
            cache.clear()
        self._caches.clear()
        used_gpu = self._network is not None and self.settings.resolved_device() != "cpu"
        self._network = self._tokenizer = None
        gc.collect()
        if used_gpu:
            torch = import_torch()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    def flush(self) -> None:
        """Write results that are not on disk yet."""
        for cache in self._caches.values():
            cache.flush()

    def __getstate__(self) -> dict[str, Any]:
        """Without network and results: another process loads its own."""
        return {**vars(self), "_tokenizer": None, "_network": None, "_caches": {}}

    def width_step(self) -> int | None:
        """Texts are padded together where this gives them the same width; None where any may be.

        On a CPU a text's width is a matter of its own length, a multiple of what is computed at once:
        then its result does not depend, to the last bit, on the others of its batch.
        """
        return _ABREAST if self.settings.resolved_device() == "cpu" else None

    def padded(self, rows: Sequence[Sequence[int]], *, fill: int | None = None) -> tuple[Any, Any]:
        """Token ids as a tensor, with the mask of what is no padding."""
        torch = import_torch()
        if fill is None:
            fill = self.tokenizer.pad_token_id or 0
        longest = max(1, *map(len, rows))
        width = max(longest, min(-(-longest // _ABREAST) * _ABREAST, self.limit))
        ids = np.full((len(rows), width), fill, dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        device = self.settings.resolved_device()
        return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)

    def special_ids(self, *names: str) -> list[int]:
        """The tokens that stand for `cls`, `sep`, `mask`; a `DataError` where the tokenizer has none."""
        found = {name: getattr(self.tokenizer, f"{name}_token_id") for name in names}
        lost = [name for name, token in found.items() if token is None]
        if lost:
            raise DataError(
                f"its tokenizer has no token for {' and '.join(lost)}: not a model like BERT",
                file=str(self.checkpoint.folder),
            )
        return list(found.values())

    def warn_of_cut(self, count: int, total: int, limit: int) -> None:
        """Tell that inputs were too long for the model."""
        if count:
            warnings.warn(
                f"{self.checkpoint.name}: {count:,} of {total:,} inputs have more than {limit:,} tokens "
                "and were cut",
                DataWarning,
                stacklevel=4,
            )

    def _cache(self, view: str) -> ResultCache:
        if view not in self._caches:
            where, kind = (
                self.settings.resolved_device().partition(":")[0],
                self.settings.number_type(),
            )
            made_by = f"{self.settings.backend}|{self.auto_class}|{where}|{kind}"
            told = f"{self.checkpoint.digest()}|{made_by}|{view}"
            folder = hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
            self._caches[view] = ResultCache(self.settings.cache_folder(), folder)
        return self._caches[view]

    def _from_folder(self, made_by: Any, **options: Any) -> Any:
        # Told, or transformers asks on the terminal whether a checkpoint's own code may run.
        options = {"local_files_only": True, "trust_remote_code": False, **options}
        try:
            return made_by.from_pretrained(str(self.checkpoint.folder), **options)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise DataError(
                f"cannot be loaded by transformers' {made_by.__name__}: {error}",
                file=str(self.checkpoint.folder),
            ) from error
