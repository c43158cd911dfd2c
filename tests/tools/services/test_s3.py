"""The S3 of tests: buckets of a server that answers as Amazon's client expects."""

from __future__ import annotations

import http.client
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tools.services.s3 import SERVICE, make_bucket
from tools.services.server import running

pytestmark = pytest.mark.wide

_ANYBODY = "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"


def test_an_object_is_written_and_read(tmp_path: Path) -> None:
    with running(SERVICE, tmp_path / "server") as server:
        make_bucket(server.address, "bucket")
        connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=60)
        connection.putrequest("PUT", "/bucket/a")
        connection.putheader("Content-Length", "4")
        connection.putheader("Authorization", _ANYBODY)
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        assert connection.sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n", "once"
        connection.send(b"text")
        assert connection.getresponse().status == 200
        request = urllib.request.Request(f"{server.address}/bucket/a", headers={"Authorization": _ANYBODY})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.read() == b"text"
