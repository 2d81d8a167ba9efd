"""`Row`: the values of one row, read as ids and texts; each error says where, what and who needs it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any, get_args

from rubrica.data.instance import (
    UNKNOWN_LANGUAGES,
    EvalInstance,
    Fields,
    Languages,
    SummarizerType,
    Text,
)
from rubrica.errors import DataError, near_names, place

# Fields of several texts, and the names they have where a row has one.
SINGULAR_NAMES = {"references": "reference", "documents": "document"}
# What to do, by reader, if the other file of a pair holds them.
_SPLIT = {
    f"{name}-based": f". For {name}s in a file of their own: "
    f"--dataset-reader split-{name}-based --input-files {name.upper()}S SUMMARIES"
    for name in SINGULAR_NAMES.values()
}
LANGUAGE_KEYS = ("language", "lang")
_TYPES = get_args(SummarizerType)
_FIELDS = {"instance_id", "summarizer_id", "summarizer_type", "summary"}
_FIELDS |= {*SINGULAR_NAMES, *SINGULAR_NAMES.values()}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")


class Row:
    """One row of a file, with its place and the name of the reader that reads it."""

    __slots__ = ("file", "line", "reader", "values")

    def __init__(self, values: dict[str, Any], file: str, line: int, reader: str) -> None:
        self.values, self.file, self.line, self.reader = values, file, line, reader

    @property
    def who(self) -> str:
        """Who reads the row, for messages."""
        return f"reader {self.reader!r}"

    @property
    def origin(self) -> str:
        """`file:line`."""
        return place(self.file, self.line)

    def error(self, message: str) -> DataError:
        """An error at this row, to be raised."""
        return DataError(message, file=self.file, line=self.line)

    def missing(self, name: str, remedy: str = "") -> DataError:
        """The error for a field that is not there, or null."""
        if name in self.values:
            message = f"field {name!r} is null"
        else:
            message = f"no field {name!r} ({found_hint(name, self.values)})"
        return self.error(f"{message}; {self.who} needs it{remedy}")

    def required(self, name: str, default: Any = None, remedy: str = "") -> Any:
        """A field's value; `default`, unless None, is for rows without the field."""
        value = self.values.get(name)
        if value is None and default is None:
            raise self.missing(name, remedy)
        return default if value is None else value

    def identifier(self, name: str, default: str | None = None, remedy: str = "") -> str:
        """An id; JSON integers are taken as their digits."""
        return self.as_identifier(self.required(name, default, remedy), name)

    def as_identifier(self, value: Any, name: str, target: str | None = None) -> str:
        """A value as an id: text, or an integer; `target` is the field that can be mapped to another column."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value:
            return value
        remedy = ""
        if target is not None and isinstance(value, dict) and value:
            path = f"{name}.{next(iter(value))}"
            remedy = f'; map a key inside it with its path: `fields={{"{target}": "{path}"}}`'
        raise self.error(
            f"field {name!r} must be an id (text or integer), found {_kind(value)}{remedy}"
        )

    def as_type(self, value: Any, name: str) -> str:
        """A value as a summarizer type."""
        if value not in _TYPES:
            raise self.error(f"field {name!r} must be 'peer' or 'reference', found {_kind(value)}")
        return str(value)

    def text(self, name: str) -> Text:
        """The required text field `name`."""
        return self.as_text(self.required(name), name)

    def as_text(self, value: Any, name: str, *, nested: bool = False) -> Text:
        """A value as a text: a string, a list of sentences, or an object with either as `text`.

        With `nested`, lists of lists (paragraphs) are allowed and made one flat list.
        """
        if isinstance(value, dict):
            if value.get("text") is None:
                raise self.error(f"field {name!r} has no 'text' (found: {listed(value)})")
            value, name = value["text"], f"{name}.text"
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            sentences = _flat(value) if nested else value
            for sentence in sentences:
                if not isinstance(sentence, str):
                    raise self.error(
                        f"field {name!r} must hold sentences (text), found {_kind(sentence)} in it"
                    )
            return sentences
        raise self.error(
            f"field {name!r} must be text or a list of sentences, found {_kind(value)}"
        )

    def as_texts(self, value: Any, name: str, *, nested: bool = False) -> list[Text]:
        """A list, each item one text."""
        if not isinstance(value, list):
            raise self.error(f"field {name!r} must be a list of texts, found {_kind(value)}")
        return [self.as_text(v, f"{name}[{i}]", nested=nested) for i, v in enumerate(value)]

    def texts(self, many: str) -> list[Text] | None:
        """The texts in a field of several, or the one under its singular; None when neither is there.

        SacreROUGE silently takes one when both are there; here they must agree.
        """
        singular, nested = SINGULAR_NAMES[many], many == "documents"
        several, single = self.values.get(many), self.values.get(singular)
        if single is None:
            return None if several is None else self.as_texts(several, many, nested=nested)
        texts = [self.as_text(single, singular, nested=nested)]
        if several is not None and self.as_texts(several, many, nested=nested) != texts:
            raise self.error(
                f"fields {singular!r} and {many!r} are both there and differ; remove one"
            )
        return texts

    def required_texts(self, many: str) -> list[Text]:
        """The same, where there must be one or the other."""
        texts = self.texts(many)
        if texts is None:
            remedy = _SPLIT.get(self.reader, "")
            raise self.missing(
                SINGULAR_NAMES[many] if SINGULAR_NAMES[many] in self.values else many, remedy
            )
        return texts

    def instance(
        self,
        ids: tuple[str, str, str],
        fields: dict[str, Any],
        languages: Sequence[str] | None = None,
    ) -> EvalInstance:
        """The instance of this row; `ids` are instance id, summarizer id and summarizer type.

        `told` are the languages of references that are not the row's own.
        """
        if languages is None and "references" not in fields:
            languages = ()
        return EvalInstance(*ids, Fields(fields), self.origin, self.languages(languages))

    def languages(self, of_references: Sequence[str] | None = None) -> Languages:
        """What `language` (or `lang`) says, of a text that is an object or of the whole row."""
        summary = language_of(self.values.get("summary")) or language_of(self.values)
        references = (
            self.languages_of_references() if of_references is None else tuple(of_references)
        )
        # Most rows say nothing.
        if not (summary or any(references)):
            return UNKNOWN_LANGUAGES
        return Languages(summary, references)

    def languages_of_references(self) -> tuple[str, ...]:
        """That of each reference, its own or the row's."""
        several, own = self.values.get("references"), language_of(self.values)
        if several is None:
            single = self.values.get("reference")
            several = [] if single is None else [single]
        return (
            tuple(language_of(reference) or own for reference in several)
            if isinstance(several, list)
            else ()
        )


