"""Tensors of somebody's file into a network: read without running code, each weight in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from rubrica.errors import DataError
from rubrica.neural.running import import_torch


def read_tensors(file: Path, opened: Callable[[Path], IO[bytes]] | None = None) -> dict[str, Any]:
    """The dictionary that torch wrote into a file, or into what `opened` finds in it."""
    torch = import_torch()
    try:
        source = file if opened is None else opened(file)
        found = torch.load(source, map_location="cpu", weights_only=True)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror or error}", file=str(file)) from error
    except Exception as error:
        raise DataError(
            f"is not a file of tensors that can be read without running code: {error}",
            file=str(file),
        ) from error
    if not isinstance(found, dict):
        raise DataError("holds no weights by name", file=str(file))
    return found


def fill(
    network: Any,
    tensors: Mapping[str, Any],
    what: str,
    *,
    file: str,
    apart: tuple[str, ...] = ("position_ids",),
) -> Any:
    """The network with these weights, ready to run; a `DataError` where they do not fit `what`.

    Names that end in one of `apart` may be missing or unknown: they are others', or no weights.
    """
    try:
        missing, unexpected = network.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise DataError(f"does not fit {what}: {error}", file=file) from error
    lost = [name for name in missing if not name.endswith(apart)]
    strange = [name for name in unexpected if not name.endswith(apart)]
    if lost or strange:
        raise DataError(
            f"does not fit {what}: {len(lost)} weights are missing ({', '.join(lost[:3])}), "
            f"{len(strange)} are unknown ({', '.join(strange[:3])})",
            file=file,
        )
    return network.eval()
