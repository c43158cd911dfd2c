"""Receiver of printed lines: tasks send them over a socket to the process of the run, one connection per task and sink.

The kernel's `LinesToDriver` documents the protocol.
"""

from __future__ import annotations

import secrets
import socketserver
import struct
import threading
from collections.abc import Callable, Mapping

_END = -1


class Inbox:
    """Receives lines for sinks, from construction until `close`.

    Args:
        host: the address that tasks can reach.
        show: functions that print a line, by number of the sink.
    """

    def __init__(self, host: str, show: Mapping[int, Callable[[str], None]]) -> None:
        self.secret, self.show, self.lock = secrets.token_hex(16), show, threading.Lock()
        inbox = self

        class Connection(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                inbox._take(self)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, request_queue_size = True, 128

        self._server = Server((host, 0), Connection)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def description(self, sink: int) -> dict[str, object]:
        """The kernel's parameters for printing to a sink."""
        host, port = self._server.server_address[:2]
        return {"host": str(host), "port": port, "secret": self.secret, "sink": sink}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _take(self, connection: socketserver.StreamRequestHandler) -> None:
        def number() -> int:
            size = connection.rfile.read(4)
            return int(struct.unpack(">i", size)[0]) if len(size) == 4 else _END

        size = number()
        sent = connection.rfile.read(size) if size == len(self.secret) else b""
        if not secrets.compare_digest(sent, self.secret.encode()):
            return
        show = self.show[number()]
        while True:
            size = number()
            if size == _END:
                # If the other side is gone, its batch runs again.
                connection.wfile.write(b"\1")
                return
            line = connection.rfile.read(size)
            if len(line) < size:
                # The task is gone, and its batch runs again.
                return
            with self.lock:
                show(line.decode())
