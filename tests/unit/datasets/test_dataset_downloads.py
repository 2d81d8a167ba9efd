"""Public data sets: their files are fetched, resumed, verified and told, or taken from a copy."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rubrica.data.resource import Resource
from rubrica.datasets import Dataset, setup_dataset
from rubrica.datasets.output import Output
from rubrica.datasets.raw.tree import Raw
from rubrica.errors import DataError, MissingResourceError
from support.dataset_samples.build import json_lines, put

# Starts processes.
pytestmark = pytest.mark.slow

ROWS = [{"claim": "Yes.", "label": 1}, {"claim": "No.", "label": 0}]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


CONTENT = json_lines(*ROWS).encode()


class _Server(BaseHTTPRequestHandler):
    """Serves CONTENT from where it is asked for; of the first answer as many bytes as `first` says."""

    asked = 0
    first = len(CONTENT)
    content = CONTENT

    def do_GET(self) -> None:
        _Server.asked += 1
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        body = _Server.content[start:]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if _Server.asked > 1 else body[: _Server.first])

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Dataset]:
    monkeypatch.setenv("RUBRICA_DATA_ROOT", str(tmp_path / "root"))
    monkeypatch.setattr(_Server, "asked", 0)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{running.server_address[1]}/rows.jsonl"

        class Public(Dataset):
            """A public set."""

            name = "public"
            licence = "CC0"
            citation = "nobody"
            resources = (
                Resource(
                    "data/rows.jsonl", url, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "CC0"
                ),
            )

            def write(self, raw: Raw, out: Output) -> None:
                out.write(
                    "rows.jsonl", (record.values for record in raw.one("rows.jsonl").records())
                )

        yield Public()
        running.shutdown()
        thread.join()


def test_public_files_are_fetched_once_verified_and_told(public: Dataset, tmp_path: Path) -> None:
    told: list[str] = []
    made = setup_dataset(public, say=told.append)
    assert made.folder == tmp_path / "root" / "datasets" / "public"
    assert len(read(made.folder / "rows.jsonl")) == 2
    assert "MB from http://127.0.0.1" in told[0]
    assert not setup_dataset(public).changed
    assert _Server.asked == 1


def test_a_download_that_breaks_off_writes_nothing_and_goes_on_at_the_next_run(
    public: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Server, "first", 20)
    with pytest.raises(MissingResourceError, match=r"broke off after 20 of .* continues where it"):
        setup_dataset(public, output=tmp_path / "out")
    assert not list(tmp_path.glob("out/*"))
    told: list[str] = []
    assert setup_dataset(public, output=tmp_path / "out", say=told.append).changed
    assert _Server.asked == 2
    assert any("verified" in line for line in told)


def test_another_file_than_the_known_one_is_refused_and_not_kept(
    public: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Server, "content", b"x" * len(CONTENT))
    with pytest.raises(DataError, match="sha256"):
        setup_dataset(public, output=tmp_path / "out")
    assert not list(tmp_path.glob("out/*"))
    assert not [path for path in (tmp_path / "root").rglob("*") if path.is_file()]


def test_a_copy_below_from_is_taken_instead_of_the_network(public: Dataset, tmp_path: Path) -> None:
    put(tmp_path / "raw", {"elsewhere/data/rows.jsonl": CONTENT})
    setup_dataset(public, tmp_path / "raw", tmp_path / "out")
    assert _Server.asked == 0
    with pytest.raises(MissingResourceError, match="--offline forbids"):
        setup_dataset(public, offline=True)


def test_a_fetched_file_and_one_of_an_earlier_run_do_not_collide(
    public: Dataset, tmp_path: Path
) -> None:
    setup_dataset(public)
    put(tmp_path / "mine", {"elsewhere": {"data": {"rows.jsonl": json_lines(ROWS[0])}}})
    made = setup_dataset(public, tmp_path / "mine", tmp_path / "out")
    assert len(read(made.folder / "rows.jsonl")) == 1
