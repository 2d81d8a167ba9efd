"""Files of word vectors: every format gives the same vectors, and what is broken is told."""

from __future__ import annotations

import bz2
import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.data.resource import data_root
from rubrica.errors import DataError, OutputError
from rubrica.text.embeddings import load_embeddings
from support.vectors import write_glove, write_vec, write_word2vec

TABLE = {"the": [0.5, -1.25], "Paris": [1e-3, 2.0], "café": [3.0, 4.0], "ice cream": [5.0, 6.0]}
WITHOUT_BLANKS = {word: row for word, row in TABLE.items() if " " not in word}


def test_glove_files_are_read(tmp_path: Path) -> None:
    found = load_embeddings(str(write_glove(tmp_path / "glove.txt", TABLE)))
    assert (len(found), found.dimensions) == (4, 2)
    assert found.vectors(TABLE) == pytest.approx(np.array(list(TABLE.values()), np.float32))


@pytest.mark.parametrize("blank", ["", " "], ids=["word2vec", "fastText"])
def test_text_files_with_a_first_line_of_counts_are_read(tmp_path: Path, blank: str) -> None:
    found = load_embeddings(str(write_vec(tmp_path / "wiki.vec", TABLE, blank)))
    assert found.vectors(TABLE) == pytest.approx(np.array(list(TABLE.values()), np.float32))


@pytest.mark.parametrize("end", [b"", b"\n"], ids=["google", "word2vec"])
def test_binary_files_are_read(tmp_path: Path, end: bytes) -> None:
    found = load_embeddings(str(write_word2vec(tmp_path / "news.bin", WITHOUT_BLANKS, end)))
    expected = np.array(list(WITHOUT_BLANKS.values()), np.float32)
    assert found.vectors(WITHOUT_BLANKS) == pytest.approx(expected)


@pytest.mark.parametrize(("compress", "name"), [(bz2.compress, "bz2"), (gzip.compress, "gz")])
def test_compressed_files_are_read(tmp_path: Path, compress: object, name: str) -> None:
    plain = write_glove(tmp_path / "deps.words", TABLE).read_bytes()
    path = tmp_path / f"deps.words.{name}"
    path.write_bytes(compress(plain))  # type: ignore[operator]
    assert load_embeddings(str(path)).vectors(["café"]).tolist() == [[3.0, 4.0]]


def test_a_word_without_a_vector_has_row_minus_one_and_zeros(tmp_path: Path) -> None:
    found = load_embeddings(str(write_glove(tmp_path / "v.txt", TABLE)))
    assert found.rows(["the", "unseen", "th", "thee", ""]).tolist() == [0, -1, -1, -1, -1]
    assert "unseen" not in found
    assert "\ud800" not in found
    assert found.vectors(["unseen"]).tolist() == [[0.0, 0.0]]


def test_lower_case_finds_a_word_that_only_has_capitals_in_the_file(tmp_path: Path) -> None:
    table = {"PARIS": [1.0], "Paris": [2.0], "us": [3.0], "US": [4.0]}
    found = load_embeddings(str(write_glove(tmp_path / "v.txt", table)))
    assert found.vectors(["paris", "Paris", "us", "US"]).ravel().tolist() == [1.0, 2.0, 3.0, 4.0]


