"""Names of time zones that Flink 2.3 accepts and refuses."""

from __future__ import annotations

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.text import zones

TAKEN = "UTC GMT GMT0 GMT-08:00 GMT+5 GMT-18:00 Europe/Berlin Asia/Calcutta EST5EDT CET Etc/GMT+5"
REFUSED = {
    "+05:30": "GMT+05:30",
    "-8:00": "GMT-08:00",
    "GMT-8:00": "GMT-08:00",
    "GMT+5:30": "GMT+05:30",
    "UTC+8": "GMT+08:00",
    "UTC+08:00": "GMT+08:00",
    "UTC-3:00": "GMT-03:00",
    "+05": "GMT+05:00",
    "+0530": "GMT+05:30",
    "utc": "UTC",
    "Z": "UTC",
    "UT": "UTC",
    "europe/berlin": "Europe/Berlin",
    " Europe/Berlin ": "Europe/Berlin",
}
UNKNOWN = ["Default", "GMT+05:30:15", "GMT+19:00", "PST", "EST", "MST", "HST", "JST", "CST", "Mars/Phobos", "", "+5:99"]


@pytest.mark.parametrize("name", TAKEN.split())
def test_zones_that_flink_accepts(name: str) -> None:
    assert zones.is_zone(name)
    TableEnvironment({"table.local-time-zone": name})


@pytest.mark.parametrize(("name", "spelled"), REFUSED.items())
def test_misspelled_zones_are_refused_with_a_suggestion(name: str, spelled: str) -> None:
    assert zones.spelled(name) == spelled
    with pytest.raises(ProgramError) as caught:
        TableEnvironment().get_config().set("table.local-time-zone", name)
    assert spelled in caught.value.remedy


@pytest.mark.parametrize("name", UNKNOWN)
def test_invalid_zones(name: str) -> None:
    assert zones.spelled(name) is None
    with pytest.raises(ProgramError, match=r"table\.local-time-zone"):
        TableEnvironment().execute_sql(f"SET 'table.local-time-zone' = '{name}'")


def test_default_leaves_it_open() -> None:
    env = TableEnvironment()
    env.execute_sql("SET 'table.local-time-zone' = 'default'")
    assert env.get_config().value("table.local-time-zone") == "default"
