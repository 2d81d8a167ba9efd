"""The viewer's server: pages of rows, samples and facts as JSON, behind a secret link."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import tempfile
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

import rubrica
from rubrica.data.measures import shown_measures
from rubrica.errors import DataError, RubricaError
from rubrica.reports.page import imported_modules
from rubrica.serve.pages import HEAD
from rubrica.serve.security import Guard, PrivateLink, same_token
from rubrica.serve.viewer.export import csv_lines, json_lines
from rubrica.serve.viewer.flags import Flag
from rubrica.serve.viewer.library import Library, OpenedFile
from rubrica.serve.viewer.query import IDS, TEXTS
from rubrica.serve.viewer.sample import read_next, read_sample
from rubrica.serve.viewer.search import Phrase
from rubrica.serve.viewer.slices import TEXT_SLICES, read_slices
from rubrica.serve.viewer.table import BEFORE, CHANGE, Rows

LARGEST_FILE = 4 * 1024**3
MAX_ROWS = 500
MAX_VALUES = 12
LARGEST_NOTE = 64 * 1024
_STATIC = re.compile(r"^(?:[\w-]+/)?[\w-]+\.(js|css)$")
_KINDS = {"js": "text/javascript", "css": "text/css"}
_PAGE = (
    HEAD
    + """<script src="/static/theme-first.js"></script>
