"""Access control: headers on every response, a check of the host, tokens against forgery."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LARGEST_BODY = 64 * 1024
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


def forgery_token(secret: str, session: str) -> str:
    """Return the token that a page must send back to change anything; other sites cannot know it."""
    return hmac.new(secret.encode(), session.encode(), hashlib.sha256).hexdigest()


def same_token(first: str, second: str) -> bool:
    """Compare two tokens in constant time."""
    return hmac.compare_digest(first.encode(), second.encode())


class Guard:
    """An ASGI layer: strict headers, known hosts only, a limit on the size of bodies.

    An unknown host may be a name that somebody made point here (DNS rebinding).
    """

    def __init__(
        self, app: Any, hosts: frozenset[str] | None, largest_body: int = LARGEST_BODY
    ) -> None:
        self._app, self._hosts, self._largest = app, hosts, largest_body

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (k.encode(), v.encode())
                        for k, v in HEADERS.items()
                        if k.encode() not in present
                    ),
                ]
            await send(message)

        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        if self._hosts is not None and host.lower() not in self._hosts:
            await _refuse(with_headers, 421, "unknown host")
            return
        if scope["method"] not in ("GET", "HEAD") and not _same_origin(headers):
            await _refuse(with_headers, 403, "a request of another site")
            return
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._largest or "transfer-encoding" in headers:
            await _refuse(with_headers, 413, "too large")
            return
        await self._app(scope, receive, with_headers)


def _same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a change comes from a page of this server; requests without an origin are allowed."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host", "")


class RateLimit:
    """At most `rate` changes per second for each key, after a burst of `burst`."""

    def __init__(self, rate: float = 20.0, burst: float = 100.0) -> None:
        self._rate, self._burst = rate, burst
        self._left: dict[Hashable, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def allows(self, key: Hashable, now: float | None = None) -> bool:
        """Count a change and return whether it is allowed."""
        now = time.monotonic() if now is None else now
        with self._lock:
            left, then = self._left.get(key, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._rate)
            self._left[key] = (max(0.0, left - 1), now)
            return left >= 1


class PrivateLink:
    """An ASGI layer that admits only clients that opened a secret link, `/open/TOKEN`.

    The link sets a cookie that all other requests need. Other users of this machine can reach the
    port, but do not know the link.
    """

    def __init__(self, app: Any, token: str) -> None:
        self._app, self._token = app, token
        # Cookies do not know ports: each server has a cookie of its own.
        self._cookie = f"rubrica-{hashlib.sha256(token.encode()).hexdigest()[:12]}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, set the cookie, or refuse it."""
        if scope["type"] == "http":
            kind, _, token = scope["path"].removeprefix("/").partition("/")
            if kind == "open":
                await self._enter(token, send)
                return
            if not self._knows_link(scope["headers"]):
                await _refuse(send, 403, "Open the address that rubrica printed.")
                return
        await self._app(scope, receive, send)

    async def _enter(self, token: str, send: Send) -> None:
        if not same_token(token, self._token):
            await _refuse(
                send, 403, "This link is not valid. Open the address that rubrica printed."
            )
            return
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _knows_link(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        pairs = (
            pair.strip().partition("=")
            for name, value in headers
            if name == b"cookie"
            for pair in value.decode("latin-1").split(";")
        )
        return any(n == self._cookie and same_token(v, self._token) for n, _, v in pairs)


async def _refuse(send: Send, status: int, message: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": message.encode()})
