"""Convert checkpoints of other programs; only the conversion commands import this."""
