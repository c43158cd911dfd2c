"""Kernel description of a database lookup table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.interfaces.connectors import LookupTable, open_lookup
from compiled_plan.plans.secrets.values import Secrets

COLUMNS = t.row_of(["id", "name"], [t.INT, t.STRING])


def description(**options: str) -> dict[str, Any]:
    table_options = {"connector": "jdbc", "url": "jdbc:mysql://h/d", "table-name": "people"}
    table_options |= {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    document: dict[str, Any] = json.loads(
        open_lookup(LookupTable("c.d.people", COLUMNS, (0,), table_options), Secrets())
    )
    return document


def test_the_lookup_query_with_defaults() -> None:
    assert description() == {
        "url": "jdbc:mysql://h/d",
        "driver": None,
        "user": None,
        "password": None,
        "query": "SELECT `id`, `name` FROM `people` WHERE `id` = ?",
        "values": "TIME",
        "types": ["int", "string"],
        "retries": 3,
        "missRetries": 0,
        "missDelay": 0,
        "timeout": 60,
        "cache": None,
    }
    assert description(url="jdbc:h2:mem:x")["query"] == "SELECT id, name FROM people WHERE id = ?"


def test_cache_options_and_their_deprecated_names() -> None:
    now = description(
        lookup__cache="partial", lookup__partial_cache__max_rows="5", lookup__partial_cache__cache_missing_key="false"
    )
    assert now["cache"] == {"maxRows": 5, "missing": False}
    older = description(lookup__cache__max_rows="7", lookup__cache__ttl="2 min")
    assert older["cache"] == {"maxRows": 7, "expireAfterWrite": 120_000, "missing": True}
    assert description(lookup__cache__max_rows="7")["cache"] is None


def test_a_connector_that_cannot_be_looked_up() -> None:
    with pytest.raises(UnsupportedError, match="cannot be looked up"):
        open_lookup(LookupTable("c.d.t", COLUMNS, (0,), {"connector": "datagen"}), Secrets())
