"""A study served in this process, for tests that speak HTTP or drive a browser."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from rubrica.serve.app import make_app
from rubrica.serve.protocol import ImpatientProtocol
from rubrica.serve.server import bind, known_hosts
from rubrica.serve.study_database import Assigned, StudyDatabase
from rubrica.study.forms.base import Form, Item
from rubrica.study.forms.definition import encode_form


def rate_item(event: str, source: str, *texts: str, **more: Any) -> Item:
    """A rating task; a text `gold:p:...` has a known answer."""
    statements = []
    for number, text in enumerate(texts):
        known = text[5] if text.startswith("gold:") else ""
        statements.append({"id": str(number), "text": text[7:] if known else text, "known": known})
    shown = more.pop("shown", f"Text of {event}. It says something.")
    return Item("rate", event, source, shown, tuple(statements), **more)


def write_item(event: str, lines: int = 3) -> Item:
    """A task of writing."""
    empty = tuple({"id": str(n), "text": "", "known": ""} for n in range(lines))
    return Item("write", event, event, f"Reference of {event}.", empty)


def new_store(path: Path, items: Sequence[Item], people: int = 2, **options: Any) -> StudyDatabase:
    """A study that is set up."""
    store = StudyDatabase(str(path))
    names = [f"annotator-{n}" for n in range(1, people + 1)]
    form: Form | None = options.get("form")
    facts = {"kind": items[-1].kind, "title": "A study"}
    facts |= {"form": encode_form(form)} if form else {}
    facts |= options.get("settings", {})
    store.set_up(
        items, names, per_task=options.get("per_task"), seed=options.get("seed", 0), facts=facts
    )
    return store


def assigned(store: StudyDatabase, annotator: int, position: int) -> Assigned:
    """The task at a place of somebody's order, which must be there."""
    found = store.assigned(annotator, position)
    assert found is not None
    return found


@contextmanager
def serving(store: StudyDatabase, **options: Any) -> Iterator[str]:
    """Serve a store from a thread; the address."""
    with serving_app(make_app(store, hosts=known_hosts("127.0.0.1"), **options)) as address:
        yield address


@contextmanager
def serving_app(app: Any) -> Iterator[str]:
    """Serve an application from a thread; the address."""
    listening = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app, log_level="error", lifespan="off", access_log=False, server_header=False,
        http=ImpatientProtocol,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=100)
        listening.close()


@dataclass
class Visitor:
    """A browser without a window: remembers its cookie and its page's token."""

    address: str
    cookie: str = ""
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Fetch a page; redirections are not followed."""
        return self._ask("GET", path, None, headers)

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, Any]:
        """Send JSON with the page's token."""
        sent = {"Content-Type": "application/json", "X-Forgery-Token": self.token} | headers
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, text = self._ask("POST", path, data, sent)
        return status, json.loads(text) if text.startswith(("{", "[")) else text

    def enter(self, token: str, position: int = 1) -> str:
        """Follow a personal link to a task; the page."""
        return self.open(f"/a/{token}", f"/task/{position}")

    def open(self, link: str, path: str) -> str:
        """Follow a secret link, then fetch a page with its token."""
        self.get(link)
        self.keep_session()
        return self.look_at(path)

    def keep_session(self) -> None:
        """Remember the cookie of the last answer."""
        self.cookie = self.headers["set-cookie"].partition(";")[0]

    def look_at(self, path: str) -> str:
        """Fetch a page and remember its token."""
        _, page = self.get(path)
        match = re.search(r'name="forgery-token" content="(\w+)"', page)
        self.token = match[1] if match else ""
        return page

    def _ask(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, str]:
        sent = {"Cookie": self.cookie} if self.cookie else {}
        # Closed also when the server is killed in the middle of a request.
        with closing(http.client.HTTPConnection(self.address, timeout=100)) as connection:
            connection.request(
                method, path, data, sent | {k.replace("_", "-"): v for k, v in headers.items()}
            )
            with connection.getresponse() as answer:
                self.headers = {k.lower(): v for k, v in answer.getheaders()}
                return answer.status, answer.read().decode()
