"""Prompts: versioned files whose placeholders name the fields they need."""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from rubrica.errors import DataError, UnknownNameError
from rubrica.metrics.judge.unit_rules import UnitRules, read_unit_rules

FOLDER = Path(__file__).parent / "prompts"
Kind = Literal["rating", "pairwise", "checklist", "units"]
Messages: TypeAlias = list[dict[str, str]]
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TAG = re.compile(r"</?\s*([\w-]+)[^<>]*>")
_NAME = re.compile(r"[\w-]+")
_VERSION = re.compile(r"[\w.-]+")
_TEXTS = ("name", "version", "kind", "system", "template", "answer", "source", "extract")
_UNIT_KEYS = {"units", "extract", "labels", "weights", "ignored", "lines"}
_KEYS = {*_TEXTS, *_UNIT_KEYS, "lowest", "highest", "questions", "max_tokens"}
# Enough for a number or a word.
_MAX_TOKENS = 16
# Placeholders that a template of each kind must have, and those it may have.
_REQUIRED: Mapping[str, set[str]] = {
    "rating": {"summary"},
    "pairwise": {"summary_a", "summary_b"},
    "checklist": {"summary", "question"},
    "units": {"units"},
}
_CONTEXT = {
    "document": "documents",
    "numbered_documents": "documents",
    "reference": "references",
    "query": "query",
}


# Markers of turns in chat templates. <|im_end|>, <|eot_id|> and their like, also with full-width bars;
# those of Llama 2 and Mistral; those of Gemma; beginnings and ends of sequences, thoughts and calls of tools.
_TURN = re.compile(
    r"<(?=[|\uff5c][\w\u2581-]+[|\uff5c]>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
# What reasoning models write before they answer.
_THOUGHTS = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with what its answers mean: a number of a scale, a letter, yes and no, or labels of units."""

    name: str
    version: str
    kind: Kind
    template: str
    digest: str
    system: str = ""
    lowest: float = 1
    highest: float = 5
    questions: tuple[str, ...] = ()
    # Pattern of the verdict in an answer; None if the whole answer is the verdict.
    answer: re.Pattern[str] | None = None
    # Longest answer in tokens that the prompt needs.
    max_tokens: int = _MAX_TOKENS
    # Where the method was published.
    source: str = ""
    # Of the kind units.
    rules: UnitRules | None = None

    def context_fields(self) -> tuple[str, ...]:
        """Return the instance fields that the prompt shows."""
        extract = self.rules.extract if self.rules is not None else ""
        shown = self.placeholders(self.template + self.system + extract)
        return tuple(dict.fromkeys(field for word, field in _CONTEXT.items() if word in shown))

    def placeholders(self, template: str) -> set[str]:
        """Return the placeholders of a template."""
        return set(_PLACEHOLDER.findall(template))

    def messages(self, user_template: str = "", **texts: str) -> Messages:
        """Return the conversation. Texts cannot contain placeholders, end themselves, or start another turn."""
        template = user_template or self.template
        tags = {tag.lower() for tag in _TAG.findall(template + self.system)}
        safe_texts = {name: _neutralize(text, tags) for name, text in texts.items()}
        turns = []
        if self.system:
            turns.append({"role": "system", "content": _fill(self.system, safe_texts)})
        return [*turns, {"role": "user", "content": _fill(template, safe_texts)}]

    def verdict(self, answer: str) -> str:
        """Return the part of an answer to parse: without marked reasoning, and as the pattern `answer` selects."""
        text = _THOUGHTS.sub("", answer)
        if self.answer is None:
            return text
        # Take the last match: reasoning models repeat the requested format.
        matches = list(self.answer.finditer(text))
        return matches[-1][1] or "" if matches else ""


def prompt_names() -> list[str]:
    """Return the names of the built-in prompts."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find_prompt(name: str) -> Prompt:
    """Return a built-in prompt by name, or one from a TOML file by path."""
    path = Path(name).expanduser() if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        if name.endswith(".toml"):
            raise DataError("no such file; expected a TOML file with a prompt", file=name)
        raise UnknownNameError(
            "prompt", name, prompt_names(), remedy="For your own prompt, name its .toml file"
        )
    try:
        content = path.read_bytes()
        values = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except ValueError as error:
        raise DataError(f"not valid TOML: {error}", file=str(path)) from error
    return _make_prompt(values, str(path), hashlib.sha256(content).hexdigest()[:8])


def _make_prompt(values: dict[str, Any], file: str, digest: str) -> Prompt:
    for key in values:
        if key not in _KEYS:
            raise UnknownNameError("key", key, _KEYS, owner=file)
    for key in _TEXTS:
        if key in values and not isinstance(values[key], str):
            raise DataError(f"{key!r} must be a text, not {values[key]!r}", file=file)
    for key in ("name", "version", "kind", "template"):
        if not values.get(key, "").strip():
            raise DataError(f"a prompt needs {key!r}, a text", file=file)
    if not _NAME.fullmatch(values["name"]) or not _VERSION.fullmatch(values["version"]):
        raise DataError(
            "'name' names a measure, so it may hold only letters, digits, _ and -; 'version' may also have dots",
            file=file,
        )
    kind = values["kind"]
    if kind not in get_args(Kind):
        raise DataError(f"'kind' is {kind!r}, not one of {', '.join(get_args(Kind))}", file=file)
    _check_placeholders(values, file)
    lowest, highest = (values.get(key, default) for key, default in (("lowest", 1), ("highest", 5)))
    if not (_is_number(lowest) and _is_number(highest) and lowest < highest):
        raise DataError("'lowest' and 'highest' must be numbers with lowest < highest", file=file)
    questions = values.get("questions", [])
    if not isinstance(questions, list) or not all(
        isinstance(question, str) and question.strip() for question in questions
    ):
        raise DataError("'questions' must be a list of texts", file=file)
    if (kind == "checklist") != bool(questions):
        raise DataError(
            "only the kind 'checklist' has 'questions', and it needs at least one", file=file
        )
    if kind != "units" and (foreign := _UNIT_KEYS & set(values)):
        raise DataError(f"only the kind 'units' has {', '.join(sorted(foreign))}", file=file)
    max_tokens = values.get("max_tokens", _MAX_TOKENS)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 1:
        raise DataError("'max_tokens' must be a whole number above 0", file=file)
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
        _pattern(values.get("answer"), file),
        max_tokens,
        values.get("source", "").strip(),
        read_unit_rules(values, file) if kind == "units" else None,
    )


