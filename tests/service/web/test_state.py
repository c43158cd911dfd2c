"""Jobs that read state, with a stand-in for `inspect-state`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.generations import checkpoint_folder
from compiled_plan.service.workers.pool import Workers
from tests.support.fake_runs import COMMAND
from tests.support.waiting import wait_until

#: Writes its progress, and ends with the document of its options when a file exists. `$0` is the file.
WAITING = """
for last; do :; done
echo '{"done": 3, "of": 16}' > "$last"
trap 'exit 130' INT
while [ ! -e "$0" ]; do sleep 0.02; done
case " $* " in *" bad "*) echo 'error: no operator bad' >&2; exit 1 ;; esac
echo "{\\"options\\": \\"$*\\"}"
"""


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def client(settings: Settings, workers: Workers, gate: Path) -> Iterator[TestClient]:
    app = application(settings, workers, COMMAND, ("/bin/sh", "-c", WAITING, str(gate)))
    with TestClient(app, base_url="http://127.0.0.1/api/v1", client=("127.0.0.1", 5000)) as client:
        client.post("/pipelines", json={"name": "shop"}).raise_for_status()
        yield client


@pytest.fixture
def shop(client: TestClient, settings: Settings) -> str:
    """A pipeline with a checkpoint."""
    checkpoint_folder(settings.home, 1).mkdir(parents=True)
    return "/pipelines/shop/state/job"


def job(client: TestClient, path: str) -> dict[str, Any]:
    document: dict[str, Any] = client.get(path).json()
    return document


def test_a_job_has_progress_and_a_result(client: TestClient, shop: str, gate: Path) -> None:
    assert client.get(shop).status_code == 404
    begun = client.post(shop, json={"operator": "join", "key": ["id=5"]})
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    wait_until(lambda: job(client, shop)["done"] == 3, "progress")
    assert job(client, shop)["of"] == 16
    refused = client.post(shop, json={})
    assert (refused.status_code, refused.json()["remedy"]) == (409, "wait for its end, or cancel it")
    gate.touch()
    wait_until(lambda: job(client, shop)["state"] == "done", "the end")
    assert "join --json --key id=5" in job(client, shop)["result"]["options"]


def test_a_job_is_cancelled(client: TestClient, shop: str) -> None:
    client.post(shop, json={})
    assert client.delete(shop).json()["state"] == "cancelled"
    # Another job can begin at once.
    assert client.post(shop, json={}).status_code == 202
    client.delete(shop)


def test_the_error_of_a_failed_job(client: TestClient, shop: str, gate: Path) -> None:
    gate.touch()
    client.post(shop, json={"operator": "bad"})
    wait_until(lambda: job(client, shop)["state"] == "failed", "the failure")
    assert job(client, shop)["message"]


@pytest.mark.parametrize("body", [{"operator": "--checkpoint"}, {"key": ["-x"]}, {"key": ["a=1"] * 101}])
def test_arguments_that_are_options_are_refused(client: TestClient, shop: str, body: dict[str, Any]) -> None:
    assert client.post(shop, json=body).status_code == 422


def test_a_job_needs_a_checkpoint(client: TestClient) -> None:
    assert client.post("/pipelines/shop/state/job", json={}).status_code == 404
