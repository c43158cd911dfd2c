from __future__ import annotations

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from compiled_plan.plans.errors import PlanError
from compiled_plan.service import app as module
from compiled_plan.service.common.settings import Settings
from tests.support.service import client_of


def test_the_service_answers(client: TestClient) -> None:
    answer = client.get("health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_missing_resource_is_a_problem_document(client: TestClient) -> None:
    answer = client.get("nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() | {"detail": "", "remedy": ""} == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "",
        "where": "",
        "value": None,
        "remedy": "",
    }


def failing(fault: Exception) -> APIRouter:
    router = APIRouter()

    @router.get("/fail")
    def fail(number: int = 0) -> None:
        raise fault

    return router


def answer_of(
    fault: Exception, settings: Settings, monkeypatch: pytest.MonkeyPatch, query: str = ""
) -> dict[str, object]:
    monkeypatch.setattr(module, "ROUTERS", (*module.ROUTERS, failing(fault)))
    with client_of(module.application(settings)) as client:
        problem: dict[str, object] = client.get(f"fail{query}").json()
        return problem


def test_an_error_of_the_product_has_its_fields_and_no_password(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = PlanError("bad url jdbc:postgresql://u:geheim@h/d", where="node 5", remedy="mend it")
    problem = answer_of(fault, settings, monkeypatch)
    assert problem["status"] == 422
    assert (problem["where"], problem["remedy"]) == ("node 5", "mend it")
    assert "geheim" not in str(problem)


def test_an_internal_error_hides_its_details(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = answer_of(RuntimeError("password=geheim"), settings, monkeypatch)
    assert (problem["status"], problem["detail"]) == (500, "internal error: RuntimeError")


def test_an_invalid_request_is_located(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = answer_of(RuntimeError(), settings, monkeypatch, "?number=x")
    assert (problem["status"], problem["where"], problem["value"]) == (422, "query number", "x")
