"""Limits on the number of connections and the time of their requests, against slow clients and floods.

uvicorn limits neither the time in which a request arrives nor the connections per client.
"""

from __future__ import annotations

import asyncio
import resource
from collections import OrderedDict

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from compiled_plan.service.common.settings import Limits, Settings, is_loopback

#: The share of the process's file descriptors for connections; the rest is for the database, workers and logs.
_SHARE = 0.5


class Places:
    """The connections of a service.

    Args:
        limits: the limits on their number and on timeouts.
        shared: a proxy is in front, whose connections serve many clients.
    """

    def __init__(self, limits: Limits, *, shared: bool) -> None:
        self.limits, self._shared = limits, shared
        descriptors = int(resource.getrlimit(resource.RLIMIT_NOFILE)[0] * _SHARE)
        self._most = min(limits.connections, descriptors)
        self._of: dict[str, OrderedDict[Connection, None]] = {}
        self._count = 0

    def enter(self, connection: Connection, client: str) -> None:
        """Register a connection; above the limit, drop one of the client with the most connections."""
        own = self._of.setdefault(client, OrderedDict())
        own[connection] = None
        self._count += 1
        is_proxy = self._shared and is_loopback(client)
        if not is_proxy and len(own) > self.limits.connections_per_client:
            self._drop_one(own)
        elif self._count > self._most:
            self._drop_one(max(self._of.values(), key=len))

    def leave(self, connection: Connection, client: str) -> None:
        own = self._of.get(client, OrderedDict())
        if connection in own:
            del own[connection]
            self._count -= 1
        if not own:
            self._of.pop(client, None)

    @staticmethod
    def _drop_one(own: OrderedDict[Connection, None]) -> None:
        """Close the oldest connection without a request, so that prompt clients are served; otherwise the newest."""
        next((connection for connection in own if connection.is_waiting), next(reversed(own))).drop()


class Connection(H11Protocol):
    """A connection with timeouts for requests to arrive and for responses to be read."""

    _places: Places
    _timer: asyncio.TimerHandle | None = None
    _timed: object = None
    _reads: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Return True if the headers of a request are incomplete."""
        return self.conn.their_state is h11.IDLE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._name = self.client[0] if self.client else ""
        self._places.enter(self, self._name)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._places.leave(self, self._name)
        for timer in (self._timer, self._reads):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reads = self.loop.call_later(self._places.limits.body_seconds, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reads is not None:
            self._reads.cancel()

    def drop(self) -> None:
        """Close the connection at once, discarding unsent data."""
        self._places.leave(self, self._name)
        self.transport.abort()

    def _watch(self) -> None:
        """Start the timeout for headers or body; single bytes do not restart it."""
        state = self.conn.their_state
        seconds = {h11.IDLE: self._places.limits.head_seconds, h11.SEND_BODY: self._places.limits.body_seconds}
        if self._timer is not None and (state not in seconds or state is not self._timed):
            self._timer.cancel()
            self._timer = None
        if state in seconds and self._timer is None:
            self._timed = state
            self._timer = self.loop.call_later(seconds[state], self.drop)


def protocol(settings: Settings) -> type[Connection]:
    """The class of a service's connections, for uvicorn."""

    class Limited(Connection):
        _places = Places(settings.limits, shared=bool(settings.public_address))

    return Limited
