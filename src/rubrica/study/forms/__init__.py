"""Kinds of annotation tasks: each is one class, defined for a study by one TOML file."""
