"""Archives, SGML and XML of strangers: read in place, and refused where they are made to harm."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from rubrica.data.formats.xml import parse_xml, text_of
from rubrica.datasets.raw import archives
from rubrica.datasets.raw.archives import Archive
from rubrica.datasets.raw.file import decoded
from rubrica.datasets.raw.sgml import parse_sgml
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError, MissingResourceError
from support.dataset_samples.build import encoded, put


def opened(data: bytes) -> Archive:
    return Archive(io.BytesIO(data), "x.tgz")


@pytest.mark.parametrize("ending", ["tgz", "tar", "tar.bz2", "zip"])
def test_files_of_every_kind_of_archive_are_read(ending: str) -> None:
    archive = opened(encoded(f"x.{ending}", {"./a/b.txt": "one", "c.txt": "two"}))
    assert sorted(archive.names()) == ["a/b.txt", "c.txt"]
    assert archive.read("a/b.txt") == b"one"
    archive.close()


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/passwd", "a/../../b", "C:\\x", "a\\..\\..\\b"]
)
@pytest.mark.parametrize("ending", ["tar", "zip"])
def test_names_that_lead_out_of_the_archive_are_refused(name: str, ending: str) -> None:
    with pytest.raises(DataError, match="leads out of the archive"):
        opened(encoded(f"x.{ending}", {name: "x"}))


def test_links_and_devices_are_passed_over_and_counted() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"m{kind!r}")
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)
    archive = opened(stream.getvalue())
    assert archive.names() == []
    assert archive.passed_over == 4
    archive.close()


def test_a_hard_link_is_a_second_name_of_a_file_in_the_archive() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("folder/"))
        first = tarfile.TarInfo("./folder/first")
        first.size = 3
        tar.addfile(first, io.BytesIO(b"one"))
        second = tarfile.TarInfo("folder/second")
        second.type, second.linkname = tarfile.LNKTYPE, "./folder/first"
        tar.addfile(second)
    archive = opened(stream.getvalue())
    assert archive.read("folder/second") == b"one"
    assert archive.passed_over == 0
    archive.close()


def test_a_link_in_a_zip_is_no_text() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "/etc/passwd")
        packed.writestr("file.txt", "read")
    archive = opened(stream.getvalue())
    assert (archive.names(), archive.passed_over) == (["file.txt"], 1)
    archive.close()


def test_bombs_are_refused_before_they_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ALWAYS_ALLOWED_BYTES", 1 << 16)
    zeros = b"\0" * (1 << 22)
    with pytest.raises(DataError, match="refused as a bomb"):
        opened(gzip.compress(zeros))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("big", zeros)
    archive = opened(stream.getvalue())
    with pytest.raises(DataError, match=r"^x\.tgz!big: decompresses to .* refused as a bomb$"):
        archive.read("big")
    archive.close()


def test_a_sparse_file_cannot_fill_the_memory() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("big")
        member.pax_headers = {
            "GNU.sparse.major": "0",
            "GNU.sparse.minor": "1",
            "GNU.sparse.map": "0,0",
            "GNU.sparse.size": str(1 << 50),
        }
        tar.addfile(member)
    with pytest.raises(DataError, match="'big' claims 1,125,899,906,842,624 bytes"):
        opened(stream.getvalue())


def test_a_compressed_file_outside_of_archives_cannot_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(archives, "ALWAYS_ALLOWED_BYTES", 1 << 16)
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(b"\0" * (1 << 22)))
    with pytest.raises(DataError, match=r"rows\.jsonl\.gz: .*refused as a bomb"):
        Raw("x", [tmp_path]).one("rows.jsonl.gz").bytes()


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 2)
    with pytest.raises(DataError, match="more than 2 files"):
        opened(encoded("x.tar", {str(n): "x" for n in range(3)}))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<doc>\n" + "<a" * 200_000, r"x\.sgml:2: a tag of more than 20,000 letters: '<a<a"),
        ("\n".join(f"<a{n}>" for n in range(50_000)), r"x\.sgml:200: more than 200 tags open"),
    ],
)
def test_sgml_that_would_take_for_ever_is_refused(text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        parse_sgml(text, "x.sgml")


def test_comments_in_sgml_are_left_out_and_those_without_an_end_are_text() -> None:
    assert parse_sgml("<s>one <!-- <s> two\n --> three</s>").text() == "one three"
    endless = parse_sgml("<s>one <!-- two</s>" + "<!-- >" * 100_000)
    assert endless.text().startswith("one <!-- two")


@pytest.mark.parametrize(
    "data", [b"", b"not an archive", gzip.compress(b"nor this" * 100, mtime=0)[:-9]]
)
def test_what_is_no_archive_is_told_with_its_name(data: bytes) -> None:
    with pytest.raises(DataError, match=r"x\.tgz"):
        opened(data)


def test_encrypted_files_say_how_to_help_oneself() -> None:
    stream = io.BytesIO(encoded("x.zip", {"a.txt": "secret"}))
    data = bytearray(stream.getvalue())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = data.index(mark) + (6 if mark == b"PK\x03\x04" else 8)
        data[at] |= 1
    archive = opened(bytes(data))
    with pytest.raises(DataError, match="unpack the archive with its password"):
        archive.read("a.txt")
    archive.close()


def test_patterns_are_ends_of_paths_in_folders_and_archives(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "deep/er/models/b.txt": "2",
            "deep/er/models/a.txt": "1",
            "other/pack.tgz": {"in/side.txt": "3"},
        },
    )
    raw = Raw("x", [tmp_path])
    assert [file.name for file in raw.all("models/*.txt")] == ["a.txt", "b.txt"]
    assert raw.one("in/side.txt").text() == "3"
    assert raw.part("pack.tgz").one("side.txt").place.endswith("pack.tgz!in/side.txt")
    assert {row["name"] for row in raw.sources()} == {"other/pack.tgz"}
    with pytest.raises(MissingResourceError, match=r"no file nothing\.txt"):
        raw.one("nothing.txt")
    with pytest.raises(DataError, match="2 files match"):
        raw.one("*.txt")
    raw.close()


def test_an_unpacked_archive_will_do(tmp_path: Path) -> None:
    put(tmp_path, {"results/ROUGE/x.txt": "1"})
    assert Raw("x", [tmp_path]).part("results.tar").one("ROUGE/x.txt").text() == "1"


def test_texts_of_old_corpora_are_decoded() -> None:
    assert decoded("caf\u00e9 \u2014".encode()) == "caf\u00e9 \u2014"
    assert decoded("caf\u00e9 \u201cx\u201d".encode("cp1252")) == "caf\u00e9 \u201cx\u201d"
    assert decoded("x".encode("utf-16")) == "x"
    assert decoded(b"\x81 x") == "\x81 x"


def test_sgml_needs_no_ends_and_no_quotes() -> None:
    root = parse_sgml("<DOC><s num=1>One &amp; two.<s num=2>Three.</DOC><TITLE>Four <b>5</TITLE>")
    assert [(s.attributes["num"], s.text()) for s in root.all("s")] == [
        ("1", "One & two."),
        ("2", "Three."),
    ]
    title = root.first("title")
    assert title is not None
    assert title.text() == "Four 5"
    assert parse_sgml("<a" * 5000 + "<!ENTITY x SYSTEM 'file:///etc/passwd'>&x;").text()


BOMB = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
THIEF = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


@pytest.mark.parametrize("text", [BOMB, THIEF])
def test_xml_with_entities_of_its_own_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"x\.xml:1: declares entities"):
        parse_xml(text, "x.xml")


def test_xml_is_read_without_its_dtd() -> None:
    root = parse_xml(
        '<!DOCTYPE nitf SYSTEM "http://nowhere.invalid/x.dtd"><p>a &mdash; &lt; <b>c</b></p>', "x"
    )
    assert text_of(root) == "a \u2014 < c"
    with pytest.raises(DataError, match="&nonsense; that is not declared"):
        parse_xml('<!DOCTYPE a SYSTEM "x.dtd"><a>&nonsense;</a>', "x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<a><b></a>", "x:1: not well-formed"),
        ("<a>" * 300 + "</a>" * 300, "nested deeper"),
        ("", "not well-formed"),
    ],
)
def test_broken_xml_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        parse_xml(text, "x")


def test_files_of_one_name_from_two_sources_are_both_there(tmp_path: Path) -> None:
    put(tmp_path, {"one": {"a": {"x.txt": "1"}}, "two": {"a": {"x.txt": "2"}}})
    raw = Raw("x", [tmp_path / "one", tmp_path / "two"])
    assert [file.text() for file in raw.some("a/x.txt")] == ["1", "2"]
    with pytest.raises(DataError, match=r"2 files match 'x\.txt'.*pass a smaller --from"):
        raw.one("x.txt")
    plain = Raw("x", [tmp_path / "one/a/x.txt", tmp_path / "two/a/x.txt"])
    assert {file.text() for file in plain.some("x.txt")} == {"1", "2"}


def test_a_file_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    put(tmp_path, {"few": {"a.txt": "", "x.tgz": {"c/d.txt": "", "e.txt": ""}}, "none": {}})
    put(tmp_path / "many", {f"{n}.txt": "" for n in range(9)})
    with closing(Raw("sample", [tmp_path / "few"])) as few:
        with pytest.raises(
            MissingResourceError, match=r"no file z below --from, which has a\.txt, x"
        ):
            few.one("z")
        with pytest.raises(
            MissingResourceError, match=r"no file z in .*x\.tgz, which has c/d\.txt, e\.txt$"
        ):
            few.part("x.tgz").one("z")
    with pytest.raises(MissingResourceError, match=r"0\.txt, 1\.txt, 2\.txt and 6 more files$"):
        Raw("sample", [tmp_path / "many"]).one("z")
    with pytest.raises(MissingResourceError, match="which has no files"):
        Raw("sample", [tmp_path / "none"]).one("z")


def test_a_file_below_two_sources_is_one_file(tmp_path: Path) -> None:
    put(tmp_path, {"one": {"a": {"x.txt": "1"}}})
    assert (
        Raw("x", [tmp_path, tmp_path / "one", tmp_path / "one/a/x.txt"]).one("x.txt").text() == "1"
    )


@pytest.mark.parametrize("packed", ["sent.zip", "sent"])
def test_what_macos_puts_beside_files_is_passed_over(packed: str, tmp_path: Path) -> None:
    content = {
        "a": {"x.txt": "1", "._x.txt": "?", ".DS_Store": "?"},
        "__MACOSX": {"a": {"x.txt": "?"}},
    }
    put(tmp_path, {packed: content})
    raw = Raw("x", [tmp_path])
    assert [file.text() for file in raw.some("a/*")] == ["1"]
    raw.close()


@pytest.mark.parametrize("text", ["a\nb\n", "a\r\nb", "a\n\n", "\n", ""])
def test_lines_are_the_same_on_the_disk_and_in_an_archive(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.txt").write_bytes(text.encode())
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "x.txt", "y.txt")
    raw = Raw("x", [tmp_path])
    lines = [
        list(file.text_lines()) for file in (raw.one("x.txt"), raw.part("all.zip").one("y.txt"))
    ]
    raw.close()
    assert lines == [text.splitlines()] * 2
