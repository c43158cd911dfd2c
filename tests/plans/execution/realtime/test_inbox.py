"""Lines that tasks print, over a socket."""

from __future__ import annotations

import socket
import struct

from compiled_plan.plans.execution.realtime.inbox import Inbox


def framed(text: str) -> bytes:
    return struct.pack(">i", len(text.encode())) + text.encode()


def test_lines_are_shown_in_order_and_the_end_is_answered_when_they_are() -> None:
    shown: list[str] = []
    inbox = Inbox("127.0.0.1", {0: lambda line: None, 1: shown.append})
    description = inbox.description(1)
    with socket.create_connection((description["host"], description["port"]), 10) as task:
        lines = ["+I[1, ä]", "", "-U[1, ä]"]
        task.sendall(framed(description["secret"]) + struct.pack(">i", description["sink"]))
        task.sendall(b"".join(map(framed, lines)) + struct.pack(">i", -1))
        assert task.recv(1) == b"\1"
    assert shown == lines
    inbox.close()


def test_clients_without_the_secret_are_rejected() -> None:
    shown: list[str] = []
    inbox = Inbox("127.0.0.1", {0: shown.append})
    description = inbox.description(0)
    with socket.create_connection((description["host"], description["port"]), 10) as stranger:
        stranger.sendall(framed("x" * len(description["secret"])) + struct.pack(">i", 0) + framed("no"))
        assert stranger.recv(1) == b""
    assert shown == []
    inbox.close()


def test_complete_lines_of_an_interrupted_task_are_shown() -> None:
    shown: list[str] = []
    inbox = Inbox("127.0.0.1", {0: shown.append})
    description = inbox.description(0)
    with socket.create_connection((description["host"], description["port"]), 10) as task:
        task.sendall(
            framed(description["secret"]) + struct.pack(">i", 0) + framed("whole") + struct.pack(">i", 99) + b"ha"
        )
        task.shutdown(socket.SHUT_WR)
        task.recv(1)
    assert shown == ["whole"]
    inbox.close()
