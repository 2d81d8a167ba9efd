"""One request to an endpoint: protects the key, follows no redirects, limits time and size."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from rubrica.errors import ParameterError

_LARGEST_ANSWER = 1 << 24
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class BrokenConnectionError(Exception):
    """No complete answer arrived; the message says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers and content of a response."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Connection:
    """Sends requests to one server.

    The key is read from the environment and sent over https or to this machine only, and to nobody
    the address redirects to.
    """

    def __init__(self, url: str, *, path: str = "", key_variable: str, timeout: float) -> None:
        """Check the base `url`, which a user wrote; `path` is appended to it."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(
                f"an endpoint is a URL such as http://127.0.0.1:8000/v1, not {url!r}"
            )
        if parts.username or parts.password or parts.query or parts.fragment:
            # Do not repeat the URL: it may contain a secret.
            raise ParameterError(
                f"the endpoint at {parts.hostname}: its URL must not contain a user, a password, or "
                f"a part after ? or #; put the key in ${key_variable}"
            )
        try:
            port = parts.port
        except ValueError as error:
            raise ParameterError(f"the endpoint at {parts.hostname}: {error}") from error
        self.base, self.url = url, url + path
        self._key_variable, self._timeout = key_variable, timeout
        self.host = parts.hostname if port is None else f"{parts.hostname}:{port}"
        self._local = parts.hostname in _THIS_MACHINE
        self._private = parts.scheme == "https" or self._local

    def post(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Return the reply to a question."""
        return self.send(self.url, body, headers, largest=_LARGEST_ANSWER)

    def send(
        self, url: str, body: bytes | None, headers: Mapping[str, str], *, largest: int
    ) -> Reply:
        """Return the reply, whatever its status; raise `BrokenConnectionError` if none arrived.

        Without a body the request is a GET. A reply of more than `largest` bytes is refused.
        """
        always = {"Content-Type": "application/json"} if body is not None else {}
        always["User-Agent"] = "rubrica"
        request = urllib.request.Request(url, body, {**always, **headers})
        # Requests to this machine ignore the proxy of the environment.
        direct = [urllib.request.ProxyHandler({})] if self._local else []
        watchdog = _Watchdog(self._timeout)
        handlers = (_WatchedHttp(watchdog), _WatchedHttps(watchdog))
        opener = urllib.request.build_opener(_NoRedirects, *handlers, *direct)
        deadline = time.monotonic() + self._timeout
        try:
            with watchdog:
                try:
                    answer: Any = opener.open(request, timeout=self._timeout)
                except urllib.error.HTTPError as error:
                    answer = error
                with answer:
                    content = _read(answer, deadline, largest)
                    if watchdog.expired:
                        # Truncated headers look like a complete reply.
                        raise TimeoutError
                    return Reply(answer.status, dict(answer.headers.items()), content)
        except (OSError, ValueError, http.client.HTTPException) as error:
            if watchdog.expired:
                reason = f"timed out: no whole answer in {self._timeout:g} seconds"
                raise BrokenConnectionError(reason) from error
            if isinstance(error, ValueError):
                raise
            cause = getattr(error, "reason", None) or error
            raise BrokenConnectionError(str(cause) or type(error).__name__) from error

    def key(self) -> str:
        """Return the key, if there is one."""
        key = os.environ.get(self._key_variable, "").strip()
        if not key:
            return ""
        if not self._private:
            raise ParameterError(
                f"the key of ${self._key_variable} is not sent over plain http to {self.host}; use https"
            )
        if not (key.isascii() and key.isprintable()):
            raise ParameterError(
                f"${self._key_variable} cannot be a key: it has control characters, or letters that "
                "are not ASCII"
            )
        return key


class _Watchdog:
    """Closes the connection at the deadline: a socket's own timeout restarts with every byte."""

    def __init__(self, seconds: float) -> None:
        self.expired = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: Any) -> None:
        self._timer.cancel()

    def watch(self, connected: socket.socket) -> None:
        """Close this socket at the deadline."""
        with self._lock:
            self._socket = connected
            late = self.expired
        if late:
            self._close()

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
        self._close()

    def _close(self) -> None:
        if self._socket is not None:
            # Shut down, not closed: closing would let another thread reuse the descriptor.
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class _WatchedHttp(urllib.request.HTTPHandler):
    """Opens connections whose socket the watchdog knows."""

    def __init__(self, watchdog: _Watchdog) -> None:
        super().__init__()
        self._watchdog = watchdog

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a plain connection."""
        return self.do_open(_watched(http.client.HTTPConnection, self._watchdog), req)


class _WatchedHttps(urllib.request.HTTPSHandler):
    """The same over TLS."""

    def __init__(self, watchdog: _Watchdog) -> None:
        super().__init__()
        self._watchdog = watchdog

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a connection over TLS, with the certificates of the system."""
        return self.do_open(_watched(http.client.HTTPSConnection, self._watchdog), req)


def _watched(kind: type[http.client.HTTPConnection], watchdog: _Watchdog) -> Any:
    class Watched(kind):  # type: ignore[misc, valid-type]
        def connect(self) -> None:
            super().connect()
            watchdog.watch(self.sock)

    return Watched


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Returns redirects as replies: following one would turn the POST into a GET without a body."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _read(answer: Any, deadline: float, largest: int) -> bytes:
    """Return the content; raise if it is too large, too slow, or shorter than announced."""
    parts, size = [], 0
    while part := answer.read1(1 << 16):
        parts.append(part)
        size += len(part)
        if size > largest:
            raise http.client.HTTPException(f"the answer is larger than {largest >> 20} MiB")
        if time.monotonic() > deadline:
            raise TimeoutError("timed out: the answer came too slowly")
    announced = answer.headers.get("Content-Length", "")
    if announced.isdigit() and size < int(announced):
        raise http.client.HTTPException(f"cut off after {size:,} of {announced} bytes")
    return b"".join(parts)
