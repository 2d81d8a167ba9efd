"""Convert QAEval's AllenNLP archives (question generator, LERC) to folders that transformers reads."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import IO, Any

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError
from rubrica.metrics.qa.lerc import HEAD
from rubrica.neural.running import import_transformers
from rubrica.neural.tensors import fill, read_tensors

# The markers around an answer, which were added to the generator's vocabulary.
MARKS = ("<m>", "</m>")
_WEIGHTS = "weights.th"
_HEAD = "score_layer"
# Tied weights, or buffers that are not weights.
_SHARED = ("lm_head.weight", "embed_tokens.weight", "position_ids", "final_logits_bias")


def convert_qaeval(source: str, base: Path, output: str) -> str:
    """Write the folder `output` atomically; return the metric's parameter that it is for.

    `base` has configuration and tokenizer: those of bart-large for the generator, of bert-base-uncased
    for LERC. The weights show which of the two the archive holds.
    """
    state = read_tensors(Path(source), _opened)
    if f"{_HEAD}.weight" in state:
        _convert_lerc(state, base, output, source)
        return "lerc_model"
    if any(name.startswith("bart.") for name in state):
        _convert_generator(state, base, output, source)
        return "generation_model"
    raise DataError(
        f"is neither QAEval's generator (bart.*) nor LERC ({_HEAD}): {', '.join(sorted(state)[:3])}",
        file=source,
    )


def _convert_lerc(state: dict[str, Any], base: Path, output: str, source: str) -> None:
    transformers = import_transformers()
    config = transformers.AutoConfig.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    network = transformers.AutoModel.from_config(config)
    network = fill(network, _under("bert.", state), "its base", file=source, apart=_SHARED)
    from safetensors.torch import save_file

    head = {part: state[f"{_HEAD}.{part}"].float().contiguous() for part in ("weight", "bias")}
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    with atomic_folder(output) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file(head, folder / HEAD)


def _convert_generator(state: dict[str, Any], base: Path, output: str, source: str) -> None:
    transformers = import_transformers()
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    # Like the tokenizer used in training: the markers absorb the blanks around them.
    tokenizer.add_tokens(
        [
            transformers.AddedToken(mark, lstrip=True, rstrip=True, normalized=False)
            for mark in MARKS
        ]
    )
    weights = _under("bart.", state)
    config = transformers.AutoConfig.from_pretrained(
        str(base), local_files_only=True, trust_remote_code=False
    )
    table = weights.get("model.shared.weight")
    if table is None or table.shape[0] != len(tokenizer):
        raise DataError(
            f"does not fit {base.name}: its vocabulary has {len(tokenizer)} tokens with the marks, the weights "
            f"{'none' if table is None else table.shape[0]}",
            file=source,
        )
    config.vocab_size = len(tokenizer)
    network = transformers.AutoModelForSeq2SeqLM.from_config(config)
    network = fill(network, weights, "its base", file=source, apart=_SHARED)
    network.tie_weights()
    with atomic_folder(output) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _under(prefix: str, state: dict[str, Any]) -> dict[str, Any]:
    return {n.removeprefix(prefix): v.float() for n, v in state.items() if n.startswith(prefix)}


def _opened(path: Path) -> IO[bytes]:
    """Open the tensors of an archive (`.tar.gz`), its folder, or its `weights.th`; reads nothing else."""
    if path.is_dir():
        path = path / _WEIGHTS
    if path.suffix == ".th" or not tarfile.is_tarfile(path):
        return path.open("rb")
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and Path(member.name).name == _WEIGHTS:
                content = archive.extractfile(member)
                assert content is not None
                return io.BytesIO(content.read())
    raise DataError(f"has no {_WEIGHTS} in it", file=str(path))
