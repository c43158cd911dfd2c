"""Helpers for tests of the service."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from fastapi import FastAPI
from fastapi.testclient import TestClient

from compiled_plan.service.runs.folders import RunFolder
from compiled_plan.service.runs.processes import signal_run
from tools.services.server import Server

#: Serves at a free port; append the service's folder and options.
SERVE = (sys.executable, "-m", "compiled_plan.service.main", "serve", "--port", "0", "--home")
#: The same, with a stand-in for `execute-plan`.
SERVE_FAKE_RUNS = (sys.executable, "-m", "tests.support.fake_service")
_ADDRESS = re.compile(r"plan-service: (http://\S+)")


@contextmanager
def served(
    home: Path, *options: str, command: Sequence[str] = SERVE
) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """A running service: its process, its address, and the lines of its stderr."""
    process = subprocess.Popen([*command, str(home), *options], stderr=subprocess.PIPE, text=True)
    lines: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        lines.append(line)
        if match := _ADDRESS.search(line):
            break
    else:
        raise AssertionError("".join(lines))
    try:
        yield process, f"{match[1]}/api/v1/", lines
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@contextmanager
def ending_runs(home: Path) -> Iterator[None]:
    """Kill all runs of a service's folder at the end: they outlive their service, also after a failed test."""
    try:
        yield
    finally:
        for process in home.glob("runs/*/*/process.json"):
            signal_run(RunFolder(process.parent), signal.SIGKILL)


def database_in(server: Server, name: str) -> str:
    """The URL of a new, empty PostgreSQL database."""
    address, _, user = server.address.removeprefix("jdbc:").partition("?")
    with psycopg.connect(f"{address}?{user}", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{address.rpartition('/')[0]}/{name}?{user}"


def client_of(app: FastAPI, address: str = "127.0.0.1", host: str = "127.0.0.1") -> TestClient:
    """A client of a service.

    Args:
        app: the service.
        address: of the client.
        host: the Host header.
    """
    return TestClient(app, base_url=f"http://{host}/api/v1", client=(address, 5000), raise_server_exceptions=False)
