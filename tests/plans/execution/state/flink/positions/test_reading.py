"""Positions of sources in savepoints, and in options."""

from __future__ import annotations

import struct

import pytest

from compiled_plan.plans.connectors.messages import EARLIEST, LATEST
from compiled_plan.plans.errors import CheckpointError
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.files import FilesRead
from compiled_plan.plans.execution.state.flink.positions.reading import Position, SourceState, position_of, starts_of
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


def coordinator(*splits: tuple[bytes, int]) -> bytes:
    """The state of the coordinator of a Kafka source: splits, and whether a reader has got them (0)."""
    contents = [(element[8:], status) for element, status in splits]
    parts = [struct.pack(">i", len(split)) + split + struct.pack(">i", status) for split, status in contents]
    body = struct.pack(">ii", len(parts), 0) + b"".join(parts) + b"\1"
    return struct.pack(">iii", 1, 3, len(body)) + body


def taken(*splits: bytes, coordinator: bytes | None = None) -> Position:
    return position_of(KAFKA, SourceState(splits, coordinator), "")


def test_the_next_offsets_of_kafka_are_sparks_offsets() -> None:
    position = taken(split("orders", 1, 7), split("orders", 0, 42), split("returns", 0, 3))
    assert position.offsets == {"orders": {0: 42, 1: 7}, "returns": {0: 3}}
    assert position.words == "orders 0:42, 1:7; returns 0:3"


def test_a_partition_that_was_not_read_begins() -> None:
    position = taken(split("orders", 0, 42), split("orders", 1, EARLIEST))
    assert position.offsets == {"orders": {0: 42, 1: EARLIEST}}
    assert position.words == "orders 0:42, 1:earliest"


def test_a_partition_that_no_reader_has_got_has_the_offset_of_the_coordinator() -> None:
    read = split("orders", 0, 42)
    state = coordinator((split("orders", 0, EARLIEST), 0), (split("orders", 1, 7), 1))
    assert taken(read, coordinator=state).offsets == {"orders": {0: 42, 1: 7}}


def test_partitions_without_offsets_in_the_coordinator_are_refused_unless_a_reader_has_them() -> None:
    places = [struct.pack(">H", 6) + b"orders" + struct.pack(">ii", at, at) for at in (0, 1)]
    body = struct.pack(">i", 2) + b"".join(places) + b"\1"
    state = struct.pack(">iii", 1, 2, len(body)) + body
    read = (split("orders", 0, 42), split("orders", 1, 7))
    assert taken(*read, coordinator=state).offsets == {"orders": {0: 42, 1: 7}}
    with pytest.raises(PositionError, match="partition 1 of orders has not been read yet and has no offset"):
        taken(read[0], coordinator=state)
    with pytest.raises(PositionError, match="version that is not known: 9"):
        taken(*read, coordinator=struct.pack(">iii", 1, 9, 0))


def test_a_partition_that_was_read_to_its_end_is_refused() -> None:
    with pytest.raises(PositionError, match="partition 1 of orders was read to its end"):
        taken(split("orders", 0, 42), coordinator=coordinator((split("orders", 1, 7), 0)))


@pytest.mark.parametrize(
    ("element", "why"),
    [
        (split("orders", 0, LATEST), "has not been read yet"),
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
        position_of(KAFKA, SourceState(), "")
    with pytest.raises(PositionError, match="'datagen' is not read from savepoints"):
        position_of(table(connector="datagen"), SourceState([b"x"]), "")


def test_an_option_sets_the_position() -> None:
    wanted = "partition:0,offset:42;partition:1,offset:7"
    assert position_of(KAFKA, SourceState(), wanted).offsets == {"orders": {0: 42, 1: 7}}
    assert position_of(KAFKA, SourceState(), "earliest").end == EARLIEST
    assert position_of(KAFKA, SourceState(), "latest").end == LATEST


@pytest.mark.parametrize("wanted", ["partition:0", "soon"])
def test_a_position_that_cannot_be_read_is_refused(wanted: str) -> None:
    with pytest.raises(PositionError):
        position_of(KAFKA, SourceState(), wanted)


def test_other_connectors_begin() -> None:
    assert position_of(table(connector="filesystem"), SourceState(), "earliest").begins
    with pytest.raises(PositionError, match="only earliest"):
        position_of(table(connector="filesystem"), SourceState(), "latest")


def test_starts_name_a_table_each() -> None:
    assert starts_of(["orders=earliest"]) == {"orders": "earliest"}
    with pytest.raises(CheckpointError, match="is not TABLE=POSITION"):
        starts_of(["orders"])


def test_a_source_that_has_ended_has_read_all_files() -> None:
    position = position_of(table(connector="filesystem"), SourceState(finished=True), "")
    assert (position.words, position.files) == ("all files read", FilesRead(None))
