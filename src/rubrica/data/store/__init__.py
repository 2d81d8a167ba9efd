"""A store of scores: a directory of immutable shards, so that no text is scored twice."""

from rubrica.data.store.shard import Kind, StoredScore
from rubrica.data.store.store import ScoreStore

__all__ = ["Kind", "ScoreStore", "StoredScore"]
