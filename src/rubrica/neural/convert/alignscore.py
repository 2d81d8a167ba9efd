"""Convert AlignScore's Lightning checkpoint to an encoder's folder with separate heads."""

from __future__ import annotations

from pathlib import Path

from rubrica.data.files import atomic_folder
from rubrica.errors import DataError, OutputError
from rubrica.neural.checkpoint import find_checkpoint
from rubrica.neural.running import import_transformers
from rubrica.neural.tensors import fill, read_tensors

# Heads of the original -> ours.
_HEADS = {"bin_layer": "bin", "tri_layer": "nli", "reg_layer": "reg"}
_ENCODER = "base_model."


def convert(file: str, base: str, output: str) -> None:
    """Write the folder `output`, atomically; only tensors are read from `file`."""
    target = Path(output)
    if target.exists():
        raise OutputError(target, "already exists")
    content = read_tensors(Path(file))
    state = content.get("state_dict", content)
    if not isinstance(state, dict):
        raise DataError("has no state_dict", file=file)
    encoder = {
        name.removeprefix(_ENCODER): value
        for name, value in state.items()
        if name.startswith(_ENCODER)
    }
    heads = {
        f"{ours}.{part}": state[f"{theirs}.{part}"].contiguous()
        for theirs, ours in _HEADS.items()
        for part in ("weight", "bias")
        if f"{theirs}.{part}" in state
    }
    if not encoder or not {"bin.weight", "nli.weight"} <= heads.keys():
        raise DataError(
            "not an AlignScore checkpoint: base_model, bin_layer or tri_layer is missing", file=file
        )
    transformers = import_transformers()
    checkpoint = find_checkpoint(base, remedy=f"rubrica setup-metric alignscore --model {base}")
    config = transformers.AutoConfig.from_pretrained(
        str(checkpoint.folder), local_files_only=True, trust_remote_code=False
    )
    network = transformers.AutoModel.from_config(config)
    fill(network, encoder, base, file=file)
    from safetensors.torch import save_file

    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(checkpoint.folder), local_files_only=True, trust_remote_code=False
    )
    with atomic_folder(target) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        save_file(heads, folder / "alignscore_heads.safetensors")
