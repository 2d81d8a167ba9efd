"""JSON lines, read and written as SacreROUGE does."""

from rubrica.compat.sacrerouge.io.jsonl import JsonlReader, JsonlWriter

__all__ = ["JsonlReader", "JsonlWriter"]
