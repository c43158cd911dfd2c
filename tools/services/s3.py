"""S3: moto's server, which speaks the protocol and keeps buckets in memory; and Hadoop's client for it."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tools.maven import fetched, library

_ROOT = Path(__file__).resolve().parent.parent.parent


class S3:
    """A server that takes any key."""

    name = "s3"

    def prepare(self, folder: Path) -> None:
        pass

    def command(self, folder: Path, port: int) -> Sequence[str]:
        return [sys.executable, "-m", "tools.services.s3", str(port)]

    def environment(self) -> Mapping[str, str]:
        return {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "PYTHONPATH": str(_ROOT)}

    def answers(self, port: int) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address(port)}/moto-api/data.json", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def address(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"


SERVICE = S3()


def make_bucket(address: str, name: str) -> None:
    """Make a bucket that is not there."""
    urllib.request.urlopen(urllib.request.Request(f"{address}/{name}", method="PUT"), timeout=60).close()


def hadoop_settings(address: str, bucket: str) -> dict[str, str]:
    """The settings of Hadoop with which `s3a://BUCKET/` is a bucket of this server."""
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
    """The jars of Hadoop's client that Spark does not bring itself.

    Raises:
        tools.maven.FetchError: they cannot be fetched.
    """
    return [fetched(artifact) for artifact in library("s3")]


def main(port: str) -> None:
    """The process: a server with empty buckets, until it is ended."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        def handle_expect_100(self) -> bool:
            # Werkzeug says it, too, and Amazon's client takes a second 100 for the answer.
            return True

        def log(self, type: str, message: str, *args: object) -> None:
            pass

    application = DomainDispatcherApplication(create_backend_app)
    with suppress(KeyboardInterrupt):
        make_server("127.0.0.1", int(port), application, threaded=True, request_handler=Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
