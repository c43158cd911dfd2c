"""A service with authentication, and a client per role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from compiled_plan.service.access import tokens
from compiled_plan.service.access.roles import Role
from compiled_plan.service.app import application
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.workers.pool import Workers
from tests.support.service import client_of

Make = Callable[..., tuple[int, str]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def app(settings: Settings, workers: Workers) -> FastAPI:
    return application(settings, workers)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client without a token."""
    with client_of(app) as client:
        yield client


@pytest.fixture
def make(app: FastAPI) -> Make:
    """Create a token: its id and its secret."""

    def token(role: Role = Role.OPERATOR, name: str = "jane", days: float | None = None) -> tuple[int, str]:
        with app.state.parts.database.write() as session:
            created = tokens.create(session, name, role, "test", days)
            return created.token.id, created.secret

    return token


def bearer(secret: str) -> dict[str, str]:
    """The Authorization header of a token."""
    return {"Authorization": f"Bearer {secret}"}
