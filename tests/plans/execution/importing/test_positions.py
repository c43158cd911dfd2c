"""Positions of sources in savepoints, and in options."""

from __future__ import annotations

import struct

import pytest

from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.importing.positions import (
    Position,
    PositionError,
    position_of,
    starts_of,
)
from compiled_plan.plans.nodes.tables import CatalogTable


def table(**options: str) -> CatalogTable:
    schema = {"columns": [], "watermarkSpecs": []}
    resolved = {"schema": schema, "partitionKeys": [], "options": options}
    return CatalogTable.model_validate({"identifier": "`c`.`d`.`orders`", "resolvedTable": resolved})


KAFKA = table(connector="kafka", topic="orders", **{"scan.startup.mode": "earliest-offset"})


def split(topic: str, partition: int, offset: int, version: int = 0) -> bytes:
    """A split as Flink's Kafka source stores it."""
    text = topic.encode()
    body = struct.pack(">H", len(text)) + text + struct.pack(">iqq", partition, offset, -(2**63))
    return struct.pack(">ii", version, len(body)) + body


def taken(*splits: bytes) -> Position:
    return position_of(KAFKA, splits, "")


def test_the_next_offsets_of_kafka_are_sparks_offsets() -> None:
    position = taken(split("orders", 1, 7), split("orders", 0, 42), split("returns", 0, 3))
    assert position.offset == '{"orders":{"0":42,"1":7},"returns":{"0":3}}'
    assert position.words == "orders 0:42, 1:7; returns 0:3"


@pytest.mark.parametrize(
    ("element", "why"),
    [
        (split("orders", 0, -2), "has not been read yet"),
        (split("orders", 0, 5, version=9), "version 9"),
        (split("orders", 0, 5)[:12], "cannot be read"),
        (b"\0", "truncated"),
    ],
)
def test_splits_without_an_offset_are_refused(element: bytes, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        taken(element)


def test_a_source_without_a_position_is_refused() -> None:
    with pytest.raises(PositionError, match="the savepoint has no position of it"):
        position_of(KAFKA, (), "")
    with pytest.raises(PositionError, match="'datagen' is not read from savepoints"):
        position_of(table(connector="datagen"), (b"x",), "")


@pytest.mark.parametrize(
    ("wanted", "offset"),
    [("earliest", ""), ("partition:0,offset:42;partition:1,offset:7", '{"orders":{"0":42,"1":7}}')],
)
def test_an_option_sets_the_position(wanted: str, offset: str) -> None:
    assert position_of(KAFKA, (), wanted).offset == offset


@pytest.mark.parametrize("wanted", ["latest", "partition:0", "soon"])
def test_a_position_that_the_table_does_not_begin_at_is_refused(wanted: str) -> None:
    with pytest.raises(PositionError):
        position_of(KAFKA, (), wanted)


def test_other_connectors_begin() -> None:
    assert position_of(table(connector="filesystem"), (), "earliest").offset == ""
    with pytest.raises(PositionError, match="only earliest"):
        position_of(table(connector="filesystem"), (), "latest")


def test_starts_name_a_table_each() -> None:
    assert starts_of(["orders=earliest"]) == {"orders": "earliest"}
    with pytest.raises(CheckpointError, match="is not TABLE=POSITION"):
        starts_of(["orders"])