def _check_placeholders(values: dict[str, Any], file: str) -> None:
    kind = values["kind"]
    placeholders = set(_PLACEHOLDER.findall(values["template"] + values.get("system", "")))
    required = _REQUIRED[kind]
    if not required <= placeholders:
        missing = ", ".join("{{" + name + "}}" for name in sorted(required - placeholders))
        raise DataError(f"the template of kind {kind!r} lacks {missing}", file=file)
    unknown = (
        placeholders
        - required
        - set(_CONTEXT)
        - ({"lowest", "highest"} if kind == "rating" else set())
        - ({"summary", "sentences"} if kind == "units" else set())
    )
    if unknown:
        raise DataError(
            f"the template has unknown placeholders: {', '.join(sorted(unknown))}", file=file
        )


def _pattern(text: str | None, file: str) -> re.Pattern[str] | None:
    if text is None:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise DataError(f"'answer' is not a regular expression: {error}", file=file) from error
    if pattern.groups != 1:
        raise DataError(
            "'answer' must have one group, which matches the answer: 'Rating: (.*)'", file=file
        )
    return pattern


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _neutralize(text: str, tags: Set[str]) -> str:
    """Return the text with the template's tags and chat-turn markers made inert."""

    def inert(tag: re.Match[str]) -> str:
        return f"&lt;{tag[0][1:]}" if tag[1].lower() in tags else tag[0]

    return _TURN.sub(lambda match: f"{match[0]} ", _TAG.sub(inert, text))


def _fill(template: str, texts: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: texts[match[1]], template)