def test_of_a_word_that_comes_twice_the_first_vector_counts(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 1\nb 2\na 3\n")
    assert load_embeddings(str(path)).vectors(["a", "b"]).ravel().tolist() == [1.0, 2.0]


def test_the_name_tells_file_and_content(tmp_path: Path) -> None:
    one = load_embeddings(str(write_glove(tmp_path / "v.txt", {"a": [1.0]})))
    two = load_embeddings(str(write_glove(tmp_path / "w.txt", {"a": [2.0]})))
    assert one.name.startswith("v.txt@")
    assert one.name.partition("@")[2] != two.name.partition("@")[2]


def test_the_kept_form_is_used_again_and_made_again_when_the_file_changes(tmp_path: Path) -> None:
    path = write_glove(tmp_path / "v.txt", {"a": [1.0]})
    first = load_embeddings(str(path))
    kept = [one for one in (data_root() / "embeddings").iterdir() if one.name.startswith("v.txt-")]
    load_embeddings.cache_clear()
    path.write_text("a 1.5 2.5\n")
    again = load_embeddings(str(path))
    assert again.vectors(["a"]).tolist() == [[1.5, 2.5]]
    assert again.name != first.name
    assert kept


def test_a_damaged_kept_form_is_made_again(tmp_path: Path) -> None:
    path = write_glove(tmp_path / "damaged.txt", TABLE)
    load_embeddings(str(path))
    load_embeddings.cache_clear()
    (folder,) = (data_root() / "embeddings").glob("damaged.txt-*")
    (folder / "vectors").write_bytes(b"half")
    assert load_embeddings(str(path)).vectors(["café"]).tolist() == [[3.0, 4.0]]


def test_nothing_is_left_behind_by_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    path.write_text("a 1 2\nb 1\n")
    with pytest.raises(DataError):
        load_embeddings(str(path))
    assert not list((data_root() / "embeddings").glob("*broken*"))


def test_another_process_gets_the_same_embeddings(tmp_path: Path) -> None:
    found = load_embeddings(str(write_glove(tmp_path / "v.txt", TABLE)))
    assert len(pickle.dumps(found)) < 1000
    assert pickle.loads(pickle.dumps(found)) is found


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"word\n", "0 dimensions"),
        (b"a 1 2\nb 1\n", r":2: 1 values where other lines have 2"),
        (b"a 1 2\nb 1 2 3 4 x\n", r":2: 'x' is not a finite number"),
        (b"a 1 nan\n", r":1: 'nan' is not a finite number"),
        (b"a 1 1e300\n", r":1: '1e300' is not a finite number"),
        (b"3 2\na 1 2\nb 1 2\n", "announces 3 words, but there are 2"),
        (b"1 2\na 1 2\nb 1 2\n", "announces 1 words, but there are 2"),
        (b"0 2\n", "announces 0 words"),
        (b"5 0\n", "0 dimensions"),
        (b"5 99999999999\n", "99999999999 dimensions"),
        (b"5 2\n", "cut off within word 1 of the 5"),
        (b"2 2\na \x00\x00\x80\x3f\x00\x00", "cut off within word 1 of the 2"),
        (b"999999999999999 2\na \x00\x00\x80\x3f\x00\x00\x80\x3f", "cut off within word 2"),
        (b"1 2\na \x00\x00\x80\x7f\x00\x00\x80\x3f", "word 1 has a value that is not a finite"),
        (b"1 2\n \x00\x00\x80\x3f\x00\x00\x80\x3f", "word 1 is empty"),
        (b"1 1\na \x00\x00\x80\x3fxyz", "goes on after"),
        (b"1 1\n" + b"\xff" * 9000, "word 1 has more than 4096 bytes"),
        (b"PK\x03\x04....", "zip archive"),
        (b"\x80\x04\x95.", "pickle"),
        (b"\x93NUMPY...", "NumPy array"),
        ((793712314).to_bytes(4, "little") + b"...", "give its .vec file"),
        (bz2.compress(b"a 1 2\n" * 99)[:-9], "damaged|cannot be read"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match=told) as raised:
        load_embeddings(str(path))
    assert str(path) in str(raised.value)


def test_a_missing_file_is_told_with_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no-such\.vec: cannot be opened.*word2vec, GloVe"):
        load_embeddings(str(tmp_path / "no-such.vec"))
    with pytest.raises(DataError, match="not a file"):
        load_embeddings(str(tmp_path))


def test_a_place_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="set RUBRICA_DATA_ROOT"):
        load_embeddings(str(write_glove(tmp_path / "v.txt", TABLE)))


@given(content=st.binary(max_size=200) | st.text("ab 12.\n-e", max_size=80).map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_file_does_more_than_raise_a_data_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    load_embeddings.cache_clear()
    try:
        found = load_embeddings(str(path))
    except DataError:
        return
    assert np.isfinite(found.vectors(["a"])).all()


def test_the_default_is_glove_of_fifty_dimensions() -> None:
    found = load_embeddings()
    assert (found.name, len(found), found.dimensions) == ("glove-6b-50d", 400_000, 50)
    # The first values of Stanford's glove.6B.50d.txt.
    assert found.row("the") == 0
    assert found.vectors(["the"])[0, :4] == pytest.approx([0.418, 0.24968, -0.41242, 0.1217])
    assert "cat" in found
    assert "Cat" not in found
