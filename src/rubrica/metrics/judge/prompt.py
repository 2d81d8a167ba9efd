"""Prompts: files with a version, whose placeholders say what they need."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from rubrica.errors import DataError, UnknownNameError

FOLDER = Path(__file__).parent / "prompts"
Kind = Literal["rating", "pairwise", "checklist"]
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_KEYS = {
    "name",
    "version",
    "kind",
    "system",
    "template",
    "lowest",
    "highest",
    "questions",
    "source",
}
# What a template of a kind must hold, and what it may hold beside.
_WANTED: Mapping[str, set[str]] = {
    "rating": {"summary"},
    "pairwise": {"summary_a", "summary_b"},
    "checklist": {"summary", "question"},
}
_CONTEXT = {"document": "documents", "reference": "references"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with what its answers mean: a number of a scale, a letter, or yes and no."""

    name: str
    version: str
    kind: Kind
    template: str
    digest: str
    system: str = ""
    lowest: float = 1
    highest: float = 5
    questions: tuple[str, ...] = ()

    def context_fields(self) -> tuple[str, ...]:
        """The fields of an instance that it shows."""
        shown = set(_PLACEHOLDER.findall(self.template + self.system))
        return tuple(field for word, field in _CONTEXT.items() if word in shown)

    def messages(self, **texts: str) -> list[dict[str, str]]:
        """The conversation; texts are put in as they are, and nothing in them is a placeholder."""
        made = []
        if self.system:
            made.append({"role": "system", "content": _filled(self.system, texts)})
        return [*made, {"role": "user", "content": _filled(self.template, texts)}]


def find_prompt(name: str) -> Prompt:
    """A prompt that comes with Rubrica, by name; or a TOML file, by its path."""
    path = Path(name).expanduser() if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        if name.endswith(".toml"):
            raise DataError("no such file; a prompt is a TOML file", file=name)
        known = sorted(one.stem for one in FOLDER.glob("*.toml"))
        raise UnknownNameError("prompt", name, known, remedy="(or the path of a .toml file)")
    content = path.read_bytes()
    try:
        values = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        raise DataError(f"not valid TOML: {error}", file=str(path)) from error
    return _checked(values, str(path), hashlib.sha256(content).hexdigest()[:8])


def _checked(values: dict[str, Any], file: str, digest: str) -> Prompt:
    for key in values:
        if key not in _KEYS:
            raise UnknownNameError(f"key in {file}:", key, _KEYS)
    for key in ("name", "version", "kind", "template"):
        if not isinstance(values.get(key), str) or not values[key].strip():
            raise DataError(f"a prompt needs {key!r}, a text", file=file)
    kind = values["kind"]
    if kind not in get_args(Kind):
        raise DataError(f"'kind' is {kind!r}, not one of {', '.join(get_args(Kind))}", file=file)
    shown = set(_PLACEHOLDER.findall(values["template"] + values.get("system", "")))
    wanted = _WANTED[kind]
    if not wanted <= shown:
        missing = ", ".join("{{" + one + "}}" for one in sorted(wanted - shown))
        raise DataError(f"the template of kind {kind!r} lacks {missing}", file=file)
    unknown = (
        shown - wanted - set(_CONTEXT) - ({"lowest", "highest"} if kind == "rating" else set())
    )
    if unknown:
        raise DataError(
            f"the template has unknown placeholders: {', '.join(sorted(unknown))}", file=file
        )
    lowest, highest = values.get("lowest", 1), values.get("highest", 5)
    if not all(isinstance(one, (int, float)) for one in (lowest, highest)) or lowest >= highest:
        raise DataError("'lowest' and 'highest' must be numbers, the first smaller", file=file)
    questions = values.get("questions", [])
    if not isinstance(questions, list) or not all(
        isinstance(one, str) and one for one in questions
    ):
        raise DataError("'questions' must be a list of texts", file=file)
    if (kind == "checklist") != bool(questions):
        raise DataError("'questions' belong to the kind 'checklist', which needs some", file=file)
    return Prompt(
        values["name"],
        values["version"],
        kind,
        values["template"],
        digest,
        values.get("system", ""),
        lowest,
        highest,
        tuple(questions),
    )


def _filled(template: str, texts: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], template)
