"""The viewer's table and its answers: sorted, filtered and guarded on the server."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.data.metrics import Metrics, MetricsDict
from rubrica.data.scores.rows import write_score_rows
from rubrica.errors import DataError, RubricaError
from rubrica.reports.page import imported_modules
from rubrica.serve.protocol import ImpatientProtocol
from rubrica.serve.server import known_hosts
from rubrica.serve.viewer.app import make_viewer
from rubrica.serve.viewer.export import csv_lines, json_lines
from rubrica.serve.viewer.flagging import Flags
from rubrica.serve.viewer.library import Library
from rubrica.serve.viewer.pyramids import Pyramids, holds_pyramids
from rubrica.serve.viewer.sample import read_sample
from rubrica.serve.viewer.table import Sample
from support.served import serving_app

TOKEN = "secret-link"
COOKIE = f"rubrica-{hashlib.sha256(TOKEN.encode()).hexdigest()[:12]}={TOKEN}"


def row(instance: str, system: str, **more: Any) -> dict[str, Any]:
    return {"instance_id": instance, "summarizer_id": system, "summarizer_type": "peer"} | more


def written(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(values) + "\n" for values in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(str(tmp_path))
    texts = [
        row("d1", "lead", summary="one two", references=["two one"]),
        row("d1", "other", summary=["three", "four five"], references=["a b"]),
        row("d2", "lead", summary="", references=["c"]),
    ]
    library.open(written(tmp_path / "texts.jsonl", *texts))
    scores = [
        row("d1", "lead", metrics={"rouge-1": {"f1": 40.5}, "human": [1, 2]}),
        row("d2", "lead", metrics={"rouge-1": {"f1": 7}}),
        row("d2", "new", metrics={"human": 3}),
    ]
    library.open(written(tmp_path / "scores.jsonl", *scores))
    return library


def listed(library: Library, sort: str = "", descending: bool = False, find: str = "") -> list[str]:
    rows = library.query.rows(find, sort, descending).tolist()
    return ["/".join(library.table.ids(row)[:2]) for row in rows]


def test_rows_that_fit_a_query_are_exported(library: Library, tmp_path: Path) -> None:
    """As a table, whose cells run nothing in a spreadsheet, and as samples that commands read."""
    library.open(written(tmp_path / "formula.jsonl", row("=1+1", "lead", metrics={"human": 4})))
    table = library.table
    order = library.query.rows("", "human", True)
    lines = b"".join(csv_lines(table, order, ["system", "words", "rouge-1.f1", "human"]))
    assert lines.decode().splitlines() == [
        "input,system,type,words,rouge-1.f1,human",
        "'=1+1,lead,peer,,,4.0",
        "d2,new,peer,,,3.0",
        "d1,lead,peer,2,40.5,1.5",
        "d1,other,peer,3,,",
        "d2,lead,peer,0,7.0,",
    ]
    samples = tmp_path / "samples.jsonl"
    samples.write_bytes(b"".join(json_lines(table, library.query.rows("d1"))))
    assert [json.loads(line) for line in samples.read_text().splitlines()] == [
        row(
            "d1",
            "lead",
            summary="one two",
            references=["two one"],
            metrics={"rouge-1.f1": 40.5, "human": 1.5},
        ),
        row("d1", "other", summary=["three", "four five"], references=["a b"]),
    ]
    again = Library(str(tmp_path))
    again.open(str(samples))
    assert listed(again) == ["d1/lead", "d1/other"]
    whole = [json.loads(line) for line in b"".join(json_lines(table, order)).splitlines()]
    assert [sample["summarizer_id"] for sample in whole] == ["lead", "other", "lead"], (
        "those with a summary"
    )
    assert read_sample(again, {"input": "d1"})["summaries"][0]["scores"] == {
        "rouge-1.f1": 40.5,
        "human": 1.5,
    }


def test_rows_of_one_summary_in_several_files_are_one_row(library: Library) -> None:
    assert listed(library) == ["d1/lead", "d1/other", "d2/lead", "d2/new"]
    lead, other = read_sample(library, {"input": "d1"})["summaries"]
    assert lead["summary"] == "one two"
    assert lead["scores"] == {"rouge-1.f1": 40.5, "human": 1.5}
    assert other["summary"] == ["three", "four five"]
    assert other["references"] == ["a b"]
    assert read_sample(library, {"input": "d2"})["summaries"][1]["summary"] is None


@pytest.mark.parametrize(
    ("sort", "descending", "expected"),
    [
        ("rouge-1.f1", True, ["d1/lead", "d2/lead", "d1/other", "d2/new"]),
        ("rouge-1.f1", False, ["d2/lead", "d1/lead", "d1/other", "d2/new"]),
        ("words", True, ["d1/other", "d1/lead", "d2/lead", "d2/new"]),
        ("system", False, ["d1/lead", "d2/lead", "d2/new", "d1/other"]),
    ],
)
def test_sorting_puts_undefined_last(
    library: Library, sort: str, descending: bool, expected: list[str]
) -> None:
    assert listed(library, sort, descending) == expected


@pytest.mark.parametrize(
    ("find", "expected"),
    [
        ("LEAD", ["d1/lead", "d2/lead"]),
        ("lead rouge-1.f1>7", ["d1/lead"]),
        ("rouge1>=7", ["d1/lead", "d2/lead"]),
        ("human<2", ["d1/lead"]),
        (">2", ["d1/other"]),
        ("-system=lead", ["d1/other", "d2/new"]),
        ("system!=lead input:1", ["d1/other"]),
        ('summary:"one TWO"', ["d1/lead"]),
        ("summary:/fo+ur/", ["d1/other"]),
        ("text:/^(A B|two)/", ["d1/lead", "d1/other"]),
        ("references:one", ["d1/lead"]),
        ("rouge-1.f1>", ["d1/lead", "d1/other", "d2/lead", "d2/new"]),
    ],
)
def test_finding_by_names_bounds_and_texts(
    library: Library, find: str, expected: list[str]
) -> None:
    assert listed(library, find=find) == expected


@pytest.mark.parametrize(
    ("find", "message"),
    [
        ("rogue-1.f1>3", "no column 'rogue-1.f1'.*rouge-1.f1"),
        ("human>high", "human holds numbers"),
        ("system>3", "system is not a number"),
        ("summary:/(/", "not a regular expression"),
        ('summary:"x', "quotation mark"),
        ("summary=x", "summary:word"),
    ],
)
def test_a_query_that_cannot_be_answered_is_an_error(
    library: Library, find: str, message: str
) -> None:
    with pytest.raises(RubricaError, match=message):
        library.query.rows(find)


def test_a_pattern_that_never_ends_is_given_up(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.serve.viewer.search._SECONDS", 0.05)
    library.table.add([Sample("d3", "s", summary="a" * 40 + "!")])
    with pytest.raises(RubricaError, match="takes too long"):
        library.query.rows(r"summary:/(a|a|aa)+$/")


def test_a_pattern_has_one_limit_for_all_texts(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each text alone takes less than ten seconds.
    clock = itertools.count(0, 4)
    monkeypatch.setattr("rubrica.serve.viewer.search.monotonic", lambda: next(clock))
    library.table.add([Sample(f"e{n}", "s", summary=f"text {n}") for n in range(9)])
    with pytest.raises(RubricaError, match="takes too long"):
        library.query.rows("summary:/^.+$/")


@pytest.mark.parametrize("pattern", ["(" * 5000, "(?R)"], ids=["nested", "endless"])
def test_a_pattern_that_no_memory_holds_is_an_error(library: Library, pattern: str) -> None:
    with pytest.raises(RubricaError, match="regular expression"):
        library.query.rows(f"summary:/{pattern}/")


@pytest.mark.parametrize("column", ["summary", "document"])
def test_texts_are_no_column_of_the_table(address: str, column: str) -> None:
    for path in (f"/rows?column={column}", f"/export?kind=csv&column={column}"):
        status, answer, _ = ask(address, "GET", path)
        assert (status, answer) == (422, {"error": f"{column} is a text, which no column shows"})


@given(st.lists(st.one_of(st.none(), st.floats(-5, 5)), min_size=1, max_size=40), st.booleans())
def test_any_order_is_a_sorted_permutation(values: list[float | None], descending: bool) -> None:
    with TemporaryDirectory() as folder:
        library = Library(folder)
        library.table.add(
            Sample(f"d{number}", "s", scores={} if value is None else {"m": value})
            for number, value in enumerate(values)
        )
        library.table.add([Sample("last", "s", scores={"m": 9.0})])
        rows = library.query.rows("-last", "m", descending)
    shown = library.table.column("m")[rows].tolist()
    known = [x for x in shown if x == x]
    assert known == sorted((x for x in values if x is not None), reverse=descending)
    assert all(x != x for x in shown[len(known) :])
    assert len(shown) == len(values)


def test_compressed_files_show_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row("d", "s", summary="hello")).encode()))
    library = Library(str(tmp_path))
    library.open(str(path))
    assert library.table.summary(0) == "hello"


def test_scores_in_parquet_join_their_summaries(library: Library, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    scored = [Metrics("d1", "lead", "peer", MetricsDict({"m": {"f1": 2.5}, "n": None}), ("m|v:1",))]
    write_score_rows(tmp_path / "scores.parquet", scored)
    assert library.open(str(tmp_path / "scores.parquet")).rows == 1
    assert read_sample(library, {"input": "d1"})["summaries"][0]["scores"]["m.f1"] == 2.5
    (tmp_path / "broken.parquet").write_text("x")
    with pytest.raises(DataError, match=r"^dropped:1: not a valid Parquet file"):
        library.open(str(tmp_path / "broken.parquet"), "dropped")


def test_a_bad_row_adds_nothing_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(row("d", "s", summary="x")) + "\n{not json}\n")
    library = Library(str(tmp_path))
    with pytest.raises(DataError, match=r"bad\.jsonl.*2"):
        library.open(str(path))
    assert len(library.table) == 0
    path.write_text('{"instance_id": "d"}\n')
    with pytest.raises(DataError, match="no column for 'summary'"):
        library.open(str(path))


@pytest.fixture
def address(library: Library) -> Iterator[str]:
    with serving_app(make_viewer(library, known_hosts("127.0.0.1"), token=TOKEN)) as host:
        yield host


def ask(
    address: str, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, Any, dict[str, str]]:
    connection = http.client.HTTPConnection(address, timeout=100)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, {"Cookie": COOKIE} | sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    made = json.loads(text) if text.startswith(("{", "[")) else text
    return answer.status, made, {k.lower(): v for k, v in answer.getheaders()}


def test_rows_and_samples_are_answered(address: str) -> None:
    query = "sort=rouge-1.f1&descending=1&count=1&column=words&column=rouge-1.f1"
    status, page, headers = ask(address, "GET", f"/rows?{query}")
    assert (status, page["total"], page["rows"]) == (200, 4, [[0, "d1", "lead", "peer", 2.0, 40.5]])
    assert "unsafe" not in headers["content-security-policy"]
    _, sample, _ = ask(address, "GET", "/sample?input=d1")
    assert sample["matches"]["rows"][0]["pairs"][0][0]["counts"][0][0] == 2
    status, answer, _ = ask(address, "GET", "/rows?find=nothing%3E2")
    assert status == 422
    assert "no column 'nothing'" in answer["error"]
    for path in ("/sample?input=d9", "/sample?input=d1&system=x"):
        assert ask(address, "GET", path)[0] == 422
    for path in ("/rows?start=x", "/static/..%2fapp.py", "/static/none.js"):
        assert ask(address, "GET", path)[0] == 404


def test_other_rows_are_read_after_the_first_were_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrica.serve.viewer.library.FIRST_ROWS", 2)
    monkeypatch.setattr("rubrica.serve.viewer.library._FIRST_SCREEN_SECONDS", 1000)
    library = Library(str(tmp_path))
    rows = [row(f"d{number}", "lead", summary="one") for number in range(5)]
    file = library.open(written(tmp_path / "texts.jsonl", *rows))
    assert (file.rows, file.state) == (2, "reading")
    with serving_app(make_viewer(library, known_hosts("127.0.0.1"), token=TOKEN)) as address:
        assert ask(address, "GET", "/rows")[1]["total"] == 2
        for thread in library._reading:
            thread.join()
        assert ask(address, "GET", "/rows")[1]["total"] == 5
    assert (file.rows, file.state) == (5, "read")


def test_the_page_asks_for_all_its_modules_at_once(address: str) -> None:
    _, page, _ = ask(address, "GET", "/")
    modules = re.findall(r'rel="modulepreload" href="/static/([^"]+)"', page)
    for name in ("viewer/page.js", *modules):
        _, source, _ = ask(address, "GET", f"/static/{name}")
        assert set(imported_modules(name, source)) <= set(modules)
    assert len(modules) == len(set(modules)) > 10


def test_other_sites_and_other_names_are_refused(address: str) -> None:
    assert ask(address, "GET", "/facts", Host="evil.example")[0] == 421
    body = json.dumps(row("d9", "s", summary="x")).encode()
    assert ask(address, "POST", "/drop?name=x.jsonl", body)[0] == 403
    assert ask(address, "GET", "/facts")[1]["summaries"] == 4


def test_a_dropped_file_joins_the_table(address: str, tmp_path: Path) -> None:
    page = ask(address, "GET", "/")[1]
    token = page.split('forgery-token" content="')[1].partition('"')[0]
    body = json.dumps(row("d9", "s", summary="x")).encode()
    status, made, _ = ask(
        address, "POST", "/drop?name=../../new.jsonl", body, x_forgery_token=token
    )
    assert (status, made["name"], made["rows"], made["state"]) == (200, "new.jsonl", 1, "read")
    assert ask(address, "GET", "/facts")[1]["summaries"] == 5
    status, made, _ = ask(address, "POST", "/drop?name=b.jsonl", b"no", x_forgery_token=token)
    assert status == 422
    assert "b.jsonl" in made["error"]


NEWS = Path(__file__).resolve().parents[3] / "examples" / "news"


def test_pyramids_and_annotations_meet_in_any_order() -> None:
    made = Pyramids()
    assert holds_pyramids(str(NEWS / "pyramids.jsonl"))
    assert not holds_pyramids(str(NEWS / "summaries.jsonl"))
    made.add(str(NEWS / "pyramid-annotations.jsonl"))
    assert [(one.units, one.annotated) for one in made.listed()][:1] == [(None, 6)]
    with pytest.raises(DataError, match="no pyramid of 'd01'"):
        made.page("d01")
    made.add(str(NEWS / "pyramids.jsonl"))
    assert [(one.instance, one.units) for one in made.listed()][:1] == [("d01", 12)]
    assert b"lead3" in made.page("d01")
    assert b"d02" not in made.page("d01")


def test_a_file_with_a_bad_pyramid_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tmp123.jsonl"
    first = (NEWS / "pyramids.jsonl").read_text().splitlines()[0]
    path.write_text(first + "\n{no\n")
    made = Pyramids()
    with pytest.raises(DataError, match=r"^mine\.jsonl:2: not valid JSON"):
        made.add(str(path), "mine.jsonl")
    assert made.listed() == []
    other = json.loads(first) | {"scus": []}
    made.add(written(tmp_path / "a.jsonl", json.loads(first)))
    with pytest.raises(DataError, match="a different pyramid"):
        made.add(written(tmp_path / "b.jsonl", other))


def test_nested_json_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(DataError, match=r"deep\.jsonl.*nested"):
        Library(str(tmp_path)).open(str(path))


def test_languages_come_with_the_texts(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    reference = {"text": "b", "lang": "he"}
    library.open(
        written(
            tmp_path / "t.jsonl", row("d", "s", summary="a", language="ar", references=[reference])
        )
    )
    assert library.table.languages(0).summary == "ar"
    assert library.table.languages(0).reference(0) == "he"


def test_a_pyramid_is_a_page_that_nobody_may_frame(tmp_path: Path) -> None:
    library = Library(str(tmp_path))
    library.open(str(NEWS / "pyramids.jsonl"))
    app = make_viewer(library, known_hosts("127.0.0.1"), token=TOKEN)
    with serving_app(app) as address:
        status, page, headers = ask(address, "GET", "/pyramid?input=d02")
        assert status == 200
        assert headers["content-security-policy"] == "frame-ancestors 'none'"
        assert headers["x-frame-options"] == "DENY"
        # The page's own policy allows its scripts by their hashes, and nothing else.
        assert "default-src 'none'; script-src 'sha256-" in page
        assert ask(address, "GET", "/pyramid?input=d99")[0] == 404
        assert ask(address, "GET", "/pyramid?input=d02", Host="evil.example")[0] == 421
        assert ask(address, "GET", "/facts")[1]["pyramids"][1]["units"] == 12


def test_ctrl_c_is_how_the_viewer_ends(
    rubrica: Any, news: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uvicorn = pytest.importorskip("uvicorn")

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(uvicorn.Server, "run", interrupted)
    answer = rubrica("open", news / "summaries.jsonl", "--no-browser")
    assert answer.code == 0
    assert re.match(r"http://127\.0\.0\.1:\d+/open/[\w-]{32}$", answer.out.strip())
    assert "interrupted" not in answer.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_viewer_that_is_told_to_stop_leaves_no_files(number: int, tmp_path: Path) -> None:
    words = ["-m", "rubrica", "open", str(NEWS / "summaries.jsonl"), "--no-browser"]
    places = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, text=True, env=places
    ) as process:
        assert process.stdout is not None
        host, _, path = process.stdout.readline().strip().removeprefix("http://").partition("/")
        # An answer shows that the server runs.
        assert ask(host, "GET", f"/{path}", Cookie="")[0] == 303
        assert len(os.listdir(tmp_path)) == 1
        process.send_signal(number)
        assert process.wait() == 0
    assert os.listdir(tmp_path) == []


def test_only_who_knows_the_link_is_let_in(address: str) -> None:
    for path in (
        "/",
        "/rows",
        "/static/viewer/page.js",
        "/sample?input=d1",
        "/open",
        "/open/wrong",
    ):
        for cookie in ("", "other=x", COOKIE[:-1]):
            assert ask(address, "GET", path, Cookie=cookie)[0] == 403
    assert ask(address, "POST", "/drop?name=x.jsonl", b"{}", Cookie="")[0] == 403
    status, _, headers = ask(address, "GET", f"/open/{TOKEN}", Cookie="")
    assert (status, headers["location"]) == (303, "/")
    assert headers["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"
    assert ask(address, "GET", "/", Cookie=f"a=b; {COOKIE}")[0] == 200


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
                                  b"POST /drop HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nx"])  # fmt: skip
def test_half_a_request_is_not_waited_for(
    sent: bytes, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ImpatientProtocol, "patience", 0.3)
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=100) as connection:
        connection.sendall(sent)
        with suppress(ConnectionResetError):
            while connection.recv(4096):
                pass


def test_flags_are_stored_for_the_page_that_knows_its_token(
    library: Library, address: str, tmp_path: Path
) -> None:
    token = ask(address, "GET", "/")[1].split('forgery-token" content="')[1].partition('"')[0]
    flag = {"instance_id": "d1", "summarizer_id": "lead", "flagged": True, "note": "look"}
    body = json.dumps(flag).encode()
    assert ask(address, "POST", "/flag", body)[0] == 403
    status, answer, _ = ask(address, "POST", "/flag", body, x_forgery_token=token)
    assert status == 422
    assert "--notes FILE" in answer["error"]
    library.flags = Flags(str(tmp_path / "notes.jsonl"), library.table)
    assert ask(address, "POST", "/flag", body, x_forgery_token=token)[:2] == (200, flag)
    for wrong in (b"{}", b'{"note": "\xff"}', b'{"note": ' + b"[" * 5000):
        assert ask(address, "POST", "/flag", wrong, x_forgery_token=token)[0] == 422
    assert ask(address, "GET", "/sample?input=d1")[1]["flag"] == flag
    assert ask(address, "GET", "/rows?find=flag%3Dyes")[1]["total"] == 1
