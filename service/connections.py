"""Connections of clients that are slow or many: bounded in number and in time, so that others find a place.

uvicorn bounds neither how long a request may take to arrive nor how many connections one client has.
"""

from __future__ import annotations

import asyncio
import resource
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from compiled_plan.service.common.settings import Limits, Settings, is_loopback

#: The share of the process's descriptors that are for connections; others are the database's, workers', and logs'.
_SHARE = 0.5


class Places:
    """The connections of a service.

    Args:
        limits: how many there may be, and how long they may wait.
        shared: whether a proxy stands in front, whose connections are those of many clients.
    """

    def __init__(self, limits: Limits, *, shared: bool) -> None:
        self.limits, self._shared = limits, shared
        descriptors = int(resource.getrlimit(resource.RLIMIT_NOFILE)[0] * _SHARE)
        self._most = min(limits.connections, descriptors)
        self._of: dict[str, OrderedDict[Connection, None]] = {}
        self._count = 0

    def enter(self, connection: Connection, client: str) -> None:
        """Take a connection in; where there are too many, one of the client that has most of them goes."""
        own = self._of.setdefault(client, OrderedDict())
        own[connection] = None
        self._count += 1
        is_proxy = self._shared and is_loopback(client)
        if not is_proxy and len(own) > self.limits.connections_per_client:
            self._drop_one(own)
        elif self._count > self._most:
            self._drop_one(max(self._of.values(), key=len))

    def leave(self, connection: Connection, client: str) -> None:
        """Forget a connection."""
        own = self._of.get(client, OrderedDict())
        if connection in own:
            del own[connection]
            self._count -= 1
        if not own:
            self._of.pop(client, None)

    @staticmethod
    def _drop_one(own: OrderedDict[Connection, None]) -> None:
        """Close the oldest without a request, so that a client that sends one at once is served; else the latest."""
        next((connection for connection in own if connection.is_waiting), next(reversed(own))).drop()


class Connection(H11Protocol):
    """A connection whose requests have to arrive, and whose answers have to be taken, within a time."""

    def __init__(self, *args: Any, places: Places, **how: Any) -> None:
        super().__init__(*args, **how)
        self._places = places
        self._timer: asyncio.TimerHandle | None = None
        self._timed: object = None
        self._reads: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the head of a request is still to come."""
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
        """Close it at once, whatever has not been sent yet."""
        self._places.leave(self, self._name)
        self.transport.abort()

    def _watch(self) -> None:
        """Time what the client owes: a head, or a body. The time does not begin anew with each byte."""
        state = self.conn.their_state
        seconds = {h11.IDLE: self._places.limits.head_seconds, h11.SEND_BODY: self._places.limits.body_seconds}
        if self._timer is not None and (state not in seconds or state is not self._timed):
            self._timer.cancel()
            self._timer = None
        if state in seconds and self._timer is None:
            self._timed = state
            self._timer = self.loop.call_later(seconds[state], self.drop)


def protocol(settings: Settings) -> Callable[..., Connection]:
    """A factory of connections, for uvicorn."""
    return partial(Connection, places=Places(settings.limits, shared=bool(settings.public_address)))
