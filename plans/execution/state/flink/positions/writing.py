"""Positions of sources in the form of Flink's state."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.execution.state.flink.positions.errors import PositionError
from compiled_plan.plans.execution.state.flink.positions.kafka import coordinator_of, splits_of
from compiled_plan.plans.execution.state.flink.positions.reading import SPLITS, words_of
from compiled_plan.plans.nodes.tables import CatalogTable


@dataclass(frozen=True, slots=True)
class WrittenSource:
    """The state of a source in Flink.

    Args:
        words: the position for people.
        splits: the splits in the state of its readers; empty if the source begins.
        coordinator: the state of its coordinator.
    """

    words: str
    splits: tuple[bytes, ...] = ()
    coordinator: bytes = b""

    def described(self) -> dict[str, object]:
        """The fields of the operator in the head of the neutral form."""
        elements = [b64encode(split).decode() for split in self.splits]
        splits = {"name": SPLITS, "mode": "SPLIT_DISTRIBUTE", "type": "BYTES", "elements": [elements]}
        return {"lists": [splits], "coordinator": b64encode(self.coordinator).decode()}


def source_state(table: CatalogTable, offsets: Sequence[str], wanted: str) -> WrittenSource:
    """The state of a table's source.

    Args:
        offsets: its entries in Spark's offset log, one per stream that reads it.
        wanted: the value of `--start`; empty to export the position.

    Raises:
        PositionError: the position cannot be exported.
    """
    connector = table.options.get("connector", "")
    if wanted == "earliest":
        return WrittenSource("begins, as --start says")
    if wanted:
        raise PositionError(f"the position {wanted!r} is not written to savepoints, only earliest")
    encode = _ENCODERS.get(connector)
    if encode is None:
        raise PositionError(f"the position of the connector {connector!r} is not written to savepoints")
    if len(set(offsets)) != 1:
        raise PositionError("it has not been read yet" if not offsets else "its streams have different positions")
    return encode(json.loads(offsets[0]))


def _kafka(stored: Mapping[str, Mapping[str, int]]) -> WrittenSource:
    offsets = {
        topic: dict(sorted((int(partition), offset) for partition, offset in partitions.items()))
        for topic, partitions in sorted(stored.items())
    }
    return WrittenSource(words_of(offsets), splits_of(offsets), coordinator_of(offsets))


_ENCODERS: Mapping[str, Callable[[Mapping[str, Mapping[str, int]]], WrittenSource]] = {
    "kafka": _kafka,
    "upsert-kafka": _kafka,
}
