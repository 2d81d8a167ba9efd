"""A checkpoint that is loaded on first use and computes every distinct request once."""

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

# Tokenizers without a limit report a very large number.
_NO_LIMIT = 1 << 20
# 32-bit numbers in the widest registers.
_ABREAST = 16


class Model:
    """A network with its tokenizer and a cache of its results.

    Subclasses build requests and compute the results of a batch of them.
    """

    auto_class: ClassVar[str] = "AutoModel"
    # True if the network is never trained, so that its weights can be packed for the CPU.
    only_inference: ClassVar[bool] = True

    def __init__(self, checkpoint: Checkpoint, settings: Settings) -> None:
        self.checkpoint, self.settings = checkpoint, settings
        self._tokenizer: Any = None
        self._network: Any = None
        self._caches: dict[str, ResultCache] = {}

    @cached_property
    def config(self) -> dict[str, Any]:
        """Return the content of the checkpoint's `config.json`; read once."""
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
            network, loading_info = self._from_folder(
                getattr(transformers, self.auto_class),
                dtype=getattr(torch, self.settings.number_type()),
                output_loading_info=True,
            )
            self._check_weights(loading_info["missing_keys"])
            self._network = self.placed(
                self.prepared(network).to(self.settings.resolved_device()).eval()
            )
        return self._network

    def _check_weights(self, missing: Iterable[str]) -> None:
        """Raise a DataError if weights are missing: transformers would silently draw them at random."""
        required = sorted(name for name in missing if not self.is_optional_weight(name))
        if required:
            raise DataError(
                f"not a checkpoint of {self.auto_class}: {len(required)} weights are missing "
                f"({', '.join(required[:3])})",
                file=str(self.checkpoint.folder),
            )

    def is_optional_weight(self, name: str) -> bool:
        """Return whether a weight may be missing: encoders are saved with and without a pooler."""
        return self.auto_class == "AutoModel" and "pooler." in name

    def prepared(self, network: Any) -> Any:
        """Return the loaded network without unneeded parts."""
        return network

    def placed(self, network: Any) -> Any:
        """Return the network on its device, with weights packed for it."""
        return pack_linear_layers(network) if self.only_inference else network

    @property
    def limit(self) -> int:
        """The maximum number of tokens of an input, including special tokens."""
        config = self.config
        positions = config.get("max_position_embeddings")
        limits = [int(self.tokenizer.model_max_length)]
        if positions:
            offset = config.get("pad_token_id") or 0
            after_padding = config.get("model_type") in AFTER_PADDING
            limits.append(int(positions) - (offset + 1 if after_padding else 0))
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
        """Return a matrix for each request; equal requests are computed once, also across runs.

        `view` names the computation; requests are its inputs, identified by their `repr`; `compute`
        gets indices into `requests`.
        """
        cache = self._cache(view)
        keys = [
            hashlib.blake2b(repr(request).encode(), digest_size=KEY_BYTES).digest()
            for request in requests
        ]
        first = {key: at for at, key in reversed(list(enumerate(keys)))}
        matrices = cache.get(first)
        missing = [at for key, at in first.items() if key not in matrices]
        missing.sort()
        if missing:
            with inference(self.settings):
                results = run_batches(
                    [lengths[at] for at in missing],
                    self.settings.budget(),
                    lambda places: compute([missing[place] for place in places]),
                    what=what,
                    step=self.width_step(),
                )
            for at, matrix in zip(missing, results, strict=True):
                matrices[keys[at]] = np.ascontiguousarray(matrix, dtype=np.float32)
                cache.put(keys[at], matrices[keys[at]])
            cache.flush(least=FLUSH_BYTES)
        return [matrices[key] for key in keys]

    def release(self) -> None:
        """Free the network, tokenizer and results; they are loaded again when needed."""
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
        """Return the state without network and results: another process loads its own."""
        return {**vars(self), "_tokenizer": None, "_network": None, "_caches": {}}

    def width_step(self) -> int | None:
        """Return the multiple to which texts of a batch are padded; None if any texts can be batched.

        On a CPU the padded width of a text depends only on its own length, so its result does not
        depend, to the last bit, on the rest of the batch.
        """
        return _ABREAST if self.settings.resolved_device() == "cpu" else None

    def padded(self, rows: Sequence[Sequence[int]], *, fill: int | None = None) -> tuple[Any, Any]:
        """Return token ids as a tensor, with the attention mask."""
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
        """Return the ids of special tokens (`cls`, `sep`, `mask`); a `DataError` if one is missing."""
        ids = {name: getattr(self.tokenizer, f"{name}_token_id") for name in names}
        missing = [name for name, token in ids.items() if token is None]
        if missing:
            raise DataError(
                f"the tokenizer has no token for {' and '.join(missing)}: not a model like BERT",
                file=str(self.checkpoint.folder),
            )
        return list(ids.values())

    def warn_of_cut(self, count: int, total: int, limit: int) -> None:
        """Warn that inputs were too long for the model."""
        if count:
            warnings.warn(
                f"{self.checkpoint.name}: {count:,} of {total:,} inputs have more than {limit:,} tokens "
                "and were cut",
                DataWarning,
                stacklevel=4,
            )

    def _cache(self, view: str) -> ResultCache:
        if view not in self._caches:
            device, kind = (
                self.settings.resolved_device().partition(":")[0],
                self.settings.number_type(),
            )
            environment = f"{self.settings.backend}|{self.auto_class}|{device}|{kind}"
            identity = f"{self.checkpoint.digest()}|{environment}|{view}"
            folder = hashlib.blake2b(identity.encode(), digest_size=12).hexdigest()
            self._caches[view] = ResultCache(self.settings.cache_folder(), folder)
        return self._caches[view]

    def _from_folder(self, auto_class: Any, **options: Any) -> Any:
        # Explicit, or transformers asks on the terminal whether to run a checkpoint's own code.
        options = {"local_files_only": True, "trust_remote_code": False, **options}
        try:
            return auto_class.from_pretrained(str(self.checkpoint.folder), **options)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise DataError(
                f"cannot be loaded by transformers' {auto_class.__name__}: {error}",
                file=str(self.checkpoint.folder),
            ) from error
