"""The CNN and Daily Mail stories of Hermann et al. (2015): an article, then its highlights."""

from __future__ import annotations

from collections.abc import Iterator

from rubrica.datasets.raw.file import RawFile
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import MissingResourceError

LICENCE = (
    "CNN and Daily Mail articles belong to their publishers; the stories are for research, from "
    "https://cs.nyu.edu/~kcho/DMQA/"
)
ARCHIVES = ("cnn_stories.tgz", "dailymail_stories.tgz")
NEEDS = "cnn_stories.tgz and dailymail_stories.tgz (or their folders), for the documents"


class Stories:
    """Articles by hash, from archives or unpacked folders, read on demand."""

    def __init__(self, raw: Raw) -> None:
        self._files: dict[str, RawFile] = {}
        for file in raw.some("*.story"):
            self._files[file.name.removesuffix(".story")] = file

    def __bool__(self) -> bool:
        return bool(self._files)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and _name(path) in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._files))

    def article(self, path: str) -> list[str]:
        """Return the paragraphs of a story, by its hash or by a path that ends in `HASH.story`."""
        return parse_story(self._text(path))[0]

    def highlights(self, path: str) -> list[str]:
        """Return the highlights of a story, which are its summary."""
        return parse_story(self._text(path))[1]

    def _text(self, path: str) -> str:
        name = _name(path)
        if name not in self._files:
            raise MissingResourceError(
                f"no story {name} below --from; it needs {' and '.join(ARCHIVES)}"
            )
        return self._files[name].text()


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".story")


def parse_story(text: str) -> tuple[list[str], list[str]]:
    """Return paragraphs and highlights; each highlight follows a line `@highlight`."""
    article, *highlights = text.split("@highlight")
    return _lines(article), [
        " ".join(_lines(highlight)) for highlight in highlights if highlight.strip()
    ]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