def language_of(value: object) -> str:
    """The code of a language that an object names; "" where it names none, or something else."""
    if not isinstance(value, dict):
        return ""
    language = next(filter(None, map(value.get, LANGUAGE_KEYS)), None)
    # A name in words ("German") is no code; it helps nobody to refuse the row for it.
    if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        return ""
    return language.replace("_", "-")


def found_hint(name: str, names: Collection[str]) -> str:
    """What was found where `name` was looked for, with the likeliest of them; for a message."""
    # A field in its own right is no misspelling of another; difflib is slow on what strangers send.
    others = [other for other in islice(names, 200) if len(other) < 80 and other not in _FIELDS]
    near = near_names(name, others, 1)
    message = f"found: {listed(names)}"
    return f"{message}; did you mean {near[0]!r}?" if near else message


def listed(names: Collection[str], limit: int = 12) -> str:
    """Names for a message; those from outside may be many, long, or not fit for a terminal."""
    shown = [_short(name if name.isprintable() else repr(name)) for name in islice(names, limit)]
    return ", ".join(shown) + (", ..." if len(names) > limit else "") or "nothing"


def quoted(value: object) -> str:
    """A value for a message, quoted, safe for a terminal and not longer than a few words."""
    return _short(repr(value[:99] if isinstance(value, str) else value))


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _kind(value: object) -> str:
    """A value in the words of JSON; texts and numbers as they are."""
    if value is None or value == "":
        return "null" if value is None else "empty text"
    if isinstance(value, (bool, int, float, str)):
        return quoted(value)
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return f"a value of type {type(value).__name__}"


def _flat(value: list[Any]) -> list[Any]:
    """Nested lists as one; without recursion, because the depth is chosen by strangers."""
    flat, waiting = [], [iter(value)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, list):
                waiting.append(iter(item))
                break
            flat.append(item)
        else:
            waiting.pop()
    return flat
