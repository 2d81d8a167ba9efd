"""Token vectors of texts from any transformers encoder: chosen layers, each distinct text once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rubrica.errors import DataError, DataWarning, ParameterError
from rubrica.neural.cache import Matrix
from rubrica.neural.checkpoint import Checkpoint
from rubrica.neural.model import Model
from rubrica.neural.running import Settings, import_transformers
from rubrica.neural.unpadded import attend_alone, can_run_unpadded, run_unpadded

LongTexts = Literal["truncate", "window", "error"]
Pooling = Literal["layer", "pmeans"]

# Byte-level tokenizers that read the first word of a text as the middle of one. BERTScore and its
# baselines therefore put a blank before every text.
_PREFIX_SPACE = ("roberta", "gpt2")
# Paths of the layers of common encoders.
_LAYER_LISTS = (
    "encoder.layer",
    "transformer.layer",
    "encoder.layers",
    "layers",
    "encoder.block",
    "h",
)


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text's tokens, a mask of the special ones, and a vector for each."""

    ids: list[int]
    special: list[bool]
    vectors: Matrix


class Encoder(Model):
    """Token vectors of one hidden layer (0 is that of the embeddings; negative counts from the last).

    With pooling `pmeans` a vector is the minimum, mean and maximum over the last `layer` layers, each
    normalised first (MoverScore's power means). Texts that are too long for the model are cut with a
    warning (`truncate`), encoded in overlapping windows (`window`), or raise an error (`error`).
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        settings: Settings,
        *,
        layer: int = -1,
        pooling: Pooling = "layer",
        long_texts: LongTexts = "truncate",
        longest: int | None = None,
    ) -> None:
        super().__init__(checkpoint, settings)
        self.prefix_space = self.config.get("model_type") in _PREFIX_SPACE
        self.pooling, self.long_texts, self._longest = pooling, long_texts, longest
        self._warned_texts: set[int] = set()
        # Whether the requested layer is the last one that is computed.
        self._only_last = False
        self.layers = self._layer_count()
        self.layer = layer if layer >= 0 else self.layers + 1 + layer
        if not 0 <= self.layer <= self.layers:
            raise ParameterError(
                f"{checkpoint.name} has no layer {layer}, only layers 0 to {self.layers}"
            )

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Return the vectors of all texts, in their order."""
        pieces, limit = self._tokenized(texts), self.limit
        requests = [ids if len(ids) <= limit else (self.long_texts, ids) for ids, _ in pieces]
        vectors = self.results(
            f"{self.pooling}:{self.layer}:{limit}",
            requests,
            [min(len(ids), limit) for ids, _ in pieces],
            lambda places: self._vectors([pieces[at] for at in places]),
            what="texts encoded",
        )
        return [EncodedText(*piece, matrix) for piece, matrix in zip(pieces, vectors, strict=True)]

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of all texts, including special tokens."""
        return [ids for ids, _ in self._tokenized(texts)]

    @property
    def limit(self) -> int:
        """The maximum number of tokens of a text."""
        limit = super().limit
        return min(limit, self._longest) if self._longest is not None else limit

    def prepared(self, network: Any) -> Any:
        """Return only the encoder, without layers above the requested one."""
        if self.config.get("is_encoder_decoder"):
            network = network.get_encoder()
        highest = self.layer if self.pooling == "layer" else self.layers
        for path in _LAYER_LISTS:
            owner, _, last = path.rpartition(".")
            try:
                holder = network.get_submodule(owner)
                layers = getattr(holder, last)
            except AttributeError:
                continue
            # Models that end in a norm keep all layers: the norm belongs to the last hidden state.
            if len(layers) == self.layers and highest < self.layers and not _ends_in_norm(holder):
                setattr(holder, last, layers[: max(highest, 1)])
                self._only_last = self.layer > 0 and self.pooling == "layer"
            break
        if self.pooling == "layer" and self.layer == self.layers:
            self._only_last = True
        return network

    def whole_network(self) -> Any:
        """Return the encoder with all its layers."""
        network = self._from_folder(import_transformers().AutoModel)
        has_decoder = self.config.get("is_encoder_decoder")
        return (network.get_encoder() if has_decoder else network).eval()

    @property
    def _unpadded(self) -> bool:
        return can_run_unpadded(self.config.get("model_type"), self.settings.resolved_device())

    def placed(self, network: Any) -> Any:
        """Return the network, set up to run without padding where possible."""
        if self._unpadded:
            attend_alone(network)
        return super().placed(network)

    def width_step(self) -> int | None:
        """Return None without padding: any texts can be batched."""
        return None if self._unpadded else super().width_step()

    def _layer_count(self) -> int:
        config = self.config
        for key in ("num_hidden_layers", "encoder_layers", "n_layers", "num_layers", "n_layer"):
            if isinstance(config.get(key), int):
                return int(config[key])
        raise DataError(
            "the number of layers is missing (num_hidden_layers)",
            file=str(self.checkpoint.folder / "config.json"),
        )

    def _tokenized(self, texts: Sequence[str]) -> list[tuple[list[int], list[bool]]]:
        if not texts:
            return []
        # A text that occurs often (a shared reference) is tokenized once.
        distinct = list(dict.fromkeys(texts))
        tokens = dict(zip(distinct, self._ids(distinct), strict=True))
        long = [text for text in distinct if len(tokens[text][0]) > self.limit]
        if long:
            self._warn_long(long, len(distinct))
            if self.long_texts == "truncate":
                cut = self._ids(long, truncation=True, max_length=self.limit)
                tokens |= dict(zip(long, cut, strict=True))
        return [tokens[text] for text in texts]

    def _ids(self, texts: Sequence[str], **options: Any) -> list[tuple[list[int], list[bool]]]:
        options = {"truncation": False, "verbose": False, **options}
        if self.prefix_space:
            # Not the tokenizer's option add_prefix_space: some classes of transformers 5 ignore it.
            texts = [text if text[:1].isspace() or not text else f" {text}" for text in texts]
        encodings = self.tokenizer(
            list(texts), padding=False, return_special_tokens_mask=True, **options
        )
        special = encodings["special_tokens_mask"]
        return [
            (list(ids), [bool(flag) for flag in mask])
            for ids, mask in zip(encodings["input_ids"], special, strict=True)
        ]

    def _warn_long(self, long: Sequence[str], total: int) -> None:
        # Hashes: the texts of a long run would fill the memory.
        new = set(map(hash, long)) - self._warned_texts
        message = (
            f"{len(long):,} of {total:,} texts have more than {self.limit:,} tokens, "
            f"the limit of {self.checkpoint.name}"
        )
        if self.long_texts == "error":
            raise DataError(f"{message}; shorten them, or choose long_texts=truncate or window")
        # Warn once for each text.
        if new:
            self._warned_texts |= new
            treatment = "cut" if self.long_texts == "truncate" else "encoded in overlapping windows"
            warnings.warn(f"{message}; they were {treatment}", DataWarning, stacklevel=6)

    def _vectors(self, pieces: Sequence[tuple[list[int], list[bool]]]) -> list[Matrix]:
        windows, owners = [], []
        for at, (ids, special) in enumerate(pieces):
            for start, window in _windows(ids, special, self.limit):
                windows.append(window)
                owners.append((at, start))
        if len(windows) == len(pieces):
            return self._forward(windows)
        encoded: list[list[tuple[int, Matrix]]] = [[] for _ in pieces]
        # A long text has several windows: as many at a time as there are texts in the batch.
        for begin in range(0, len(windows), len(pieces)):
            part = self._forward(windows[begin : begin + len(pieces)])
            for (at, start), matrix in zip(owners[begin : begin + len(pieces)], part, strict=True):
                encoded[at].append((start, matrix))
        return [
            _joined(parts, ids, special)
            for parts, (ids, special) in zip(encoded, pieces, strict=True)
        ]

    def _forward(self, rows: Sequence[Sequence[int]]) -> list[Matrix]:
        if not any(rows):
            return [np.zeros((0, 1), dtype=np.float32) for _ in rows]
        network, options = self.network, {} if self._only_last else {"output_hidden_states": True}
        if self._unpadded:
            output = run_unpadded(network, rows, **options)
        else:
            ids, mask = self.padded(rows)
            output = network(input_ids=ids, attention_mask=mask, **options)
        if self._only_last:
            vectors = output.last_hidden_state
        else:
            states, layered = output.hidden_states, self.pooling == "layer"
            vectors = states[self.layer] if layered else _power_means(states[-self.layer :])
        matrix = vectors.float().cpu().numpy()
        if self._unpadded:
            ends = np.cumsum([len(row) for row in rows])[:-1]
            return [part.copy() for part in np.split(matrix[0], ends)]
        return [matrix[at, : len(row)].copy() for at, row in enumerate(rows)]


def _power_means(states: Sequence[Any]) -> Any:
    import torch

    stacked = torch.stack([state / state.norm(dim=-1, keepdim=True) for state in states])
    return torch.cat([stacked.amin(0), stacked.mean(0), stacked.amax(0)], dim=-1)


def _ends_in_norm(holder: Any) -> bool:
    """Return whether a norm follows the last layer (pre-norm models): then all layers are needed."""
    return any(
        hasattr(holder, name)
        for name in ("final_layer_norm", "ln_f", "norm", "layer_norm", "final_norm")
    )


def _windows(ids: list[int], special: list[bool], limit: int) -> list[tuple[int, list[int]]]:
    """Return overlapping parts of a long text, each with the special tokens at both ends."""
    if len(ids) <= limit:
        return [(0, ids)]
    head = next((at for at, is_special in enumerate(special) if not is_special), 0)
    tail = next((at for at, is_special in enumerate(reversed(special)) if not is_special), 0)
    body, end = ids[head : len(ids) - tail], ids[len(ids) - tail :]
    room = limit - head - tail
    starts = list(range(0, len(body) - room, max(1, room // 2)))
    starts.append(len(body) - room)
    return [(start, [*ids[:head], *body[start : start + room], *end]) for start in starts]


def _joined(parts: Sequence[tuple[int, Matrix]], ids: list[int], special: list[bool]) -> Matrix:
    """Return one matrix from those of windows: each token from the window with the most context."""
    if len(parts) == 1:
        return parts[0][1]
    head = next((at for at, is_special in enumerate(special) if not is_special), 0)
    tail = next((at for at, is_special in enumerate(reversed(special)) if not is_special), 0)
    vectors = np.empty((len(ids), parts[0][1].shape[1]), dtype=np.float32)
    vectors[:head] = parts[0][1][:head]
    if tail:
        vectors[-tail:] = parts[-1][1][-tail:]
    depth = np.full(len(ids) - head - tail, -1)
    for start, matrix in parts:
        inside = matrix[head : len(matrix) - tail]
        places = np.arange(len(inside))
        now = np.minimum(places, len(inside) - 1 - places)
        # The ends of the text itself do not count as edges.
        if start == 0:
            now = len(inside) - 1 - places
        if start + len(inside) == len(depth):
            now = np.maximum(now, places)
        better = now > depth[start : start + len(inside)]
        rows = np.flatnonzero(better)
        depth[start + rows] = now[rows]
        vectors[head + start + rows] = inside[rows]
    return vectors
