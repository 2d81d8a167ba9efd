"""Requests and refusals: read JSON bodies, do the work in a thread, report errors to the browser."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from rubrica.errors import OutputError
from rubrica.serve.pages import message_page
from rubrica.serve.security import forgery_token, same_token


class Refused(Exception):
    """A request that is not allowed or not understood; the browser shows the message."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message


def answering(work: Callable[[Request, Any], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that reads the body, does the work in a thread and reports refusals."""

    async def answer(request: Request) -> Response:
        try:
            body = await read_body(request) if request.method == "POST" else None
            return await run_in_threadpool(work, request, body)
        except Refused as refused:
            return _refusal(request, refused)
        except OutputError as error:
            print(f"warning: {error}", file=sys.stderr)
            message = "The server cannot save anything now. Tell the owner of the study."
            return _refusal(request, Refused(507, message))

    return answer


def _refusal(request: Request, refused: Refused) -> Response:
    if request.method == "POST":
        return JSONResponse({"error": refused.message}, status_code=refused.status)
    body_text = message_page("This page cannot be shown", [refused.message])
    return HTMLResponse(body_text, status_code=refused.status)


def check_token(request: Request, secret: str, session: str) -> None:
    """Refuse a change that no page of this session sent."""
    token = request.headers.get("x-forgery-token", "")
    if not same_token(token, forgery_token(secret, session)):
        raise Refused(403, "The page is too old. Reload it.")


async def read_body(request: Request) -> Any:
    """Return the JSON body of a request."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(415, "Expected JSON.")
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Refused(400, "Not valid JSON.") from error
