"""Languages of texts: read where rows say them, of texts and of rows, and never in the way of a score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.instance import UNKNOWN_LANGUAGES, Languages
from rubrica.datasets.readers import DatasetReader
from rubrica.datasets.readers.pyramids import PyramidBasedReader
from rubrica.datasets.readers.row import Row, language_of

IDS = {"instance_id": "d", "summarizer_id": "s", "summarizer_type": "peer"}


def languages(**more: Any) -> Languages:
    return Row(IDS | more, "file", 1, "reader").languages()


def test_a_row_says_it_for_all_its_texts_and_a_text_for_itself() -> None:
    own = languages(summary="a", references=["b", {"text": "c", "language": "fr"}], language="de")
    assert own == Languages("de", ("de", "fr"))
    assert languages(summary={"text": "a", "lang": "ja"}, reference="b") == Languages("ja", ("",))
    assert languages(summary={"text": "a", "lang": "ja"}, reference="b").reference(0) == "ja"
    assert own.reference(7) == "de"


def test_most_rows_say_nothing() -> None:
    assert languages(summary="a", references=["b"]) is UNKNOWN_LANGUAGES
    assert languages(summary="a", references="no list") is UNKNOWN_LANGUAGES


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"language": "pt-BR"}, "pt-BR"),
        ({"lang": "zh_Hant"}, "zh-Hant"),
        ({"language": "German"}, ""),
        ({"language": ""}, ""),
        ({"language": 7}, ""),
        ({"lang": '"><script>'}, ""),
        ("en", ""),
        (None, ""),
    ],
)
def test_only_codes_count(value: object, expected: str) -> None:
    assert language_of(value) == expected


def test_readers_pass_them_on_and_instances_stay_equal(tmp_path: Path) -> None:
    row = IDS | {"summary": "a", "references": ["b"]}
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row | {"language": "th"}) + "\n" + json.dumps(row) + "\n")
    one, two = DatasetReader.from_config("reference-based").read(str(file))
    assert (one.languages.summary, two.languages.summary) == ("th", "")
    assert one == two, "what a text is does not depend on what is said about it"


def read(folder: Path, reader: str, *files: dict[str, Any]) -> Languages:
    """The languages of the one row of the last file."""
    for at, row in enumerate(files):
        (folder / f"{at}.jsonl").write_text(json.dumps(row))
    named = [str(folder / f"{at}.jsonl") for at in range(len(files))]
    [one] = DatasetReader.from_config(reader).read(*named)
    return one.languages


def test_references_in_a_file_of_their_own_keep_theirs(tmp_path: Path) -> None:
    own = {"text": "b", "language": "fr", "summarizer_id": "A"}
    by_author = {"text": "c", "language": "it", "summarizer_id": "s"}
    references = {"instance_id": "d", "references": ["a", own, by_author], "language": "de"}
    summary = IDS | {"summary": {"text": "a", "lang": "th"}, "language": "ja"}
    found = read(tmp_path, "split-reference-based", references, summary)
    assert found == Languages("th", ("de", "fr"))


@pytest.mark.parametrize("reader", ["summary-only", "document-based"])
def test_only_texts_that_are_read_have_one(tmp_path: Path, reader: str) -> None:
    row = IDS | {"summary": "a", "document": "c", "reference": {"text": "b", "language": "fr"}}
    assert read(tmp_path, reader, row) is UNKNOWN_LANGUAGES


def test_pyramids_have_one(tmp_path: Path, news: Path) -> None:
    row = json.loads((news / "pyramids.jsonl").read_text().splitlines()[0])
    file = tmp_path / "pyramids.jsonl"
    file.write_text(json.dumps(row | {"lang": "ar"}))
    (made,) = PyramidBasedReader().read_pyramids(str(file))
    assert made.language == made.remove_summary(0).language == made.get_annotation(0).language
    assert made.language == "ar"
