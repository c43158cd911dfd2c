"""A service for tests: settings, application, client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Limits, Settings
from compiled_plan.service.workers.pool import Workers


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A service in its own folder with authentication off."""
    return Settings(home=tmp_path / "home", tokens=False)


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Workers that all tests share: each task has its own process anyhow."""
    workers = Workers(Limits())
    yield workers
    workers.close()


@pytest.fixture
def client(settings: Settings, workers: Workers) -> Iterator[TestClient]:
    """A client of the service, on this machine."""
    with TestClient(
        application(settings, workers),
        base_url="http://127.0.0.1/api/v1",
        client=("127.0.0.1", 5000),
        raise_server_exceptions=False,
    ) as client:
        yield client
