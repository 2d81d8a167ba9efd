"""AggreFact (Tang et al. 2023): nine sets of factuality labels in one table, four with types of errors."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from rubrica.datasets.base import Dataset
from rubrica.datasets.judgments import Judgments, write_parts
from rubrica.datasets.output import Output
from rubrica.datasets.raw.names import DocumentIds, free_summarizer
from rubrica.datasets.raw.record import Record
from rubrica.datasets.raw.spelling import letters
from rubrica.datasets.raw.tree import Raw

FILES = {"": "aggre_fact_final.csv", "sota.": "aggre_fact_sota.csv"}
WORKBOOKS = "AggreFact-Unified-*.xlsx"
ERROR_TYPES = (
    "intrinsic-NP",
    "extrinsic-NP",
    "intrinsic-predicate",
    "extrinsic-predicate",
    "intrinsic-entire_sent",
    "extrinsic-entire_sent",
    "noise",
)
# Names of data sets that differ between workbooks and tables.
_ALIASES = {"goyaldurrett2021": "goyal21"}
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_Key = tuple[str, str, str]


@dataclass(slots=True)
class Errors:
    """The errors that annotators found in a summary."""

    types: set[str] = field(default_factory=set)
    spans: list[str] = field(default_factory=list)
    category: str | None = None


@Dataset.register("aggrefact")
class AggreFact(Dataset):
    """AggreFact: CNN/DM and XSum summaries of nine data sets, consistent (1) or not (0)."""

    licence = "no licence stated; the nine data sets have terms of their own"
    homepage = "https://github.com/Liyan06/AggreFact"
    size = "not stated"
    needs = (
        "aggre_fact_final.csv and aggre_fact_sota.csv, from a clone of "
        "https://github.com/Liyan06/AggreFact (data/)",
        "AggreFact-Unified-val.xlsx and AggreFact-Unified-test.xlsx beside them, for the types of "
        "errors (optional)",
    )
    citation = (
        "Tang et al. 2023. Understanding Factual Errors in Summarization: Errors, Summarizers, "
        "Datasets, Error Detectors. ACL"
    )

    def write(self, raw: Raw, out: Output) -> None:
        """Write `{val,test}.*`, and `sota.{val,test}.*` with the newer systems only."""
        if not raw.some(*FILES.values()):
            raise raw.missing(" or ".join(FILES.values()))
        errors = _error_types(raw)
        joined: set[_Key] = set()
        for prefix, name in FILES.items():
            parts: dict[str, Judgments] = defaultdict(Judgments)
            ids: dict[str, DocumentIds] = defaultdict(DocumentIds)

            def add_record(
                record: Record,
                parts: dict[str, Judgments] = parts,
                ids: dict[str, DocumentIds] = ids,
            ) -> None:
                cut, document = record.string("cut"), record.string("doc")
                if cut not in ("val", "test"):
                    raise record.error(f"unknown cut {cut!r}: expected val or test")
                source = record.string("dataset")
                label = record.number("label")
                detectors = {
                    name.removesuffix("_score"): record.number(name)
                    for name, value in record.values.items()
                    if name.endswith("_score") and value not in (None, "")
                }
                # Some data sets have no ids, so documents are also distinguished by their texts.
                base = record.identifier("id") if record.required("id") else "document"
                text = record.string("summary")
                topic = ids[cut].of(f"{source}-{base}", document)
                part = parts[cut]
                if topic not in part.documents:
                    about = {"dataset": source, "origin": record.values.get("origin")}
                    part.add_documents(topic, [{"text": document}], **about)
                named = record.required("model_name")
                model = record.identifier("model_name") if named else "unknown"
                system = free_summarizer(part, topic, model, text)
                key = _key(source, base, text)
                # If two systems wrote the same text, the name decides.
                by_model = errors.get(key, {})
                marked = by_model.get(letters(model)) or next(iter(by_model.values()), Errors())
                part.add_summary(
                    topic,
                    system,
                    text,
                    category=marked.category,
                    error_spans=marked.spans or None,
                )
                part.add_scores(topic, system, {"label": label})
                if marked.types:
                    joined.add(key)
                    marks = {kind: int(kind in marked.types) for kind in ERROR_TYPES}
                    part.add_scores(topic, system, {"error_types": marks})
                part.add_published(topic, system, detectors)

            file = raw.maybe(name)
            raw.for_each(file.records() if file is not None else (), add_record)
            write_parts(parts, out, prefix)
        out.leave_out("error types of a summary that is not there", len(set(errors) - joined))


def _error_types(raw: Raw) -> dict[_Key, dict[str, Errors]]:
    """Return the errors in the workbooks, by system; a summary is in one sheet per type of error."""
    by_summary: dict[_Key, dict[str, Errors]] = defaultdict(dict)

    def add_errors(record: Record) -> None:
        types = set(_listed(record.string("error_type")))
        if not types or not types <= set(ERROR_TYPES):
            value = record.values["error_type"]
            raise record.error(f"error types {value!r}; known are {', '.join(ERROR_TYPES)}")
        key = _key(record.string("dataset"), record.identifier("id"), record.string("summ"))
        model = letters(str(record.values.get("model_name", "")))
        errors = by_summary[key].setdefault(model, Errors())
        errors.types |= types
        errors.category = record.values.get("category") or errors.category
        if not errors.spans:
            errors.spans = list(_listed(str(record.values.get("annotated_span") or "")))

    for file in raw.some(WORKBOOKS):
        raw.for_each(file.records(), add_errors)
    return dict(by_summary)


def _key(source: str, base: str, summary: str) -> _Key:
    """Return a key that is the same in tables and workbooks, which spell names and texts differently."""
    name = letters(source)
    return _ALIASES.get(name, name), base, letters(summary)


def _listed(text: str) -> Iterator[str]:
    """Yield the texts in a printed Python list, without `nan` (an annotator without a span)."""
    for match in _QUOTED.finditer(text):
        inner = match[1] if match[1] is not None else match[2]
        yield re.sub(r"\\(.)", r"\1", inner)
