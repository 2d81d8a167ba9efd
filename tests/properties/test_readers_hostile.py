"""Whatever bytes a reader is given, it yields well-formed instances or a `RubricaError`."""

from __future__ import annotations

import contextlib
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.data.instance import EvalInstance
from rubrica.data.pyramid import Pyramid, PyramidAnnotation
from rubrica.data.votes import UnitVotes
from rubrica.datasets.readers.base import READERS
from rubrica.errors import DataWarning, RubricaError
from support.examples import half_as_many
from support.reader_samples import SAMPLES, Sample, standard_input

NAMES = READERS.builtin_names()
KEYS = ["instance_id", "summarizer_id", "summarizer_type", "summary", "text", "id", "pred", "ref"]
KEYS += ["reference", "references", "document", "documents", "summaries", "summarizer_ids", "scus"]
KEYS += ["scu_id", "label", "contributors", "summary_index", "parts", "start", "end"]

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("peer")
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=5)
    ),
    max_leaves=12,
)
rows = st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=8), max_size=3).map(
    lambda made: "\n".join(map(json.dumps, made)).encode()
)
bits = [
    b"<t>",
    b"</t>",
    b"<q>",
    b"[X_SEP]",
    b"\\n",
    b'"',
    b",",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b"{",
    b"[",
]
bits += [
    b"id,summary\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\x1f\x8b",
    b"BZh9",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
]
marked = st.lists(st.sampled_from(bits) | st.binary(max_size=6), max_size=20).map(b"".join)


def mutated(data: bytes) -> st.SearchStrategy[bytes]:
    """The data with a stretch of it replaced."""
    return st.builds(
        lambda at, length, new: data[:at] + new + data[at + length :],
        st.integers(0, len(data)),
        st.integers(0, 12),
        st.binary(max_size=8) | st.sampled_from(bits),
    )


def is_text(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(one, str) for one in value)
    )


def assert_well_formed(one: Any) -> None:
    assert isinstance(one, EvalInstance)
    assert isinstance(one.instance_id, str)
    assert isinstance(one.summarizer_id, str)
    assert one.summarizer_type in ("peer", "reference")
    for name, value in one.fields.items():
        if name in ("references", "documents"):
            assert isinstance(value, list)
            assert all(map(is_text, value))
        elif name in ("summary", "query"):
            assert is_text(value)
        elif name == "votes":
            assert all(isinstance(unit, UnitVotes) for unit in value)
        else:
            assert isinstance(value, {"pyramid": Pyramid, "annotation": PyramidAnnotation}[name])
    one.fields.encoded(one.fields)


def survive(name: str, sample: Sample, folder: Path, *files: str) -> None:
    reader = sample.reader(name, folder)
    # Anything but a RubricaError goes through and fails the test.
    with warnings.catch_warnings(), contextlib.suppress(RubricaError):
        warnings.simplefilter("ignore", DataWarning)
        for one in reader.read(*(files or (str(folder / file) for file in sample.files))):
            assert_well_formed(one)
    assert isinstance(reader.describe(), str)


relaxed = settings(half_as_many, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", NAMES)
@relaxed
@given(data=st.data())
def test_any_bytes_in_any_file_do_no_harm(name: str, data: st.DataObject) -> None:
    sample = SAMPLES[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sample.write(folder)
        every = {**sample.aside, **sample.files}
        file = data.draw(st.sampled_from(sorted(every)))
        hostile = st.binary() | marked | rows | mutated(every[file])
        (folder / file).write_bytes(data.draw(hostile))
        survive(name, sample, folder)


@pytest.mark.parametrize("marks", ["auto", "tags", "q", "x_sep", "newline"])
@relaxed
@given(hostile=marked)
def test_any_sentence_marks_do_no_harm(marks: str, hostile: bytes) -> None:
    sample = Sample({"a.txt": hostile}, [], {"sentences": marks})
    with tempfile.TemporaryDirectory() as made:
        sample.write(Path(made))
        survive("text", sample, Path(made))


@pytest.mark.parametrize("name", NAMES)
@relaxed
@given(hostile=st.binary() | marked | rows)
def test_any_bytes_on_standard_input_do_no_harm(name: str, hostile: bytes) -> None:
    sample = SAMPLES[name]
    with tempfile.TemporaryDirectory() as made, standard_input(hostile):
        *others, _ = sample.write(Path(made))
        survive(name, sample, Path(made), *others, "-")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "line",
    [
        b"[" * 50_000,
        b'{"summary":' * 50_000,
        b'{"instance_id":1,"document":{"text":' + b"[" * 400 + b'"a"' + b"]" * 400 + b"}}",
        b'{"instance_id":' + b"9" * 10_000 + b"}",
        b'{"instance_id":"\\ud800"}',
        b"{" + b",".join(b'"k%d":1' % n for n in range(20_000)) + b"}",
        b"a" * 3_000_000,
        b'"' + b"a,\n" * 100_000,
        b"\xff\xfe" + "a\nb\n".encode("utf-16-le"),
    ],
    ids=[
        "lists",
        "objects",
        "paragraphs",
        "integer",
        "surrogate",
        "keys",
        "line",
        "quote",
        "utf16",
    ],
)
def test_known_tricks_do_no_harm(name: str, line: bytes, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    for target in {**sample.aside, **sample.files}:
        sample.write(tmp_path)
        (tmp_path / target).write_bytes(line)
        survive(name, sample, tmp_path)
