"""Tables of public files with their sizes and hashes, kept beside the code."""

from __future__ import annotations

from importlib.resources import files

from rubrica.data.resource import Resource


def resource_table(name: str) -> tuple[Resource, ...]:
    """Read the resources in `public/NAME.tsv`: lines `file, size, sha256, url` under one `licence` line."""
    text = files("rubrica.datasets").joinpath("public").joinpath(f"{name}.tsv").read_text("utf-8")
    licence, *lines = text.splitlines()
    rows = (line.split("\t") for line in lines if line)
    return tuple(
        Resource(file, url, digest, int(size), licence) for file, size, digest, url in rows
    )
