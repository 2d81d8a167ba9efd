"""The viewer: a table of summaries, sorted and filtered on the server, drawn in the browser."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import tempfile
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

import rubrica
from rubrica.data.instance import EvalInstance, Fields
from rubrica.errors import RubricaError
from rubrica.reports.rouge_matches import rouge_report, usual_variant
from rubrica.serve.pyramids import Pyramids, holds_pyramids
from rubrica.serve.security import Guard, PrivateLink, same_token
from rubrica.serve.summaries import NAMES, Opened, Summaries

LARGEST_FILE = 4 * 1024**3
MOST_ROWS = 500
_STATIC = re.compile(r"^[\w-]+\.(js|css)$")
_KINDS = {"js": "text/javascript", "css": "text/css"}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="forgery-token" content="{token}">
<title>Summaries</title>
<script src="/static/theme-first.js"></script>
<link rel="stylesheet" href="/static/base.css">
<link rel="stylesheet" href="/static/rouge.css">
<link rel="stylesheet" href="/static/viewer.css">
<script type="module" src="/static/viewer.js"></script>
</head>
<body><noscript>This page needs JavaScript, which is switched off here.</noscript></body>
</html>
"""


class Viewer:
    """The routes of the viewer for one table and its pyramids."""

    def __init__(self, summaries: Summaries, pyramids: Pyramids, folder: str) -> None:
        self._summaries, self._pyramids, self._folder = summaries, pyramids, folder
        self._token = secrets.token_hex(16)
        self._adding = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route("/", self._home),
            Route("/static/{name}", self._static),
            Route("/facts", self._route(self._facts)),
            Route("/rows", self._route(self._rows)),
            Route("/summary", self._route(self._named_summary)),
            Route("/summary/{at}", self._route(self._summary)),
            Route("/pyramid", self._pyramid),
            Route("/drop", self._drop, methods=["POST"]),
        ]

    async def _home(self, request: Request) -> Response:
        return HTMLResponse(_PAGE.format(token=self._token))

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if match := _STATIC.match(name):
            for package in ("rubrica.serve", "rubrica.reports"):
                file = files(package).joinpath("web", name)
                if file.is_file():
                    return Response(file.read_bytes(), media_type=_KINDS[match[1]])
        return _json({"error": "there is no such file"}, 404)

    def _route(self, work: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        """Return a route that does the work in a thread and reports errors."""

        async def answer(request: Request) -> Response:
            try:
                return _json(await run_in_threadpool(work, request))
            except (ValueError, IndexError):
                return _json({"error": "there is nothing at this address"}, 404)
            except RubricaError as error:
                return _json({"error": str(error)}, 422)

        return answer

    def _facts(self, request: Request) -> Any:
        table = self._summaries
        return {
            "version": rubrica.__version__,
            "files": [*table.files, *self._pyramids.files],
            "pyramids": self._pyramids.listed(),
            "columns": [*NAMES, *table.scores],
            "summaries": len(table.ids),
        }

    def _rows(self, request: Request) -> Any:
        query = request.query_params
        count = min(MOST_ROWS, max(0, int(query.get("count", "100"))))
        start = max(0, int(query.get("start", "0")))
        total, rows = self._summaries.page(
            query.get("sort", ""),
            query.get("descending") == "1",
            query.get("find", ""),
            start,
            count,
        )
        return {"total": total, "start": start, "rows": rows}

    def _named_summary(self, request: Request) -> Any:
        query = request.query_params
        return self._read(self._summaries.place(query.get("input", ""), query.get("system", "")))

    def _summary(self, request: Request) -> Any:
        return self._read(int(request.path_params["at"]))

    def _read(self, at: int) -> Any:
        summary = self._summaries.summary(at)
        matches = None
        if summary["summary"] is not None and summary["references"]:
            fields = Fields({name: summary[name] for name in ("summary", "references")})
            ids = summary["input"], summary["system"], summary["type"]
            instance = EvalInstance(*ids, fields, languages=summary["languages"])
            matches = rouge_report([instance], (usual_variant([instance]),))
        return summary | {"matches": matches}

    async def _pyramid(self, request: Request) -> Response:
        """Return a pyramid's page, which has its own content policy and must not be framed."""
        try:
            report = await run_in_threadpool(
                self._pyramids.page, request.query_params.get("input", "")
            )
        except RubricaError as error:
            return _json({"error": str(error)}, 404)
        return HTMLResponse(report, headers={"content-security-policy": "frame-ancestors 'none'"})

    async def _drop(self, request: Request) -> Response:
        """Open a file dropped into the page, kept while the viewer runs."""
        if not same_token(request.headers.get("x-forgery-token", ""), self._token):
            return _json({"error": "the page is too old; reload it"}, 403)
        # The name is only shown and never a path; its ending tells of compression.
        name = os.path.basename(request.query_params.get("name", "")) or "dropped.jsonl"
        ending = "".join(re.findall(r"\.[A-Za-z0-9]{1,8}", name)[-2:])
        handle, path = tempfile.mkstemp(suffix=ending, dir=self._folder)
        with os.fdopen(handle, "wb") as stream:
            async for part in request.stream():
                stream.write(part)
        async with self._adding:
            try:
                opened = await run_in_threadpool(self._add, path, name)
            except RubricaError as error:
                os.unlink(path)
                return _json({"error": str(error)}, 422)
        return _json(opened)

    def _add(self, path: str, name: str) -> Opened:
        return add_file(self._summaries, self._pyramids, path, name)


def add_file(
    summaries: Summaries, pyramids: Pyramids, path: str, name: str | None = None
) -> Opened:
    """Open a file of summaries or of pyramids, according to its first row."""
    return (pyramids if holds_pyramids(path) else summaries).add(path, name)


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def make_viewer(
    summaries: Summaries,
    pyramids: Pyramids,
    folder: str,
    hosts: frozenset[str] | None,
    *,
    token: str,
) -> Guard:
    """Return the whole application, entered by `/open/TOKEN`; dropped files are kept in `folder`."""
    viewer = Viewer(summaries, pyramids, folder)
    return Guard(PrivateLink(Starlette(routes=viewer.routes()), token), hosts, LARGEST_FILE)
