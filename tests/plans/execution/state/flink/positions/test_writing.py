"""Positions of sources in the form of Flink's state."""

from __future__ import annotations

import struct

import pytest

from compiled_plan.plans.execution.state.flink.positions import reading as importing
from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.reading import position_of
from compiled_plan.plans.execution.state.flink.positions.writing import source_state
from compiled_plan.plans.nodes.tables import CatalogTable


def table(connector: str) -> CatalogTable:
    schema = {"columns": [], "watermarkSpecs": []}
    resolved = {"schema": schema, "partitionKeys": [], "options": {"connector": connector}}
    return CatalogTable.model_validate({"identifier": "`c`.`d`.`orders`", "resolvedTable": resolved})


KAFKA = table("kafka")
OFFSETS = '{"orders":{"0":42,"10":7},"returns":{"0":3}}'


def test_offsets_of_kafka_come_back_at_an_import() -> None:
    state = source_state(KAFKA, [OFFSETS, OFFSETS], "")
    assert state.words == "orders 0:42, 10:7; returns 0:3"
    imported = position_of(KAFKA, importing.SourceState(state.splits, state.coordinator), "")
    assert imported.offsets == {"orders": {0: 42, 10: 7}, "returns": {0: 3}}


def test_the_coordinator_has_all_partitions_as_assigned() -> None:
    state = source_state(KAFKA, ['{"orders":{"1":42}}'], "")
    serde, version, length, count = struct.unpack_from(">iiii", state.coordinator)
    assert (serde, version, length, count) == (1, 2, len(state.coordinator) - 12, 1)
    assert state.coordinator[16:] == b"\x00\x06orders" + struct.pack(">ii", 1, 0) + b"\x01"


def test_a_source_that_begins_has_no_state() -> None:
    state = source_state(table("filesystem"), [], "earliest")
    assert (state.splits, state.words) == ((), "begins, as --start says")


@pytest.mark.parametrize(
    ("connector", "offsets", "start", "why"),
    [
        ("filesystem", ["{}"], "", "the connector 'filesystem' is not written to savepoints"),
        ("kafka", [], "", "has not been read yet"),
        ("kafka", [OFFSETS, '{"orders":{"0":1}}'], "", "different positions"),
        ("kafka", [OFFSETS], "latest", "the position 'latest' is not written to savepoints, only earliest"),
    ],
)
def test_other_positions_are_refused(connector: str, offsets: list[str], start: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        source_state(table(connector), offsets, start)
