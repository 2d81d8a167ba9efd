"""A digest of the data that was scored, row by row in order."""

from __future__ import annotations

import hashlib


class DataDigest:
    """A digest of all rows of a run."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=6)

    def add(self, identities: bytes) -> None:
        """Add rows, each as `row_identity` gives it."""
        self._hash.update(identities)

    def __str__(self) -> str:
        return self._hash.hexdigest()


def row_identity(instance_id: str, summarizer_id: str, summarizer_type: str, digest: str) -> bytes:
    """Return what identifies one row: its ids, its type and a digest of its texts."""
    identity = f"{instance_id}\0{summarizer_id}\0{summarizer_type}\0{digest}\n"
    return identity.encode("utf-8", "surrogatepass")
