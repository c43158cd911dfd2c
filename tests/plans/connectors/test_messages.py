"""Message tables: positions of their columns, offsets in options, and properties that a restart compares."""

from __future__ import annotations

import pytest

from compiled_plan.plans.connectors.messages import offsets, parts
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.lineage.table_identity import options_of, place_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.types import INT, STRING, Field, RowType

COLUMNS = RowType(fields=(Field("k_a", INT), Field("k_b", STRING), Field("v", INT)))


def test_columns_of_keys_lose_their_prefix_and_may_be_in_values_too() -> None:
    apart = parts(COLUMNS, {"key.fields-prefix": "k_", "value.fields-include": "except-key"}, ("k_b", "k_a"))
    rows = apart.rows(COLUMNS)
    assert rows["key.format"].names == ("b", "a")
    assert rows["value.format"].names == rows["format"].names == ("v",)
    both = parts(COLUMNS, {}, ("k_b",)).rows(COLUMNS)
    assert (both["key.format"].names, both["value.format"].names) == (("k_b",), ("k_a", "k_b", "v"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("partition:0,offset:42;partition:1,offset:300", {0: 42, 1: 300}),
        (" partition:3, offset:0 ; ", {3: 0}),
        ("partition:0", None),
        ("0:42", None),
        ("partition:0,offset:-1", None),
        ("", None),
    ],
)
def test_offsets_of_partitions(text: str, expected: dict[int, int] | None) -> None:
    assert offsets(text) == expected


@pytest.mark.parametrize("connector", ["kafka", "upsert-kafka"])
def test_a_restart_compares_topic_brokers_and_formats_and_neither_starts_nor_secrets(connector: str) -> None:
    where = {"properties.bootstrap.servers": "a:1", "topic": "t"}
    passing = {
        "scan.bounded.mode": "latest-offset",
        "properties.sasl.jaas.config": "x",
        "properties.group.id": "g",
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": "p",
        "sink.parallelism": "2",
        "scan.parallelism": "2",
    }
    if connector == "kafka":
        passing |= {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "1"}
    options = {
        "connector": connector,
        "value.format": "json",
        "value.json.timestamp-format.standard": "ISO-8601",
        **where,
    }
    table = CatalogTable.model_validate(
        {"identifier": "`c`.`d`.`t`", "resolvedTable": {"schema": {"columns": []}, "options": {**options, **passing}}}
    )
    assert dict(options_of(table)) == options
    assert place_of(table, str) == {"connector": connector, **where, "topic-pattern": ""}
    assert connector_spec(connector) is not None
