"""Read tensors from untrusted files without running code, and load them into a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from rubrica.errors import DataError
from rubrica.neural.running import import_torch


def read_tensors(file: Path, opened: Callable[[Path], IO[bytes]] | None = None) -> dict[str, Any]:
    """Return the dictionary that torch saved in a file, or in the stream that `opened` returns."""
    torch = import_torch()
    try:
        source = file if opened is None else opened(file)
        tensors = torch.load(source, map_location="cpu", weights_only=True)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror or error}", file=str(file)) from error
    except Exception as error:
        raise DataError(
            f"not a file of plain tensors (nothing in it was run): {error}",
            file=str(file),
        ) from error
    if not isinstance(tensors, dict):
        raise DataError("not a dictionary of weights", file=str(file))
    return tensors


def fill(
    network: Any,
    tensors: Mapping[str, Any],
    what: str,
    *,
    file: str,
    apart: tuple[str, ...] = ("position_ids",),
) -> Any:
    """Return the network with these weights; a `DataError` if they do not fit `what`.

    Names that end in one of `apart` may be missing or unknown.
    """
    try:
        missing, unexpected = network.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise DataError(f"does not fit {what}: {error}", file=file) from error
    absent = [name for name in missing if not name.endswith(apart)]
    strange = [name for name in unexpected if not name.endswith(apart)]
    if absent or strange:
        raise DataError(
            f"does not fit {what}: {len(absent)} weights are missing ({', '.join(absent[:3])}), "
            f"{len(strange)} are unknown ({', '.join(strange[:3])})",
            file=file,
        )
    return network.eval()
