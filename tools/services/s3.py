"""S3: moto's server, which implements the protocol with buckets in memory; and Hadoop's client for it."""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tools.maven import fetched, library
from tools.services.server import HttpService


class S3(HttpService):
    """A server that accepts any credentials."""

    name, path = "s3", "/moto-api/data.json"

    def command(self, folder: Path, port: int) -> Sequence[str]:
        return [sys.executable, "-m", "tools.services.s3", str(port)]

    def environment(self) -> Mapping[str, str]:
        return {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", **super().environment()}


SERVICE = S3()


def make_bucket(address: str, name: str) -> None:
    """Create a new bucket."""
    urllib.request.urlopen(urllib.request.Request(f"{address}/{name}", method="PUT"), timeout=60).close()


def hadoop_settings(address: str, bucket: str) -> dict[str, str]:
    """Hadoop settings that map `s3a://BUCKET/` to a bucket of this server."""
    settings = {
        "endpoint": address,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "access.key": "any",
        "secret.key": "any",
        "connection.ssl.enabled": "false",
    }
    return {f"fs.s3a.bucket.{bucket}.{name}": value for name, value in settings.items()}


def client_jars() -> list[Path]:
    """The jars of Hadoop's client that Spark does not bring.

    Raises:
        tools.maven.FetchError: the download fails.
    """
    return [fetched(artifact) for artifact in library("s3")]


def main(port: str) -> None:
    """Run a server without buckets until the process is terminated."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        def handle_expect_100(self) -> bool:
            # Werkzeug sends it, too, and Amazon's client takes a second 100 for the final response.
            return True

        def log(self, type: str, message: str, *args: object) -> None:
            pass

    application = DomainDispatcherApplication(create_backend_app)
    with suppress(KeyboardInterrupt):
        make_server("127.0.0.1", int(port), application, threaded=True, request_handler=Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
