"""Outside files: fetched from a local server here, resumed, verified, never half there."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.resource import Resource, data_root
from rubrica.datasets.resources import fetch
from rubrica.errors import DataError, MissingResourceError
from rubrica.metrics import Metric, SummaryOnlyMetric

# Starts processes.
pytestmark = pytest.mark.slow

CONTENT = bytes(range(256)) * 4096


class _Server(BaseHTTPRequestHandler):
    """Serves CONTENT, with ranges; `/wrong`, `/long`, `/broken` and `/short` misbehave."""

    asked: list[str | None]

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        _Server.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        body = {"/wrong": b"x" * len(CONTENT), "/long": CONTENT * 2}.get(self.path, CONTENT)[start:]
        if self.path == "/short":
            body = CONTENT[:2000][start:]
        if wanted and not body:
            self.send_error(416)
            return
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path == "/broken" and not wanted:
            body = body[:5000]
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    _Server.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def resource(url: str) -> Resource:
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Resource("table.bin", url, digest, len(CONTENT), "CC0")


def test_a_file_is_fetched_verified_and_not_fetched_again(server: str, tmp_path: Path) -> None:
    target = tmp_path / "metrics" / "x" / "table.bin"
    told: list[str] = []
    fetch(resource(f"{server}/table.bin"), target, say=told.append)
    assert target.read_bytes() == CONTENT
    assert f"1.0 MB from {server}" in told[0]
    fetch(resource(f"{server}/table.bin"), target, say=told.append)
    assert told[-1] == "table.bin: there already, verified"
    assert len(_Server.asked) == 1


def test_a_broken_download_goes_on_where_it_stopped(server: str, tmp_path: Path) -> None:
    (tmp_path / "table.bin.partial").write_bytes(CONTENT[:1000])
    fetch(resource(f"{server}/table.bin"), tmp_path / "table.bin")
    assert _Server.asked == ["bytes=1000-"]
    assert (tmp_path / "table.bin").read_bytes() == CONTENT


def test_a_connection_that_ends_early_loses_nothing(server: str, tmp_path: Path) -> None:
    wanted = resource(f"{server}/broken")
    with pytest.raises(MissingResourceError, match="continues where it stopped"):
        fetch(wanted, tmp_path / "table.bin")
    assert (tmp_path / "table.bin.partial").read_bytes() == CONTENT[:5000]
    fetch(wanted, tmp_path / "table.bin")
    assert _Server.asked == [None, "bytes=5000-"]
    assert (tmp_path / "table.bin").read_bytes() == CONTENT


def test_a_run_killed_after_the_last_byte_goes_on(server: str, tmp_path: Path) -> None:
    (tmp_path / "table.bin.partial").write_bytes(CONTENT)
    fetch(resource(f"{server}/table.bin"), tmp_path / "table.bin")
    assert _Server.asked == []
    assert (tmp_path / "table.bin").read_bytes() == CONTENT


def test_a_file_that_has_shrunk_on_the_server_is_begun_anew(server: str, tmp_path: Path) -> None:
    for asked in (None, "bytes=2000-", None):
        with pytest.raises(MissingResourceError, match="could not be fetched"):
            fetch(resource(f"{server}/short"), tmp_path / "table.bin")
        assert _Server.asked[-1] == asked


def test_wrong_content_is_refused_and_removed(server: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="sha256"):
        fetch(resource(f"{server}/wrong"), tmp_path / "table.bin")
    with pytest.raises(MissingResourceError, match="sends more than"):
        fetch(resource(f"{server}/long"), tmp_path / "table.bin")
    assert not (tmp_path / "table.bin").exists()


def test_a_damaged_file_that_is_there_is_told(server: str, tmp_path: Path) -> None:
    (tmp_path / "table.bin").write_bytes(b"damaged")
    with pytest.raises(DataError, match=r"is not table\.bin"):
        fetch(resource(f"{server}/table.bin"), tmp_path / "table.bin")


def test_offline_and_unreachable_servers_say_what_helps(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="--from PATH"):
        fetch(resource("https://127.0.0.1:9/x"), tmp_path / "table.bin", offline=True)
    with pytest.raises(MissingResourceError, match="could not be fetched"):
        fetch(resource("http://127.0.0.1:9/x"), tmp_path / "table.bin")
    for url in ("file:///etc/passwd", "http://example.invalid/x", "http://127.0.0.1.invalid/x"):
        with pytest.raises(MissingResourceError, match="refusing to fetch"):
            fetch(resource(url), tmp_path / "table.bin")


def test_a_copy_is_taken_from_a_path_or_its_folder(tmp_path: Path) -> None:
    source = tmp_path / "downloads"
    source.mkdir()
    (source / "table.bin").write_bytes(CONTENT)
    for number, given in enumerate((source, source / "table.bin")):
        target = tmp_path / str(number) / "table.bin"
        fetch(resource("https://nowhere.invalid/x"), target, source=given, offline=True)
        assert target.read_bytes() == CONTENT
    with pytest.raises(MissingResourceError, match="no such file"):
        fetch(resource("https://nowhere.invalid/x"), tmp_path / "t", source=tmp_path / "none")


def test_the_place_of_files_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))
    assert data_root() == tmp_path
    with pytest.raises(MissingResourceError, match="rubrica setup-metric x"):
        resource("https://x").find("metrics/x", command="rubrica setup-metric x")


def test_setup_metric_fetches_and_its_exit_code_tells(
    rubrica: Any, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path))

    @Metric.register("test-needy", replace=True)
    class Needy(SummaryOnlyMetric):
        """Needs a table."""

        resources = (resource(f"{server}/table.bin"),)

        def score_one(self, summary: str) -> dict[str, float]:
            return {"needy": 1.0}

    answer = rubrica("setup-metric", "test-needy", "--offline")
    assert answer.code == 3
    assert "--from PATH" in answer.err
    answer = rubrica("setup-metric", "test-needy")
    assert (answer.code, answer.out) == (0, "test-needy: ready\n")
    assert (tmp_path / "metrics" / "test-needy" / "table.bin").read_bytes() == CONTENT
    Needy.packages = {"no_such_package": "extra"}
    answer = rubrica("setup-metric", "test-needy")
    assert answer.code == 3
    assert "pip install 'rubrica[extra]'" in answer.err
