"""A schema registry: the part of Confluent's HTTP API that readers and writers of messages use, in or out of process.

It is a small implementation, since no other starts wherever the tests run: of those that are maintained, Apicurio 3.3
needs Java 21 and 155 MB, Karapace is not on PyPI, and Confluent's is not on Maven Central.
"""

from __future__ import annotations

import base64
import json
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tools.services.server import HttpService

_TYPE = "application/vnd.schemaregistry.v1+json"


@dataclass(slots=True)
class Registry:
    """Content and behaviour of a registry.

    Args:
        schemas: response entries by schema id.
        subjects: the schema ids of each subject, by version from 1.
        requests: number of requests by path.
        failures: the statuses of the next responses, which fail.
        authorization: the required header; empty for none.
        frozen: True if it refuses new schemas.
        file: persists all schemas; None for none.
    """

    schemas: dict[int, dict[str, Any]] = field(default_factory=dict)
    subjects: dict[str, list[int]] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    failures: list[int] = field(default_factory=list)
    authorization: str = ""
    frozen: bool = False
    file: Path | None = None
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        """The registry's address."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def add(self, schema: Any, subject: str = "other", **more: Any) -> int:
        """Register a schema unless it is registered already; return its id."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        registered = next((number for number, known in self.schemas.items() if known["schema"] == text), None)
        number = len(self.schemas) + 1 if registered is None else registered
        self.schemas[number] = {"schema": text, **more}
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        if self.file is not None:
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps({"schemas": self.schemas, "subjects": self.subjects}))
            part.replace(self.file)
        return number

    def read(self) -> None:
        """Load the file, if it exists."""
        if self.file is not None and self.file.is_file():
            stored = json.loads(self.file.read_text())
            self.schemas = {int(number): known for number, known in stored["schemas"].items()}
            self.subjects = stored["subjects"]

    def require_login(self, user_info: str) -> None:
        """Require this user name and password."""
        self.authorization = "Basic " + base64.b64encode(user_info.encode()).decode()

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Handle a request; return status and body."""
        match [unquote(part) for part in urlsplit(path).path.strip("/").split("/")]:
            case ["schemas", "ids", number] if method == "GET":
                schema = self.schemas.get(int(number))
                return (200, schema) if schema else (404, _error(40403, f"Schema {number} not found"))
            case ["subjects", subject, "versions"] if method == "POST":
                if self.frozen:
                    return 409, _error(409, "Schema being registered is incompatible with an earlier schema")
                return 200, {"id": self.add(body["schema"], subject)}
            case ["subjects"] if method == "GET":
                return 200, sorted(self.subjects)
            case ["subjects", subject, "versions"] if subject in self.subjects:
                return 200, list(range(1, len(self.subjects[subject]) + 1))
            case ["subjects", subject, "versions", version] if subject in self.subjects and method == "GET":
                known = self.subjects[subject]
                at = len(known) if version == "latest" else int(version)
                if not 0 < at <= len(known):
                    return 404, _error(40402, f"Version {version} not found")
                return 200, {"subject": subject, "version": at, "id": known[at - 1], **self.schemas[known[at - 1]]}
        return 404, _error(404, "HTTP 404 Not Found")


def _error(code: int, message: str) -> dict[str, Any]:
    return {"error_code": code, "message": message}


def _server(registry: Registry) -> ThreadingHTTPServer:
    """The HTTP server of a registry on its port, or on a free one."""
    changing = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._do("GET")

        def do_POST(self) -> None:
            self._do("POST")

        def _do(self, method: str) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            registry.requests[self.path] += 1
            if registry.failures:
                status, response = registry.failures.pop(0), _error(50003, "Error while forwarding the request")
            elif registry.authorization not in ("", self.headers.get("Authorization")):
                status, response = 401, _error(401, "Unauthorized")
            else:
                with changing:
                    status, response = registry.answer(method, self.path, body)
            data = json.dumps(response).encode()
            self.send_response(status)
            self.send_header("Content-Type", _TYPE)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", registry.port), Handler)
    registry.port = server.server_port
    return server


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Registry]:
    """Run a new registry in this process, on a free port, optionally with TLS."""
    registry = Registry(scheme="http" if tls is None else "https")
    with _server(registry) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield registry
        finally:
            server.shutdown()


class RegistryService(HttpService):
    """A registry as a process without authentication; its schemas are in its folder."""

    name, path = "registry", "/subjects"

    def command(self, folder: Path, port: int) -> Sequence[str]:
        return [sys.executable, "-m", "tools.services.registry", str(folder / "schemas.json"), str(port)]


SERVICE = RegistryService()


def main(file: str, port: str) -> None:
    """Run a registry with the schemas of a file until the process is terminated."""
    registry = Registry(file=Path(file), port=int(port))
    registry.read()
    with _server(registry) as server, suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
