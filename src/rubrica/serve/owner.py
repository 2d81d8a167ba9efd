"""The owner's pages, behind a secret link of their own: watch, pause, reassign, export."""

from __future__ import annotations

import threading
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rubrica.errors import RubricaError
from rubrica.serve.exports import EXPORTS, export_bytes
from rubrica.serve.monitor import Status, study_status
from rubrica.serve.owner_page import owner_page
from rubrica.serve.requests import Refused, answering, check_token
from rubrica.serve.security import RateLimit, forgery_token, same_token
from rubrica.serve.study_database import StudyDatabase

COOKIE = "rubrica-owner"


class Owner:
    """The routes of the owner; annotators' links do not open them."""

    def __init__(self, database: StudyDatabase, *, secure: bool = False) -> None:
        self._database, self._secure = database, secure
        self._token = database.token("owner")
        self._secret = database.fact("secret") or ""
        self._changes = RateLimit(rate=2, burst=20)
        # The state takes seconds in large studies: it is computed once for each change.
        self._lock = threading.Lock()
        self._cache: tuple[Any, Status] | None = None

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route("/owner/{token}", answering(self._enter)),
            Route("/dashboard", answering(self._dashboard)),
            Route("/dashboard/export/{name}", answering(self._export)),
            Route("/dashboard/pause", answering(self._pause), methods=["POST"]),
            Route("/dashboard/assign", answering(self._assign), methods=["POST"]),
        ]

    def _enter(self, request: Request, _: Any) -> Response:
        if not same_token(request.path_params["token"], self._token):
            raise Refused(404, "This is not the owner's link. rubrica study serve prints it.")
        response = RedirectResponse("/dashboard", status_code=303)
        response.set_cookie(
            COOKIE, self._token, httponly=True, samesite="lax", path="/dashboard",
            secure=self._secure,
        )  # fmt: skip
        return response

    def _dashboard(self, request: Request, _: Any) -> Response:
        self._check_owner(request)
        pseudonyms = request.query_params.get("pseudonyms") == "1"
        tasks = {
            (task.item.event, task.item.source): task.task
            for _, task in self._database.all_assigned()
        }
        names = [] if pseudonyms else [a.name for a in self._database.annotators() if not a.removed]
        token = forgery_token(self._secret, self._token)
        status = self._status(pseudonyms)
        return HTMLResponse(owner_page(status, tasks, names, token, pseudonyms=pseudonyms))

    def _status(self, pseudonyms: bool) -> Status:
        with self._lock:
            key = pseudonyms, self._database.revision()
            if self._cache is None or self._cache[0] != key:
                self._cache = key, study_status(self._database, pseudonyms=pseudonyms)
            return self._cache[1]

    def _export(self, request: Request, _: Any) -> Response:
        self._check_owner(request)
        name = request.path_params["name"]
        if name not in EXPORTS:
            raise Refused(404, f"There is no such export; use one of {', '.join(EXPORTS)}.")
        pseudonyms = request.query_params.get("pseudonyms") == "1"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        content = export_bytes(self._database, name, pseudonyms=pseudonyms)
        return Response(content, media_type=EXPORTS[name], headers=headers)

    def _pause(self, request: Request, body: Any) -> Response:
        self._check_change(request, body)
        if not isinstance(body.get("paused"), bool):
            raise Refused(400, "Expected paused: true or false.")
        self._database.change_setting("paused", "yes" if body["paused"] else "")
        return JSONResponse({"paused": body["paused"]})

    def _assign(self, request: Request, body: Any) -> Response:
        self._check_change(request, body)
        task, name = body.get("task"), body.get("annotator")
        if type(task) is not int or not 0 < task < 1 << 31 or not isinstance(name, str):
            raise Refused(400, "Expected a task and an annotator.")
        try:
            self._database.assign_task(task, name)
        except RubricaError as error:
            raise Refused(409, str(error)) from error
        return JSONResponse({"assigned": True})

    def _check_owner(self, request: Request) -> None:
        if not same_token(request.cookies.get(COOKIE, ""), self._token):
            raise Refused(403, "Open the owner's link first. rubrica study serve prints it.")

    def _check_change(self, request: Request, body: Any) -> None:
        self._check_owner(request)
        check_token(request, self._secret, self._token)
        if not self._changes.allows("owner"):
            raise Refused(429, "Too many changes at once. Try again in a moment.")
        if not isinstance(body, dict):
            raise Refused(400, "Expected a JSON object.")
