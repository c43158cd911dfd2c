"""The heap in real-time mode: a small young generation, unless the user says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.session.java_options import DRIVER_JAVA, driver_java, with_short_collections
from tests.support.commands import called
from tests.support.java_flags import java_flags

pytestmark = pytest.mark.slow

PROGRAM = """
CREATE TABLE numbers (id INT) WITH ('connector' = 'datagen');
CREATE TABLE lines (id INT) WITH ('connector' = 'print');
INSERT INTO lines SELECT id FROM numbers;
"""


def _young(settings: Mapping[str, str]) -> int:
    """The bytes of Java's young generation in a session with these settings."""
    return int(java_flags(["-Xmx4g", *driver_java(settings, 2).split()])["MaxNewSize"])


@pytest.mark.parametrize("master", ["", "local", "local[4]", "local[*]"])
def test_the_young_generation_is_small(master: str) -> None:
    assert _young(with_short_collections(master, {"a": "b"})) == 200 << 20


@pytest.mark.parametrize("chosen", ["-Xmx600m", "-XX:+UseG1GC", "-Dmine=1"])
def test_the_young_generation_is_small_with_other_options(chosen: str) -> None:
    assert _young(with_short_collections("", {DRIVER_JAVA: chosen})) <= 200 << 20


def test_user_heap_options_win() -> None:
    assert _young(with_short_collections("", {DRIVER_JAVA: "-Xmn900m"})) == 900 << 20


def test_other_settings_stay() -> None:
    assert with_short_collections("", {"a": "b"})["a"] == "b"


@pytest.mark.parametrize("master", ["spark://there:7077", "local-cluster[2,1,1024]", "yarn"])
def test_a_driver_without_tasks_is_left_alone(master: str) -> None:
    assert with_short_collections(master, {"a": "b"}) == {"a": "b"}


@pytest.mark.parametrize(("trigger", "bounded"), [("real-time", True), ("2s", False)])
def test_a_run_in_real_time_mode_has_it(
    trigger: str, bounded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Mapping[str, str]] = []

    def session(master: str, settings: Mapping[str, str], **_: object) -> object:
        seen.append(settings)
        raise ExecutionError("no session")

    monkeypatch.setattr("compiled_plan.cli.actions.runs.session_of_command", session)
    plan = tmp_path / "plan.json"
    plan.write_text(TableEnvironment().compile_script(PROGRAM).to_json())
    called("execute_plan", "--trigger", trigger, str(plan))
    assert ["MaxNewSize=200m" in settings.get(DRIVER_JAVA, "") for settings in seen] == [bounded]
