"""What holds for every registered reader, now and later."""

from __future__ import annotations

import bz2
import gzip
import re
from pathlib import Path

import pytest

from rubrica.datasets.readers.base import READERS, DatasetReader
from rubrica.errors import DataError, ParameterError, RubricaError
from rubrica.parameters import _descriptions, parameters_of
from support.reader_samples import SAMPLES, Sample, contents, standard_input

NAMES = READERS.builtin_names()
PAGE = Path(__file__).parents[2] / "docs" / "readers.md"
pytestmark = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def sample(name: str) -> Sample:
    assert name in SAMPLES, f"reader {name!r} needs a sample in tests/support/reader_samples.py"
    return SAMPLES[name]


def test_instances_come_in_the_order_of_the_input(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    files = sample.write(tmp_path)
    found = list(sample.reader(name, tmp_path).read(*files))
    assert [one.instance_id for one in found] == sample.ids


def test_instances_have_the_declared_fields_and_no_others(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    reader = sample.reader(name, tmp_path)
    for one in reader.read(*sample.write(tmp_path)):
        assert set(reader.fields) <= set(one.fields)
        assert set(one.fields) <= {*reader.fields, *reader.optional_fields}


def test_an_instance_says_where_it_was_read(name: str, sample: Sample, tmp_path: Path) -> None:
    *_, file = sample.write(tmp_path)
    for one in sample.reader(name, tmp_path).read(*sample.write(tmp_path)):
        assert re.fullmatch(re.escape(file) + r":\d+", one.origin)


def test_reading_again_gives_the_same(name: str, sample: Sample, tmp_path: Path) -> None:
    files = sample.write(tmp_path)
    reader = sample.reader(name, tmp_path)
    assert list(reader.read(*files)) == list(reader.read(*files))


def test_a_damaged_end_is_an_error_and_streams_give_what_comes_before_it(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    last = list(sample.files)[-1]

    def damage(file: str, data: bytes) -> bytes:
        if file != last:
            return data
        return data + b"\n\xff\n" if sample.streams else data[:-9]

    instances = sample.reader(name, tmp_path).read(*sample.write(tmp_path, damage))
    if sample.streams:
        assert next(instances).instance_id == sample.ids[0]
    with pytest.raises(DataError):
        list(instances)


def test_several_files_read_as_one_after_the_other(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    *others, last = sample.write(tmp_path)
    second = Path(last).with_name("b" + Path(last).suffix)
    second.write_bytes(Path(last).read_bytes())
    reader = sample.reader(name, tmp_path)
    both = list(reader.read(*others, last, str(second)))
    assert both == [*reader.read(*others, last), *reader.read(*others, str(second))]


@pytest.mark.parametrize(("extension", "compress"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_compressed_files_read_as_plain_ones(
    name: str, sample: Sample, tmp_path: Path, extension: str, compress: object
) -> None:
    plain = list(sample.reader(name, tmp_path).read(*sample.write(tmp_path)))
    folder = tmp_path / "packed"
    files = sample.write(folder, lambda _, data: compress(data))  # type: ignore[operator]
    for file in files:
        Path(file).rename(f"{file}.{extension}")
    packed = [f"{file}.{extension}" for file in files]
    assert list(sample.reader(name, folder).read(*packed)) == plain


def test_a_hyphen_is_standard_input(name: str, sample: Sample, tmp_path: Path) -> None:
    *others, last = sample.write(tmp_path)
    plain = list(sample.reader(name, tmp_path).read(*others, last))
    with standard_input(Path(last).read_bytes()):
        piped = list(sample.reader(name, tmp_path).read(*others, "-"))
    assert contents(piped) == contents(plain)


def test_standard_input_cannot_be_read_twice(name: str, sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="only once"):
        list(sample.reader(name, tmp_path).read("-", "-"))


def test_no_input_file_is_a_parameter_error(name: str, sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=f"{name!r} needs"):
        list(sample.reader(name, tmp_path).read())


def test_a_missing_file_is_named(name: str, sample: Sample, tmp_path: Path) -> None:
    *others, last = sample.write(tmp_path)
    Path(last).unlink()
    with pytest.raises(DataError, match=re.escape(last)):
        list(sample.reader(name, tmp_path).read(*others, last))


def test_an_empty_file_gives_nothing_or_an_error_that_names_it(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    *others, last = sample.write(tmp_path)
    Path(last).write_bytes(b"")
    told = ""
    try:
        assert list(sample.reader(name, tmp_path).read(*others, last)) == []
    except RubricaError as error:
        told = str(error)
    assert not told or last in told


def test_every_parameter_is_described_and_no_other(name: str) -> None:
    cls = DatasetReader.by_name(name)
    for parameter in parameters_of(cls):
        assert parameter.help, parameter.name
    described = {**_descriptions(cls.__doc__), **_descriptions(cls.__init__.__doc__)}
    assert set(described) == {parameter.name for parameter in parameters_of(cls)}


def test_the_docs_page_has_a_section_with_every_parameter(name: str) -> None:
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    section = next((s for s in sections if s.startswith(f"`{name}`")), "")
    assert section, f"docs/readers.md has no section ## `{name}`"
    for parameter in parameters_of(DatasetReader.by_name(name)):
        assert f"`{parameter.name}`" in section
