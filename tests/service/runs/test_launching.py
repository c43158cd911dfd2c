"""The command of a run, of what a pipeline is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.service.common.outside import Allowed
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.launching import Places, launch_of
from compiled_plan.service.runs.processes import Launch
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.tables import Wanted


def launched(tmp_path: Path, plan: dict[str, Any], allowed: Allowed, **settings: Any) -> Launch:
    database = open_database(Settings(home=tmp_path / "home", tokens=False))
    with database.write() as session:
        pipeline = pipelines.create(session, "shop", "", "me")
        versions.add(session, pipeline, versions.NewVersion("plan", json.dumps(plan), 1, 0), "me", in_force=True)
        pipelines.change(session, pipeline, run_settings=settings)
        wanted = Wanted(pipeline_id=pipeline.id, run=True, version=1, upgrade="check", options=[])
        places = Places(tmp_path / "home", tmp_path / "home/checkpoints/1", tmp_path / "home/progress")
        found = launch_of(session, pipeline, wanted, ("execute-plan",), places, allowed)
    database.close()
    return found


def python(module: str, file: str = "") -> dict[str, Any]:
    return {"nodes": [{"call": {"python": {"module": module, "class": "F", "file": file}}}]}


def options(what: Launch, name: str) -> list[str]:
    return [value for option, value in zip(what.argv, what.argv[1:], strict=False) if option == name]


def test_functions_come_from_folders_that_the_operator_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/before")
    programs = tmp_path / "programs"
    (programs / "launched_words").mkdir(parents=True)
    for name in ("launched_sums", "launched_words/long", "launched_words/short"):
        (programs / f"{name}.py").touch()
    allowed = Allowed(programs=(str(programs),))
    plan = {"nodes": [python("launched_words.long"), python("launched_sums"), python("launched_words.short")]}
    found = launched(tmp_path, plan, allowed)
    assert options(found, "--functions-from") == [f"{name}={programs}" for name in ("launched_sums", "launched_words")]
    assert found.environment["PYTHONPATH"] == f"{programs}{os.pathsep}/before"


def test_what_is_not_allowed_any_more_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"Python function words\.F is not in an allowed folder"):
        launched(tmp_path, python("words"), Allowed())
    table = {"table": {"options": {"connector": "filesystem", "path": "/data/orders"}}}
    with pytest.raises(UnsupportedError, match="'/data/orders'"):
        launched(tmp_path / "other", table, Allowed(data=(str(tmp_path),)))
    found = launched(tmp_path / "third", table, Allowed(data=("/data",)))
    assert options(found, "--functions-from") == []
    assert found.environment == {}
    assert found.argv[-1] == "{run}/plan.json"


def test_settings_become_options(tmp_path: Path) -> None:
    found = launched(tmp_path, {}, Allowed(), trigger="real-time=2m", conf={"spark.a": "b"}, max_files_per_batch=3)
    assert options(found, "--trigger") == ["real-time=2m"]
    assert (options(found, "--conf-file"), options(found, "--max-files-per-batch")) == (["{run}/spark.conf"], ["3"])
    assert found.files["spark.conf"] == "spark.a=b\n"
    scheduled = launched(tmp_path / "other", {}, Allowed(), trigger="2s", every="15 min")
    assert (options(scheduled, "--trigger"), "--available-now" in scheduled.argv) == ([], True)
    cleared = launched(tmp_path / "third", {}, Allowed(), stop_within="")
    assert options(cleared, "--stop-within") == ["30s"]
