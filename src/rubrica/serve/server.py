"""The server: bound to this machine by default, started with its socket already open."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rubrica.errors import MissingResourceError, RubricaError


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # From here on connections wait until the application has started.
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise RubricaError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose another with "
            "--port (0 takes a free one)"
        ) from error
    return listener


def is_local(host: str) -> bool:
    """Whether only this machine can connect."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def known_hosts(host: str) -> frozenset[str] | None:
    """Return the host names that the server accepts; None, for any, if it is not local."""
    return frozenset({"127.0.0.1", "localhost", "[::1]", host.lower()}) if is_local(host) else None


def require_packages() -> None:
    """Raise an error that names missing packages."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as missing:
        raise MissingResourceError(
            f"{missing.name} is not installed; pip install 'rubrica[serve]'"
        ) from missing


def serve(app: Any, listening: socket.socket, *, tls: tuple[str, str] | None = None) -> None:
    """Answer until interrupted, then close the socket; `tls` are files of certificate and key."""
    import uvicorn

    from rubrica.serve.protocol import ImpatientProtocol

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off",
        timeout_graceful_shutdown=3, timeout_keep_alive=15, http=ImpatientProtocol, ws="none",
        ssl_certfile=tls[0] if tls else None, ssl_keyfile=tls[1] if tls else None,
    )  # fmt: skip
    # Ctrl-C is how it is stopped, not a mishap.
    server = uvicorn.Server(config)
    with listening, suppress(KeyboardInterrupt), _ended_by_hangup(server):
        server.run(sockets=[listening])


@contextmanager
def _ended_by_hangup(server: Any) -> Iterator[None]:
    """End the server on SIGHUP, which uvicorn leaves to others, as on SIGTERM.

    An exception that a handler raises somewhere in its event loop would not always end it.
    """
    number = getattr(signal, "SIGHUP", None)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if number is None or not in_main_thread or signal.getsignal(number) is signal.SIG_IGN:
        yield
        return
    before = signal.signal(number, server.handle_exit)
    try:
        yield
    finally:
        signal.signal(number, before)