<link rel="stylesheet" href="/static/rouge/page.css">
<link rel="stylesheet" href="/static/embeddings/page.css">
<link rel="stylesheet" href="/static/viewer/page.css">
{modules}
<script type="module" src="/static/viewer/page.js"></script>
</head>
<body><noscript>This page needs JavaScript, which is switched off here.</noscript></body>
</html>
"""
)


class Viewer:
    """The routes of the viewer for the files of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._token = secrets.token_hex(16)
        self._adding = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route("/", self._home),
            Route("/static/{name:path}", self._static),
            Route("/facts", self._route(self._facts)),
            Route("/rows", self._route(self._rows)),
            Route("/place", self._route(self._place)),
            Route("/sample", self._route(self._sample)),
            Route("/explained", self._route(self._explained)),
            Route("/next", self._route(self._next)),
            Route("/slices", self._route(self._slices)),
            Route("/values", self._route(self._values)),
            Route("/export", self._export),
            Route("/pyramid", self._pyramid),
            Route("/drop", self._drop, methods=["POST"]),
            Route("/flag", self._flag, methods=["POST"]),
        ]

    async def _home(self, request: Request) -> Response:
        return HTMLResponse(
            _PAGE.format(title="Summaries", token=self._token, modules=_preloaded("viewer/page.js"))
        )

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if match := _STATIC.match(name):
            content = _web_file(name)
            if content is not None:
                return Response(content, media_type=_KINDS[match[1]])
        return _json({"error": "there is no such file"}, 404)

    def _route(self, work: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        """Return a route that does the work in a thread and reports errors."""

        async def answer(request: Request) -> Response:
            try:
                return _json(await run_in_threadpool(work, request))
            except RubricaError as error:
                return _json({"error": str(error)}, 422)
            except (ValueError, IndexError):
                return _json({"error": "there is nothing at this address"}, 404)

        return answer

    def _facts(self, request: Request) -> Any:
        library, table = self._library, self._library.table
        with table.lock:
            return {
                "version": rubrica.__version__,
                "change": table.version,
                "busy": library.busy(),
                "files": library.files,
                "pyramids": library.pyramids.listed(),
                "measures": list(table.scores),
                "headlines": _headlines(library),
                "changes": library.changes,
                "people": list(filter(library.distributions.is_of_people, table.scores)),
                "fields": list(table.fields),
                "texts": list(TEXTS),
                "slices": ["system", "type", *table.fields, *_text_slices(library), *table.scores],
                "summaries": len(table),
                "conflicts": table.conflicts,
            }

    def _rows(self, request: Request) -> Any:
        query, table = request.query_params, self._library.table
        count = min(MAX_ROWS, max(0, int(query.get("count", "100"))))
        start = max(0, int(query.get("start", "0")))
        with table.lock:
            order = self._order(request)
            rows = order[start : start + count].tolist()
            columns = [name for name in query.getlist("column") if name not in IDS]
            cells = [self._cells(self._library.query.cells_of(name), rows) for name in columns]
            shown = [[row, *table.ids(row)] for row in rows]
        for values in cells:
            for row, value in zip(shown, values, strict=True):
                row.append(value)
        self._library.read_others()
        return {"total": len(order), "start": start, "rows": shown}

    def _order(self, request: Request) -> Rows:
        query = request.query_params
        return self._library.query.rows(
            query.get("find", ""), query.get("sort", ""), query.get("descending") == "1"
        )

    def _place(self, request: Request) -> Any:
        """Return where a summary is in the order of the page; null if the query does not match it."""
        query, table = request.query_params, self._library.table
        with table.lock:
            row = table.row(query.get("input", ""), query.get("system", ""))
            places = [] if row is None else np.flatnonzero(self._order(request) == row).tolist()
        return {"place": places[0] if places else None}

    async def _export(self, request: Request) -> Response:
        """Return all rows that fit the query, in its order, as a file."""
        query, table = request.query_params, self._library.table
        kind = "csv" if query.get("kind") == "csv" else "jsonl"
        try:
            with table.lock:
                order = self._order(request)
                columns = [self._library.query.cells_of(name) for name in query.getlist("column")]
        except RubricaError as error:
            return _json({"error": str(error)}, 422)
        lines = csv_lines(table, order, columns) if kind == "csv" else json_lines(table, order)
        name = f'attachment; filename="summaries.{kind}"'
        media = "text/csv" if kind == "csv" else "application/jsonl"
        return StreamingResponse(lines, media_type=media, headers={"content-disposition": name})

    def _cells(self, column: str, rows: list[int]) -> list[Any]:
        table = self._library.table
        if column in table.fields:
            return [table.field_of(column, row) for row in rows]
        return table.numbers_at(column, rows)

    def _sample(self, request: Request) -> Any:
        return read_sample(self._library, dict(request.query_params))

    def _explained(self, request: Request) -> Any:
        if self._library.explainer is None:
            raise DataError("start the viewer with -m METRIC to see how it scores a sample")
        return self._library.explainer.read(request.query_params)

    def _next(self, request: Request) -> Any:
        return read_next(self._library, dict(request.query_params))

    def _slices(self, request: Request) -> Any:
        query, library = request.query_params, self._library
        with library.table.lock:
            rows = library.query.rows(query.get("find", ""))
            return read_slices(
                library.table, library.query, rows, query.get("by", ""), query.getlist("measure")
            )

    def _values(self, request: Request) -> Any:
        """Return names of a column that begin with, or contain, what somebody has typed."""
        table, typed = self._library.table, request.query_params.get("typed", "").lower()
        with table.lock:
            column = self._library.query.resolve(request.query_params.get("column", ""))
            if column not in IDS and column not in table.fields:
                return []
            names, lower = table.names(column), table.lower_names(column)
            codes = np.flatnonzero(Phrase(typed).in_each(lower)).tolist()
            codes.sort(key=lambda code: not lower[code].startswith(typed))
            return [names[code] for code in codes[:MAX_VALUES]]

    async def _pyramid(self, request: Request) -> Response:
        """Return a pyramid's page, which has its own content policy and must not be framed."""
        try:
            report = await run_in_threadpool(
                self._library.pyramids.page, request.query_params.get("input", "")
            )
        except RubricaError as error:
            return _json({"error": str(error)}, 404)
        return HTMLResponse(report, headers={"content-security-policy": "frame-ancestors 'none'"})

    async def _drop(self, request: Request) -> Response:
        """Open a file dropped onto the page, stored while the viewer runs."""
        if not same_token(request.headers.get("x-forgery-token", ""), self._token):
            return _json({"error": "the page is too old; reload it"}, 403)
        name = _safe_name(request.query_params.get("name", ""))
        # Its name may be a system's, so it keeps it, in a folder of its own.
        path = os.path.join(tempfile.mkdtemp(dir=self._library.folder), name)
        with open(path, "wb") as stream:
            async for part in request.stream():
                stream.write(part)
        async with self._adding:
            try:
                opened = await run_in_threadpool(self._open, path, name)
            except RubricaError as error:
                os.unlink(path)
                return _json({"error": str(error)}, 422)
        return _json(opened)

    async def _flag(self, request: Request) -> Response:
        """Store a flag and a note on a summary."""
        if not same_token(request.headers.get("x-forgery-token", ""), self._token):
            return _json({"error": "the page is too old; reload it"}, 403)
        flags = self._library.flags
        if flags is None:
            return _json({"error": "start the viewer with --notes FILE to store notes"}, 422)
        if int(request.headers.get("content-length", "0")) > LARGEST_NOTE:
            return _json({"error": "the note is too long"}, 413)
        try:
            flag = msgspec.json.decode(await request.body(), type=Flag)
            return _json(await run_in_threadpool(flags.set, flag))
        except (ValueError, RecursionError) as error:
            return _json({"error": f"not a note: {error}"}, 422)
        except RubricaError as error:
            return _json({"error": str(error)}, 422)

    def _open(self, path: str, name: str) -> OpenedFile:
        return self._library.open(path, name)


@cache
def _web_file(name: str) -> bytes | None:
    for package in ("rubrica.serve", "rubrica.reports"):
        file = files(package).joinpath("web", name)
        if file.is_file():
            return file.read_bytes()
    return None


@cache
def _preloaded(script: str) -> str:
    """Return a link for each module that a script imports, so that the browser asks for all at once."""
    modules, unread = {script}, [script]
    while unread:
        module = unread.pop()
        imported = {*imported_modules(module, (_web_file(module) or b"").decode())} - modules
        modules |= imported
        unread.extend(imported)
    return "\n".join(
        f'<link rel="modulepreload" href="/static/{name}">' for name in sorted(modules - {script})
    )


def _text_slices(library: Library) -> list[str]:
    """Return the properties of texts that the open files allow to slice by."""
    if not len(library.table.summaries):
        return []
    return list(TEXT_SLICES if len(library.table.contexts["documents"].texts) else TEXT_SLICES[:1])


def _safe_name(name: str) -> str:
    """Return the last part of a file's name, which can be no other folder's."""
    name = re.sub(r"[\\/\x00-\x1f]", "/", name).rpartition("/")[2][-120:]
    return name if name.strip(". ") and not name.startswith(".") else "dropped.jsonl"


def _headlines(library: Library, most: int = 6) -> list[str]:
    """Return the measures that the table shows initially: F rather than recall and precision; changes first."""
    names = [name for name in library.table.scores if not name.endswith((BEFORE, CHANGE))]
    shown = [name for name in shown_measures(names) if "_jk" not in name][:most]
    if library.changes is None:
        return shown
    changed = [name for name in shown if name in library.changes.measures]
    return [*(name + CHANGE for name in changed[: most // 2]), *shown[: most // 2]]


def _json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def make_viewer(library: Library, hosts: frozenset[str] | None, *, token: str) -> Guard:
    """Return the whole application, entered by `/open/TOKEN`; dropped files are stored in the library's folder."""
    viewer = Viewer(library)
    return Guard(PrivateLink(Starlette(routes=viewer.routes()), token), hosts, LARGEST_FILE)
