"""Line-aligned text: alignment, sentence marks, names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rubrica.datasets.readers.base import DatasetReader
from rubrica.datasets.readers.lines import LineAlignedReader
from rubrica.errors import DataError, MismatchError, ParameterError, UnknownNameError

PLAIN = Path(__file__).parents[3] / "examples" / "news" / "plain"


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def file(name: str, *lines: str) -> str:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(tmp_path / name)

    return file


def summaries(path: str, **parameters: Any) -> list[Any]:
    return [one.fields["summary"] for one in LineAlignedReader(**parameters).read(path)]


def test_the_sample_data_is_read_with_its_references_and_documents() -> None:
    references = [str(PLAIN / f"references.{name}.txt") for name in "ABC"]
    reader = LineAlignedReader(references, [str(PLAIN / "documents.txt")])
    found = list(reader.read(str(PLAIN / "lead3.txt"), str(PLAIN / "tagged" / "abstractor.txt")))
    assert [one.summarizer_id for one in found] == ["lead3"] * 12 + ["abstractor"] * 12
    assert [len(one.fields["references"]) for one in found] == [3] * 24
    assert [len(one.fields["documents"]) for one in found] == [1] * 24
    assert [len(one.fields["summary"]) for one in found[12:14]] == [3, 3]
    assert "<t> </t> in" in reader.describe()


def test_tagged_and_plain_samples_have_the_same_words() -> None:
    plain = summaries(str(PLAIN / "abstractor.txt"))
    tagged = summaries(str(PLAIN / "tagged" / "abstractor.txt"))
    assert [" ".join(one) for one in tagged] == plain


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("tags", "<t> It rained. </t> <t>It was wet.</t>"),
        ("q", "It rained.<q>It was wet."),
        ("x_sep", "It rained. [X_SEP] It was wet."),
        ("newline", r"It rained.\nIt was wet."),
    ],
)
def test_marks_are_split_when_named_and_when_recognised(file: Any, kind: str, line: str) -> None:
    path = file("a.txt", line, "")
    expected = [["It rained.", "It was wet."], ""]
    assert summaries(path, sentences=kind) == expected
    assert summaries(path, sentences="auto") == expected
    assert summaries(path, sentences="none") == [line, ""]


def test_a_line_without_mark_is_one_sentence_of_a_marked_file(file: Any) -> None:
    assert summaries(file("a.txt", "One.", "One.<q>Two.")) == [["One."], ["One.", "Two."]]


def test_backslash_n_is_text_among_real_marks(file: Any) -> None:
    assert summaries(file("a.txt", r"The \nabla. <q> Two.", r"\nu")) == [
        [r"The \nabla.", "Two."],
        [r"\nu"],
    ]


def test_two_kinds_of_marks_are_refused(file: Any) -> None:
    with pytest.raises(DataError, match=r"a.txt:2: .*<q> here and by <t> </t> in line 1"):
        summaries(file("a.txt", "<t> a </t>", "a <q> b"))


def test_a_mark_beyond_the_lines_looked_at_is_refused(file: Any) -> None:
    path = file("a.txt", *["plain"] * 1000, "a <q> b")
    with pytest.raises(DataError, match=r"a.txt:1001: <q> .*sentences=none or sentences=q"):
        summaries(path)
    assert summaries(path, sentences="q")[-1] == ["a", "b"]


@pytest.mark.parametrize(
    "line", ["<t> a", "a </t>", "<t> a <t> b </t>", "<t> a </t> </t>", "a <t> b </t>"]
)
def test_unbalanced_tags_say_line_and_remedy(file: Any, line: str) -> None:
    with pytest.raises(
        DataError,
        match=r"a.txt:2: tags are not in order .*(unbalanced|doubled|text outside).*sentences=none",
    ):
        summaries(file("a.txt", "<t> a </t>", line), sentences="tags")


@pytest.mark.parametrize("counts", [(3, 5), (5, 3), (0, 2)])
def test_unequal_line_counts_name_both_files_and_counts(file: Any, counts: tuple[int, int]) -> None:
    own, other = file("a.txt", *"x" * counts[0]), file("r.txt", *"x" * counts[1])
    got: list[Any] = []
    with pytest.raises(MismatchError) as caught:
        got.extend(LineAlignedReader([other]).read(own))
    short, long = sorted([(counts[0], own), (counts[1], other)])
    told = f"{short[1]} has {short[0]}, {long[1]} has {long[0]}"
    assert told in str(caught.value)
    assert len(got) == short[0]


def test_blank_lines_are_kept_also_at_the_end(file: Any) -> None:
    assert summaries(file("a.txt", "", "a", " ", "")) == ["", "a", "", ""]


def test_only_line_ends_end_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("a\u2028b\x0cc\u0085d\r\ne".encode())
    assert summaries(str(tmp_path / "a.txt")) == ["a\u2028b\x0cc\u0085d", "e"]


def test_ids_come_from_a_file_or_are_line_numbers(file: Any) -> None:
    path = file("a.txt", "x", "y")
    found = LineAlignedReader(ids=file("ids.txt", "d7", "d8")).read(path)
    assert [one.instance_id for one in found] == ["d7", "d8"]
    assert [one.instance_id for one in LineAlignedReader().read(path)] == ["1", "2"]
    with pytest.raises(DataError, match=r"ids.txt:2: a blank line"):
        list(LineAlignedReader(ids=file("ids.txt", "d7", "")).read(path))


def test_systems_are_named_by_file_or_by_parameter(file: Any) -> None:
    files = [file("one.v2.txt", "x"), file("two.txt", "y")]
    assert [one.summarizer_id for one in LineAlignedReader().read(*files)] == ["one.v2", "two"]
    named = LineAlignedReader(summarizer_ids=["p", "q"], summarizer_type="reference").read(*files)
    assert [(one.summarizer_id, one.summarizer_type) for one in named] == [
        ("p", "reference"),
        ("q", "reference"),
    ]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = ["old/run/out.txt", "new/run/out.txt", "lead.txt"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    rows = LineAlignedReader().read(*(str(tmp_path / path) for path in paths))
    assert [one.summarizer_id for one in rows] == ["old/run/out", "new/run/out", "lead"]


def test_systems_with_one_name_are_refused(file: Any) -> None:
    path = file("a.txt", "x")
    with pytest.raises(ParameterError, match=rf"{re.escape(path)} is named twice"):
        list(LineAlignedReader().read(path, path))
    with pytest.raises(ParameterError, match=r"same system name \(p, p\)"):
        list(LineAlignedReader(summarizer_ids=["p", "p"]).read(path, path))
    assert len(list(LineAlignedReader(summarizer_ids=["p", "q"]).read(path, path))) == 2
    with pytest.raises(ParameterError, match="1 summarizer_ids for 2 input files"):
        list(LineAlignedReader(summarizer_ids=["p"]).read(path, path))


def test_standard_input_cannot_be_the_references_of_two_systems(file: Any) -> None:
    with pytest.raises(ParameterError, match="only once"):
        list(LineAlignedReader(["-"]).read(file("a.txt", "x"), file("b.txt", "x")))


def test_misspelt_marks_are_told(file: Any) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'tags'"):
        LineAlignedReader(sentences="tag")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="one of auto, none, tags"):
        DatasetReader.from_config({"type": "text", "sentences": "tag"})
