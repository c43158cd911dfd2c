from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from compiled_plan.plans.errors import ExecutionError
from compiled_plan.service import main


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "find_spec", lambda name: None if name == "fastapi" else object())
    error = CliRunner().invoke(main.app, ["serve"]).exception
    assert isinstance(error, ExecutionError)
    assert (error.message, error.remedy) == ("plan-service needs fastapi", "pip install 'compiled-plan[service]'")


def test_without_tokens_only_local_addresses_are_allowed() -> None:
    error = CliRunner().invoke(main.app, ["serve", "--no-tokens", "--host", "0.0.0.0"]).exception
    assert isinstance(error, ExecutionError)
    assert error.message == "without tokens, only local requests are served"


def test_the_rules_of_alerts_are_a_rule_file_of_prometheus(tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text('[[alerts.rules]]\nname = "behind"\ncondition = "lag"\nabove = 5\n')
    done = CliRunner().invoke(main.app, ["rules", "--config", str(file), "--home", str(tmp_path)])
    (rule,) = yaml.safe_load(done.stdout)["groups"][0]["rules"]
    assert (rule["alert"], rule["expr"]) == ("behind", "sum by (plan) (compiled_plan_source_lag) > 5")
