"""Cases that other programs computed, from files of JSON lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "golden" / "metrics"


def golden_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of `golden/metrics/NAME.jsonl.gz`."""
    lines = gzip.decompress((_FOLDER / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines]
