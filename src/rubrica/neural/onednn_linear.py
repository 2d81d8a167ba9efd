"""Linear layers with weights packed for the CPU: the same sums, about a quarter faster than `nn.Linear`.

oneDNN needs weights in blocks. `nn.Linear` passes them unpacked, so that every call packs them again
(or uses a slower library); this module packs them once.
"""

from __future__ import annotations

from typing import Any

from rubrica.neural.running import import_torch

# Encoders that only call their linear layers; others, such as DeBERTa, read the weights.
_KINDS = (
    "bert",
    "roberta",
    "xlm-roberta",
    "camembert",
    "distilbert",
    "electra",
    "mpnet",
    "rembert",
)
# The number of rows that the packing is optimized for.
_ROWS = 512


def pack_linear_layers(network: Any) -> Any:
    """Pack the network's layers in place and return it; unchanged unless float32 on a CPU with oneDNN."""
    torch = import_torch()
    if getattr(network.config, "model_type", None) not in _KINDS or not _usable(torch):
        return network
    shared = _shared_weights(network)
    for parent in list(network.modules()):
        for name, layer in list(parent.named_children()):
            if type(layer) is not torch.nn.Linear or id(layer.weight) in shared:
                continue
            if layer.weight.device.type == "cpu" and layer.weight.dtype == torch.float32:
                setattr(parent, name, _packed(torch, layer))
    return network


def _usable(torch: Any) -> bool:
    ops = torch.ops.mkldnn
    return bool(
        torch.backends.mkldnn.is_available()
        and hasattr(ops, "_reorder_linear_weight")
        and hasattr(ops, "_linear_pointwise")
    )


def _shared_weights(network: Any) -> set[int]:
    """Return the ids of weights that several modules share: packing them would make copies."""
    seen: set[int] = set()
    shared: set[int] = set()
    for module in network.modules():
        for parameter in module.parameters(recurse=False):
            (shared if id(parameter) in seen else seen).add(id(parameter))
    return shared


def _packed(torch: Any, layer: Any) -> Any:
    class PackedLinear(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.in_features, self.out_features = layer.in_features, layer.out_features
            self.weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), _ROWS)
            self.bias = layer.bias

        def forward(self, rows: Any) -> Any:
            return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")

    return PackedLinear()
