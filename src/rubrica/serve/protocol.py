"""HTTP with deadlines: close connections that send nothing, or only half a request."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# Seconds for a request's headers to arrive, and between two parts of its body.
PATIENCE = 20.0


class ImpatientProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a deadline while the server waits for the client."""

    patience = PATIENCE
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting when a request is complete; a body may take long, but must keep coming."""
        super().data_received(data)
        if self.conn.their_state is h11.SEND_BODY:
            self._wait()
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(self.patience, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
