"""Joining a study by its open link: ids of platforms, consent, completion codes."""

from __future__ import annotations

from html import escape
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rubrica.serve.markdown import to_html
from rubrica.serve.pages import framed, message_page, page
from rubrica.serve.people import Annotator
from rubrica.serve.requests import Refused, answering, check_token
from rubrica.serve.security import RateLimit, forgery_token, same_token
from rubrica.serve.study_database import StudyDatabase

# What platforms call a person in the address: Prolific, Mechanical Turk, CloudResearch, others.
ID_NAMES = ("PROLIFIC_PID", "workerId", "participantId", "participant_id", "id")
LONGEST_ID = 200
# Mechanical Turk shows a task before a worker accepts it.
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


class Enrolment:
    """The routes for people who come without a personal link."""

    def __init__(self, database: StudyDatabase, cookie: str, *, secure: bool) -> None:
        self._database, self._cookie, self._secure = database, cookie, secure
        self._token = database.token("join")
        self._secret = database.fact("secret") or ""
        # One limit for everybody: an open link may be found by a robot.
        self._joins = RateLimit(rate=5, burst=100)

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route("/join/{token}", answering(self._show)),
            Route("/join/{token}", answering(self._join), methods=["POST"]),
        ]

    def _show(self, request: Request, _: Any) -> Response:
        self._check(request)
        if request.query_params.get("assignmentId") == _PREVIEW:
            return HTMLResponse(message_page("Preview", ["Accept the task to begin."]))
        known = self._database.annotator_with(request.cookies.get(self._cookie, ""))
        external = platform_id(request.query_params)
        if known is not None and external in ("", known.external):
            return RedirectResponse("/", status_code=303)
        token = forgery_token(self._secret, f"join:{self._token}")
        return HTMLResponse(consent_page(self._database.settings(), token, request.url.path))

    def _join(self, request: Request, body: Any) -> Response:
        self._check(request)
        check_token(request, self._secret, f"join:{self._token}")
        if not self._joins.allows("join"):
            raise Refused(429, "Too many people join at once. Try again in a moment.")
        query = body.get("query") if isinstance(body, dict) else None
        if not isinstance(query, str):
            raise Refused(400, "Expected the query of the address.")
        annotator = self._database.enrol(platform_id(QueryParams(query.removeprefix("?"))))
        if annotator is None:
            raise Refused(409, "The study has enough answers. Thank you for your interest.")
        response = JSONResponse({"next": "/"})
        set_session(response, self._cookie, annotator, secure=self._secure)
        return response

    def _check(self, request: Request) -> None:
        if not same_token(request.path_params["token"], self._token):
            raise Refused(404, "This link is not one of this study.")
        if not self._database.settings()["enrolment"]:
            raise Refused(403, "This study takes no more people. Thank you for your interest.")


def platform_id(query: QueryParams) -> str:
    """Return the id that a platform put into the address; empty if there is none."""
    external = next((query[name].strip() for name in ID_NAMES if query.get(name, "").strip()), "")
    if len(external) > LONGEST_ID or not external.isprintable():
        raise Refused(400, "The id in the address is not one of a platform.")
    return external


def set_session(response: Response, cookie: str, annotator: Annotator, *, secure: bool) -> None:
    """Let a browser be an annotator's."""
    # Not "strict": then a link that is followed from a web mail would end at a closed door.
    # Another site can make a browser ask for pages, and still change nothing without the token.
    response.set_cookie(
        cookie, annotator.token, httponly=True, samesite="lax", path="/", secure=secure
    )


def consent_page(settings: dict[str, str], token: str, action: str) -> str:
    """Return the page that asks whether somebody takes part; `action` is where yes goes."""
    title, consent = settings["title"], settings["consent"]
    text = to_html(consent, 2) if consent else "<p>You are invited to take part in a study.</p>"
    label = "I agree to take part" if consent else "Take part"
    content = (
        f"<h1>{escape(title)}</h1>{text}"
        f'<p><button type="button" class="button" id="join">{label}</button></p>'
        '<p id="trouble" class="trouble" role="alert"></p>'
    )
    data = f' data-action="{escape(action)}"'
    return page(title, framed(content), token=token, script="join.js", data=data)


def completion_page(code: str, look_back: tuple[str, str] | None) -> str:
    """Return the page after the last task, with the code or the address that the platform waits for."""
    paragraphs = ["All tasks are submitted. You may close this window."]
    if code.startswith("https://"):
        return message_page(
            "Done, thank you", ["All tasks are submitted."], (code, "Back to the platform")
        )
    if code:
        paragraphs = ["All tasks are submitted.", f"Your completion code: {code}"]
    return message_page("Done, thank you", paragraphs, look_back)
