"""A server of an Iceberg REST catalog."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.lake_files import iceberg_metadata

METADATA = iceberg_metadata([{"id": 1, "name": "id", "type": "long", "required": True}], [1])
Answer = tuple[int, Any]


class RestCatalogServer:
    """A catalog server: answers by path, and the requests that came."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.answers: dict[str, Answer | Callable[[dict[str, list[str]]], Answer]] = {
            "/v1/config": (200, {"defaults": {}, "overrides": {"prefix": "main"}}),
            "/v1/main/namespaces": (200, {"namespaces": [["shop"], ["other"]]}),
            "/v1/main/namespaces/shop": (200, {"namespace": ["shop"]}),
            "/v1/main/namespaces/shop/tables": self._tables,
            "/v1/main/namespaces/shop/tables/orders": (200, {"metadata": METADATA, "config": {}}),
            "/v1/main/namespaces/a%1Fb/tables/t": (200, {"metadata": METADATA}),
        }
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def catalog(self, options: str = "", name: str = "lake") -> str:
        """The statement that creates the catalog."""
        return (
            f"CREATE CATALOG {name} WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = '{self.uri}'"
            f"{options and ', '}{options});"
        )

    @staticmethod
    def _tables(query: dict[str, list[str]]) -> Answer:
        """The list in two pages."""
        if query.get("pageToken") == ["2"]:
            return 200, {"identifiers": [{"namespace": ["shop"], "name": "returns"}], "next-page-token": None}
        return 200, {"identifiers": [{"namespace": ["shop"], "name": "orders"}], "next-page-token": "2"}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                server.requests.append((self.path, self.headers.get("Authorization", body)))
                answer = server.answers.get(url.path, (404, {"error": {"message": "absent"}}))
                status, document = answer(parse_qs(url.query)) if callable(answer) else answer
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", document)
                self.end_headers()
                self.wfile.write(document if isinstance(document, bytes) else json.dumps(document).encode())

            do_POST = do_GET

            def log_message(self, *arguments: object) -> None:
                pass

        return Handler
