"""Task slots in real-time mode: counted, and enough of them in a session that we size."""

from __future__ import annotations

import pytest

from compiled_plan.plans.execution.realtime.slots import Slots, local_session
from tests.plans.execution.realtime.test_checks import COUNTS, NUMBERS, OUT, compiled


def test_slots_are_counted_by_consumer() -> None:
    slots = Slots({"a": 3, "b": 1}, True, 2, 4)
    assert slots.needed == 3 + 1 + 1 + 2 * 4
    assert slots.text() == "13 (3 to read a + 1 to read b + 1 for ticks + 2 stages x 4 shuffle partitions)"
    assert Slots({"a": 1}, False, 0, 4).text() == "1 (1 to read a)"


@pytest.mark.parametrize("master", ["", "local", "local[*]"])
def test_a_local_session_gets_slots_for_all_tasks(master: str) -> None:
    plan = compiled(NUMBERS + OUT + COUNTS.format(source="numbers"))
    session_master, settings = local_session([plan], master, {"spark.sql.shuffle.partitions": "3"})
    assert session_master.startswith("local[")
    assert int(session_master[6:-1]) >= Slots({"numbers": 1}, True, 1, 3).needed
    assert settings["spark.sql.shuffle.partitions"] == "3"


@pytest.mark.parametrize("master", ["local[4]", "spark://there:7077"])
def test_the_users_settings_are_kept(master: str) -> None:
    assert local_session([], master, {"a": "b"}) == (master, {"a": "b"})
