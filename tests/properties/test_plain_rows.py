"""Rows are decoded in two ways, a quick one and a thorough one: both read the same, or tell the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.datasets.readers import (
    DocumentBasedReader,
    ReferenceBasedReader,
    ReferenceDocumentBasedReader,
    SummaryOnlyReader,
)
from rubrica.datasets.readers.line_blocks import LineBlock
from rubrica.datasets.readers.plain_rows import PlainRows
from rubrica.datasets.readers.rows import RowReader
from rubrica.errors import DataError


class PluginReader(RowReader):
    """Fields in another order than the readers that come with Rubrica, and one they do not know."""

    name = "plugin"
    fields = ("documents", "topics", "references", "summary")


READERS = [
    ReferenceBasedReader,
    DocumentBasedReader,
    ReferenceDocumentBasedReader,
    SummaryOnlyReader,
    PluginReader,
]
KEYS = ["instance_id", "summarizer_id", "summarizer_type", "summary"]
KEYS += ["reference", "references", "document", "documents", "topics", "language", "lang", "text"]


class Number(float):
    """A number as it is spelt."""

    def __new__(cls, spelt: str) -> Number:
        made = super().__new__(cls, 0.5)
        made.spelt = spelt
        return made

    spelt: str


def encode(value: Any) -> str:
    """JSON in which a key may stand twice: an object is a list of pairs."""
    if isinstance(value, Number):
        return value.spelt
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{json.dumps(k)}: {encode(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(encode, value)) + "]"
    return json.dumps(value, ensure_ascii=len(value) % 2 == 0 if isinstance(value, str) else True)


# Half a pair of surrogates can be written in JSON; it is no text.
LETTERS = st.sampled_from(["", "a", "é", "漢", "\U0001f600", "\x00", '"', "\\", "\ud83d", "\u2028"])
TEXT = st.text(max_size=6) | st.lists(LETTERS, max_size=2).map("".join)
NUMBER = st.sampled_from(["0", "-1", "7", "1.5", "-0.0", "1e999", "-1E+400", "1e-999", "9" * 30])
NUMBER |= st.sampled_from(["1" + "0" * 308, "1" + "0" * 309, "9" * 5000, "NaN", "01", "1."])
LEAF = st.none() | st.booleans() | NUMBER.map(Number) | TEXT | st.sampled_from(["peer", "de", ""])


def objects(values: st.SearchStrategy[Any], *keys: str) -> st.SearchStrategy[Any]:
    names = st.sampled_from(keys) | TEXT
    return st.lists(st.tuples(names, values), max_size=4).map(tuple)


ANY = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | objects(inner, *KEYS), max_leaves=8
)
SENTENCES = TEXT | st.lists(TEXT, max_size=3)
LANGUAGE = st.none() | st.sampled_from(["de", "zh_Hant", "German", ""])
PAIRS_OF_TEXT = st.lists(
    st.tuples(st.just("text"), SENTENCES)
    | st.tuples(st.sampled_from(["language", "lang"]), LANGUAGE)
    | st.tuples(TEXT, ANY),
    max_size=3,
).map(tuple)
FIELD = SENTENCES | SENTENCES.map(lambda text: (("text", text),)) | PAIRS_OF_TEXT
ID = st.text(min_size=1, max_size=3) | st.integers(0, 9) | st.just("")
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "instance_id": ID,
    "summarizer_id": ID,
    "summarizer_type": st.sampled_from(["peer", "reference", "other"]),
    "summary": FIELD,
    "reference": st.none() | FIELD,
    "references": st.none() | st.lists(FIELD, max_size=3),
    "document": st.none() | FIELD,
    "documents": st.none() | st.lists(FIELD | st.lists(SENTENCES, max_size=2), max_size=3),
    "topics": st.lists(FIELD, max_size=2),
    "language": LANGUAGE,
    "lang": LANGUAGE,
}
PLAIN: dict[str, Any] = {
    "instance_id": "d",
    "summarizer_id": "s",
    "summarizer_type": "peer",
    "summary": "a",
    "references": [(("text", ["b", "c"]), ("summarizer_id", "A"))],
    "documents": ["e"],
}


@st.composite
def rows(draw: st.DrawFn) -> Any:
    """A plain row with some of its fields changed, left out, written again or in another order."""
    pairs = [(name, PLAIN[name]) for name in draw(st.permutations(list(PLAIN)))]
    for name in draw(st.lists(st.sampled_from([*VALUES, "other", "more"]), max_size=2)):
        fitting = name in VALUES and draw(st.integers(0, 3))
        value = draw(VALUES[name] if fitting else ANY)
        pairs.insert(draw(st.integers(0, len(pairs))), (name, value))
    if not draw(st.integers(0, 4)):
        del pairs[draw(st.integers(0, len(pairs) - 1))]
    return tuple(pairs)


def told(read: RowReader, data: bytes) -> list[str]:
    """Every instance with all that it holds, in order; then the error."""
    made = []
    try:
        made += [
            repr((one, list(one.fields.items())))
            for one in read.read_piece(LineBlock("in.jsonl", 4, data))
        ]
    except DataError as error:
        made.append(repr((error, error.file, error.line)))
    return made


def assert_same(reader: RowReader, data: bytes) -> None:
    quick = told(reader, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowReader, "_plain", lambda self: None)
        assert quick == told(reader, data)


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
@given(found=st.lists(rows(), min_size=1, max_size=3))
def test_both_ways_read_the_same_of_any_rows(reader: Any, found: list[Any]) -> None:
    data = "\n".join(map(encode, found)).encode("utf-8", "surrogatepass")
    assert_same(reader(), data)
    assert_same(reader(default_summarizer_id="x", default_summarizer_type="reference"), data)


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
@given(data=st.data())
def test_both_ways_read_the_same_of_damaged_rows(reader: Any, data: st.DataObject) -> None:
    line = encode((*PLAIN.items(), ("other", [1, "é"]))).encode()
    at = data.draw(st.integers(0, len(line)))
    new = data.draw(st.binary(max_size=4) | st.sampled_from([b"\xff", b"\xed\xa0\x80", b"\\ud800"]))
    cut = line[:at] + new + line[at + data.draw(st.integers(0, 3)) :]
    assert_same(reader(), cut)


def line_with(more: str) -> bytes:
    """A plain row with further fields, or other values of its own."""
    own = {name: value for name, value in PLAIN.items() if f'"{name}"' not in more}
    if "\\u0073ummary" in more:
        del own["summary"]
    return encode(tuple(own.items()))[:-1].encode() + f", {more}}}".encode("latin-1")


TRICKS = [
    b'"other": 1e999',
    b'"other": {"deep": [-1E400]}',
    b'"other": ' + b"9" * 5000,
    b'"other": "' + b"9" * 5000 + b'\\"", "more": 1e999',
    b'"other": 1e999, "more": NaN',
    b'"other": 1e400.5',
    b'"other": "\xff"',
    b'"\xc0\x80": 1',
    b'"other": "\\ud83d"',
    b'"other": ' + b"[" * 5000 + b"]" * 5000,
    b'"references": [{"text": "b", "language": "de"}]',
    b'"reference": {"text": ["b", "c"], "lang": "de"}',
    b'"documents": [{"text": "e", "language": "de"}]',
    b'"topics": ["f"]',
    b'"topics": "f"',
    b'"language": "de", "language": null',
]


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
@pytest.mark.parametrize("more", TRICKS, ids=lambda more: more[:40].decode("ascii", "replace"))
def test_both_ways_read_the_same_of_known_tricks(reader: Any, more: bytes) -> None:
    assert_same(reader(), line_with(more.decode("latin-1")))


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
@pytest.mark.parametrize(
    ("more", "key"),
    [
        ('"summary": "b"', "summary"),
        ('"other": 1, "other": 2', "other"),
        ('"other": {"a": [{"b": 1, "\\u0062": 2}]}', "b"),
        ('"other" : 1, "other" : ":"', "other"),
    ],
)
def test_a_key_that_appears_twice_is_an_error(reader: Any, more: str, key: str) -> None:
    line = encode(tuple(PLAIN.items()))[:-1].encode() + f", {more}}}".encode()
    assert_same(reader(), line)
    with pytest.raises(DataError, match=rf"in\.jsonl:4: the key '{key}' appears twice"):
        list(reader().read_piece(LineBlock("in.jsonl", 4, line)))
    assert reader().read_columns(LineBlock("in.jsonl", 4, line)) is None


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
@pytest.mark.parametrize(
    "more",
    [
        '"other": "\\u00e9", "more": [{"deep": [[null, true, 1.5e3]]}]',
        '"language": null, "lang": null',
        '"summary": {"text": ["a", ""], "id": 7, "lang": null}',
        '"instance_id": "other"',
        '"reference": null, "document": null',
        '"references": [], "documents": []',
        '"\\u0073ummary": ""',
    ],
)
def test_the_quick_way_takes_what_is_plain(reader: Any, more: str) -> None:
    line = line_with(more)
    assert PlainRows(reader.fields).instance(line, "in.jsonl", 4) is not None
    assert_same(reader(), line)
