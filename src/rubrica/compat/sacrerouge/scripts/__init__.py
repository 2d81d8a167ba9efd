"""Scripts of SacreROUGE."""
