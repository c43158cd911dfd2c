from __future__ import annotations

import pytest
from typer.testing import CliRunner

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service import main


def test_without_its_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "find_spec", lambda name: None if name == "fastapi" else object())
    told = CliRunner().invoke(main.app, ["serve"]).exception
    assert isinstance(told, ExecutionError)
    assert (told.message, told.remedy) == ("plan-service needs fastapi", "pip install 'compiled-plan[service]'")


def test_without_tokens_other_machines_are_not_served() -> None:
    told = CliRunner().invoke(main.app, ["serve", "--no-tokens", "--host", "0.0.0.0"]).exception
    assert isinstance(told, ExecutionError)
    assert told.message == "without tokens, only local requests are served"
