"""The application: personal links, tasks one by one, answers saved as they are given."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rubrica.serve.enrolment import Enrolment, completion_page, consent_page, set_session
from rubrica.serve.owner import Owner
from rubrica.serve.pages import feedback_page, instructions_page, message_page
from rubrica.serve.people import Annotator
from rubrica.serve.requests import Refused, answering, check_token
from rubrica.serve.security import Guard, RateLimit, forgery_token
from rubrica.serve.study_database import REMARKS, Assigned, StudyDatabase
from rubrica.serve.task_page import Progress, task_page
from rubrica.study.forms.base import InvalidAnswer

COOKIE = "rubrica-annotator"
LONGEST_COMMENT = 2000
MAX_PLACES = 1000
_STATIC = {
    "base.css": ("rubrica.reports", "text/css"),
    "annotate.css": ("rubrica.serve", "text/css"),
    "join.js": ("rubrica.serve", "text/javascript"),
    "form.js": ("rubrica.serve", "text/javascript"),
    "post.js": ("rubrica.serve", "text/javascript"),
    "remarks.js": ("rubrica.serve", "text/javascript"),
    "spans.js": ("rubrica.serve", "text/javascript"),
    "write.js": ("rubrica.serve", "text/javascript"),
    "owner.css": ("rubrica.serve", "text/css"),
    "owner.js": ("rubrica.serve", "text/javascript"),
    "saving.js": ("rubrica.serve", "text/javascript"),
}


class Application:
    """The routes of the application for one store."""

    def __init__(self, database: StudyDatabase, *, secure: bool = False) -> None:
        self._database, self._secure = database, secure
        self._changes = RateLimit()
        self._secret = database.fact("secret") or ""
        self._form = database.form

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route("/", answering(self._home)),
            Route("/a/{token}", answering(self._enter)),
            Route("/next", answering(self._next)),
            Route("/task/{position}", answering(self._task)),
            Route("/feedback/{position}", answering(self._feedback)),
            Route("/static/{name}", answering(self._static)),
            Route("/answer", answering(self._answer), methods=["POST"]),
            Route("/consent", answering(self._consent), methods=["POST"]),
            Route("/undo", answering(self._undo), methods=["POST"]),
            Route("/submit", answering(self._submit), methods=["POST"]),
        ]

    # Pages

    def _enter(self, request: Request, _: Any) -> Response:
        annotator = self._database.annotator_with(request.path_params["token"])
        if annotator is None:
            raise Refused(404, "This link is not one of this study. Ask for your personal link.")
        response = RedirectResponse("/", status_code=303)
        set_session(response, COOKIE, annotator, secure=self._secure)
        return response

    def _home(self, request: Request, _: Any) -> Response:
        annotator = self._annotator(request)
        settings = self._database.settings()
        if self._must_consent(annotator):
            token = forgery_token(self._secret, annotator.token)
            return HTMLResponse(consent_page(settings, token, "/consent"))
        return HTMLResponse(
            instructions_page(settings["title"], settings["instructions"], self._form)
        )

    def _must_consent(self, annotator: Annotator) -> bool:
        return bool(self._database.settings()["consent"]) and not annotator.consented

    def _next(self, request: Request, _: Any) -> Response:
        annotator = self._annotator(request)
        position = self._database.next_position(annotator.id)
        if annotator.failed:
            return RedirectResponse("/task/1", status_code=303)
        if position is None:
            first = self._database.first_position(annotator.id)
            link = (f"/task/{first}", "Look at the first task") if first else None
            return HTMLResponse(completion_page(self._database.settings()["completion_code"], link))
        return RedirectResponse(f"/task/{position}", status_code=303)

    def _task(self, request: Request, _: Any) -> Response:
        annotator = self._annotator(request)
        if self._database.settings()["paused"]:
            paragraphs = [
                "The study is paused. Your answers are saved. Come back later by your link."
            ]
            return HTMLResponse(message_page("Pause", paragraphs))
        if annotator.failed:
            paragraphs = ["The practice tasks were not answered well enough to go on."]
            return HTMLResponse(message_page("Thank you for your time", paragraphs))
        if self._must_consent(annotator):
            return RedirectResponse("/", status_code=303)
        assigned = self._assigned(annotator, _number(request.path_params["position"]))
        self._database.open(annotator.id, assigned.task)
        done, total = self._database.progress(annotator.id)
        token = forgery_token(self._secret, annotator.token)
        place = self._database.place(annotator.id, assigned.position)
        progress = Progress(place, done, total)
        instructions = self._database.settings()["instructions"]
        return HTMLResponse(task_page(self._form, assigned, progress, token, instructions))

    def _feedback(self, request: Request, _: Any) -> Response:
        """Show how a submitted practice task should have been answered."""
        annotator = self._annotator(request)
        assigned = self._assigned(annotator, _number(request.path_params["position"]))
        if not self._is_closed(assigned):
            raise Refused(404, "There is no feedback on this task.")
        return HTMLResponse(feedback_page(assigned.item, assigned.answers))

    def _is_closed(self, assigned: Assigned) -> bool:
        """Whether a practice task was submitted and its answers are known to the annotator."""
        shows = bool(self._database.settings()["practice_feedback"])
        return shows and assigned.item.qualification and assigned.submitted is not None

    def _static(self, request: Request, _: Any) -> Response:
        name = request.path_params["name"]
        if name not in _STATIC:
            raise Refused(404, "There is no such file.")
        package, kind = _STATIC[name]
        content = files(package).joinpath("web", name).read_bytes()
        return Response(content, media_type=kind)

    # Changes

    def _answer(self, request: Request, body: Any) -> Response:
        annotator, assigned = self._changing(request, body)
        place, value = body.get("place"), body.get("value")
        if type(place) is not int or not min(REMARKS) <= place < MAX_PLACES:
            raise Refused(400, "There is no such question.")
        if value is not None and not isinstance(value, str):
            raise Refused(400, "An answer is text.")
        if value is not None:
            try:
                value = self._clean(assigned, place, value) or None
            except InvalidAnswer as error:
                raise Refused(400, str(error)) from error
        self._database.answer(annotator.id, assigned.task, place, value)
        return JSONResponse({"saved": True})

    def _clean(self, assigned: Assigned, place: int, value: str) -> str:
        """Return an answer or a remark as it is stored."""
        if place not in REMARKS:
            return self._form.clean(assigned.item, place, value)
        if not self._form.comments or (REMARKS[place] == "flag" and value != "1"):
            raise InvalidAnswer("There is no such remark.")
        return value.strip()[:LONGEST_COMMENT]

    def _consent(self, request: Request, _: Any) -> Response:
        annotator = self._annotator(request)
        check_token(request, self._secret, annotator.token)
        self._database.consent(annotator.id)
        return JSONResponse({"next": "/"})

    def _undo(self, request: Request, body: Any) -> Response:
        annotator, assigned = self._changing(request, body)
        undone = self._database.undo(annotator.id, assigned.task)
        if undone is None:
            return JSONResponse({"place": None})
        return JSONResponse({"place": undone[0], "value": undone[1]})

    def _submit(self, request: Request, body: Any) -> Response:
        annotator, assigned = self._changing(request, body)
        item = assigned.item
        if message := self._form.missing(item, assigned.answers):
            raise Refused(409, message)
        self._database.submit(annotator.id, assigned.task)
        if item.qualification:
            self._qualify(annotator)
            if self._database.settings()["practice_feedback"]:
                return JSONResponse({"next": f"/feedback/{assigned.position}"})
        following = self._database.next_position(annotator.id, assigned.position)
        return JSONResponse({"next": "/next" if following is None else f"/task/{following}"})

    def _qualify(self, annotator: Annotator) -> None:
        """Fail the annotator if all practice tasks are submitted and too few answers are right."""
        right = known = 0
        position = 1
        while (
            assigned := self._database.assigned(annotator.id, position)
        ) and assigned.item.qualification:
            if assigned.submitted is None:
                return
            for place, statement in enumerate(assigned.item.statements):
                if statement.get("known"):
                    known += 1
                    right += assigned.answers.get(place) == statement["known"]
            position += 1
        if known and right < float(self._database.settings()["pass_share"]) * known:
            self._database.fail(annotator.id)

    # Who and what

    def _annotator(self, request: Request) -> Annotator:
        annotator = self._database.annotator_with(request.cookies.get(COOKIE, ""))
        if annotator is None:
            raise Refused(403, "Open your personal link first.")
        if annotator.removed:
            raise Refused(403, "Your part in this study is over. Thank you.")
        return annotator

    def _assigned(self, annotator: Annotator, position: Any) -> Assigned:
        # Beyond 2^63 SQLite has no integers; True is one for Python alone.
        known = type(position) is int and 0 < position < 1 << 31
        assigned = self._database.assigned(annotator.id, position) if known else None
        if assigned is None:
            raise Refused(404, "There is no such task.")
        return assigned

    def _changing(self, request: Request, body: Any) -> tuple[Annotator, Assigned]:
        """Return the annotator and the task to change; refuse requests that our page did not make."""
        annotator = self._annotator(request)
        check_token(request, self._secret, annotator.token)
        if self._must_consent(annotator):
            raise Refused(403, "Agree to take part first: reload the page.")
        if annotator.failed:
            raise Refused(403, "The study is over for you.")
        if not self._changes.allows(annotator.id):
            raise Refused(429, "Too many changes at once. They are sent again in a moment.")
        if not isinstance(body, dict):
            raise Refused(400, "Expected a JSON object.")
        assigned = self._assigned(annotator, body.get("position"))
        if self._is_closed(assigned):
            raise Refused(409, "This practice task is submitted; go on with the next one.")
        return annotator, assigned


def _number(text: str) -> int | None:
    """Return a position in an address as a number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def make_app(
    database: StudyDatabase,
    *,
    hosts: frozenset[str] | None = frozenset({"127.0.0.1", "localhost", "[::1]"}),
    secure: bool = False,
) -> Guard:
    """Return the whole application.

    `hosts` None accepts every host name; `secure` sends cookies by HTTPS only.
    """
    parts = (
        Application(database, secure=secure),
        Enrolment(database, COOKIE, secure=secure),
        Owner(database, secure=secure),
    )
    routes = [route for part in parts for route in part.routes()]
    return Guard(Starlette(routes=routes), hosts)
