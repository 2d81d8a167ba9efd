"""Read the definition of a study's tasks from one TOML file; strict, with errors that name the key."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from typing import TypeAlias

import msgspec

from rubrica.data.files import open_binary
from rubrica.data.instance import EvalInstance, Fields
from rubrica.datasets.open import read
from rubrica.datasets.readers.split_documents import SplitDocumentBasedReader
from rubrica.errors import DataError, MismatchError
from rubrica.study.forms.base import Form
from rubrica.study.forms.direct import Direct
from rubrica.study.forms.faithful import Faithful
from rubrica.study.forms.free_text import FreeText
from rubrica.study.forms.likert import Likert
from rubrica.study.forms.pair import Pair
from rubrica.study.forms.ranking import Ranking
from rubrica.study.forms.spans import Spans
from rubrica.study.forms.units import Units, Writing

Defined: TypeAlias = Likert | Direct | Pair | Ranking | Spans | Faithful | FreeText
KINDS: dict[str, type[Form]] = {
    "likert": Likert, "direct": Direct, "pair": Pair, "ranking": Ranking, "spans": Spans,
    "faithful": Faithful, "text": FreeText,
}  # fmt: skip
_HELP = "see docs/study.md, section Kinds of tasks"


def read_form(path: str | os.PathLike[str]) -> Form:
    """Return the form that a TOML file defines; an unknown key or value is an error."""
    file = os.fspath(path)
    with open_binary(path) as stream:
        data = stream.read()
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not TOML: {error}", file=file) from error
    if values.get("kind") not in KINDS:
        shown = repr(values["kind"]) if "kind" in values else "missing"
        raise DataError(f"key 'kind' is {shown}; use one of {', '.join(KINDS)}", file=file)
    try:
        form: Form = msgspec.convert(values, Defined)
    except msgspec.ValidationError as error:
        message = str(error).replace("`$.", "key `").replace(" - at `$`", "")
        raise DataError(f"not a valid definition: {message}; {_HELP}", file=file) from error
    if problem := form.problem():
        raise DataError(problem, file=file)
    return form


def encode_form(form: Form) -> str:
    """Return a form as JSON, for the study's file."""
    return msgspec.json.encode(form).decode()


def decode_form(kind: str, text: str | None) -> Form:
    """Return a stored form; a study without one has content units to mark or to write."""
    if not text:
        return Writing() if kind == "write" else Units()
    form: Form = msgspec.json.decode(text, type=Defined | Units | Writing)
    return form


def read_summaries(
    form: Form, files: list[str], documents: list[str] | None = None
) -> list[EvalInstance]:
    """Return the summaries to judge, with the texts that the form shows beside them.

    Args:
        form: The form.
        files: Files of summaries.
        documents: Files of documents (JSON lines), if the summaries' files lack them.

    Raises:
        DataError: A file cannot be read, lacks a text that the form shows, or has a summary twice.
    """
    needs = sorted({"document": "documents", "reference": "references"}[name] for name in form.show)
    if documents and "documents" not in needs:
        raise DataError('the form shows no documents; add show = ["document"] to it')
    summaries = _with_documents(files, needs, documents) if documents else _with_texts(files, needs)
    seen: dict[tuple[str, str], EvalInstance] = {}
    for instance in summaries:
        key = instance.instance_id, instance.summarizer_id
        if key in seen:
            raise DataError(f"{instance.describe()}: duplicate of {seen[key].origin}")
        seen[key] = instance
    if not summaries:
        raise DataError("no summaries", file=files[0])
    return summaries


def _with_texts(files: list[str], needs: list[str]) -> list[EvalInstance]:
    """Return summaries whose files have the texts; say how to pass documents that they lack."""
    try:
        return list(read(files, needs))
    except DataError as error:
        if "documents" not in needs or not _is_readable(files, needs):
            raise
        raise DataError(
            'no documents, which the form shows (key show = ["document"]). '
            "Pass their file with --documents",
            file=files[0],
        ) from error


def _is_readable(files: list[str], needs: list[str]) -> bool:
    try:
        return any(True for _ in read(files, [name for name in needs if name != "documents"]))
    except DataError:
        return False


def _with_documents(files: list[str], needs: list[str], documents: list[str]) -> list[EvalInstance]:
    """Return summaries, each with the documents of its input from files of their own."""
    by_input = SplitDocumentBasedReader().read_sources(documents)
    summaries = []
    for instance in read(files, [name for name in needs if name != "documents"]):
        if instance.instance_id not in by_input:
            names = ", ".join(documents)
            raise MismatchError(f"{instance.describe()}: no document of this input in {names}")
        fields = Fields(instance.fields, documents=by_input[instance.instance_id])
        summaries.append(replace(instance, fields=fields))
    return summaries
