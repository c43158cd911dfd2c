"""The command line of a run for each kind of pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.nodes.configuration import FRESHNESS
from compiled_plan.service.common.places import Allowed
from compiled_plan.service.common.settings import Settings
from compiled_plan.service.runs.launching import Places, launch_of
from compiled_plan.service.runs.processes import Launch
from compiled_plan.service.store import pipelines, versions
from compiled_plan.service.store.database import open_database
from compiled_plan.service.store.secrets import Vault
from compiled_plan.service.store.tables import Wanted


def launched(tmp_path: Path, plan: dict[str, Any], allowed: Allowed, **settings: Any) -> Launch:
    database = open_database(Settings(home=tmp_path / "home", tokens=False))
    with database.write() as session:
        pipeline = pipelines.create(session, "shop", "", "me")
        versions.add(session, pipeline, versions.NewVersion("plan", json.dumps(plan), 1, 0), "me", in_force=True)
        pipelines.change(session, pipeline, run_settings=settings)
        wanted = Wanted(pipeline_id=pipeline.id, run=True, version=1, upgrade="check", options=[])
        places = Places(tmp_path / "home", tmp_path / "home/checkpoints/1", tmp_path / "home/progress")
        launch = launch_of(session, pipeline, wanted, ("execute-plan",), places, allowed, Vault(tmp_path / "key"))
    database.close()
    return launch


def python(module: str, file: str = "") -> dict[str, Any]:
    return {"nodes": [{"call": {"python": {"module": module, "class": "F", "file": file}}}]}


def options(what: Launch, name: str) -> list[str]:
    return [value for option, value in zip(what.argv, what.argv[1:], strict=False) if option == name]


def test_functions_come_from_folders_that_the_operator_allows(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    (programs / "launched_words").mkdir(parents=True)
    for name in ("launched_sums", "launched_words/long", "launched_words/short"):
        (programs / f"{name}.py").touch()
    allowed = Allowed(programs=(str(programs),))
    plan = {"nodes": [python("launched_words.long"), python("launched_sums"), python("launched_words.short")]}
    launch = launched(tmp_path, plan, allowed)
    assert options(launch, "--functions-from") == [f"{name}={programs}" for name in ("launched_sums", "launched_words")]
    assert not launch.environment, "no folder comes before the standard library"


def test_versions_that_are_no_longer_allowed_are_not_started(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"Python function words\.F is not in an allowed folder"):
        launched(tmp_path, python("words"), Allowed())
    table = {"table": {"options": {"connector": "filesystem", "path": "/data/orders"}}}
    with pytest.raises(UnsupportedError, match="'/data/orders'"):
        launched(tmp_path / "other", table, Allowed(data=(str(tmp_path),)))
    launch = launched(tmp_path / "third", table, Allowed(data=("/data",)))
    assert options(launch, "--functions-from") == []
    assert launch.environment == {}
    assert launch.argv[-1] == "{run}/plan.json"


@pytest.mark.parametrize(
    ("settings", "trigger", "argument"),
    [
        ({}, "90 s", []),
        ({"trigger": "5s"}, "5s", ["5s"]),
        ({"every": "1h"}, "", []),
        ({"every": "1h", "trigger": "5s"}, "", []),
        ({"available_now": True}, "", []),
    ],
)
def test_the_freshness_in_the_plan_is_the_trigger_unless_the_settings_have_one(
    tmp_path: Path, settings: dict[str, Any], trigger: str, argument: list[str]
) -> None:
    sinks = [{"configuration": {FRESHNESS: text}} for text in ("1 h", "90 s")]
    launch = launched(tmp_path, {"nodes": [{"configuration": {}}, *sinks]}, Allowed(), **settings)
    assert (launch.facts["trigger"], options(launch, "--trigger")) == (trigger, argument), "the run reads its plan"


def test_settings_become_options(tmp_path: Path) -> None:
    launch = launched(tmp_path, {}, Allowed(), trigger="real-time=2m", conf={"spark.a": "b"}, max_files_per_batch=3)
    assert options(launch, "--trigger") == ["real-time=2m"]
    assert (options(launch, "--conf-file"), options(launch, "--max-files-per-batch")) == (["{run}/spark.conf"], ["3"])
    assert launch.files["spark.conf"] == "spark.a=b\n"
    scheduled = launched(tmp_path / "other", {}, Allowed(), trigger="2s", every="15 min")
    assert (options(scheduled, "--trigger"), "--available-now" in scheduled.argv) == ([], True)
    cleared = launched(tmp_path / "third", {}, Allowed(), stop_within="")
    assert options(cleared, "--stop-within") == ["30s"]
