"""Positions of sources in the form of Flink's state."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.execution.importing.matching import SPLITS
from compiled_plan.plans.execution.importing.model import PositionError
from compiled_plan.plans.nodes.tables import CatalogTable

#: A split of Kafka without an end, and the status of a partition that a reader has.
_ENDLESS, _ASSIGNED = -(2**63), 0
#: Versions of the serializers of Kafka's splits and of its enumerator's state, and of Flink's coordinator.
_SPLIT, _ENUMERATOR, _COORDINATOR = 0, 2, 1


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source in Flink.

    Args:
        words: the position for people.
        splits: the splits in the state of its readers; empty if the source begins.
        coordinator: the state of its coordinator.
    """

    words: str
    splits: tuple[bytes, ...] = ()
    coordinator: bytes = b""

    def described(self) -> dict[str, Any]:
        """The fields of the operator in the head of the neutral form."""
        elements = [b64encode(split).decode() for split in self.splits]
        splits = {"name": SPLITS, "mode": "SPLIT_DISTRIBUTE", "type": "BYTES", "elements": [elements]}
        return {"lists": [splits], "coordinator": b64encode(self.coordinator).decode()}


def source_state(table: CatalogTable, offsets: Sequence[str], wanted: str) -> SourceState:
    """The state of a table's source.

    Args:
        offsets: its entries in Spark's offset log, one per stream that reads it.
        wanted: the value of `--start`; empty to export the position.

    Raises:
        PositionError: the position cannot be exported.
    """
    connector = table.options.get("connector", "")
    if wanted == "earliest":
        return SourceState("begins, as --start says")
    if wanted:
        raise PositionError(f"the position {wanted!r} is not written to savepoints, only earliest")
    encode = _ENCODERS.get(connector)
    if encode is None:
        raise PositionError(f"the position of the connector {connector!r} is not written to savepoints")
    if len(set(offsets)) != 1:
        raise PositionError("it has not been read yet" if not offsets else "its streams have different positions")
    return encode(json.loads(offsets[0]))


def _kafka(offsets: Mapping[str, Mapping[str, int]]) -> SourceState:
    places = [
        (topic, int(partition), offset)
        for topic, partitions in sorted(offsets.items())
        for partition, offset in sorted(partitions.items(), key=lambda item: int(item[0]))
    ]
    words = "; ".join(f"{topic} {partition}:{offset}" for topic, partition, offset in places)
    splits = tuple(
        _versioned(_SPLIT, _partition(topic, at) + struct.pack(">qq", offset, _ENDLESS)) for topic, at, offset in places
    )
    partitions = b"".join(_partition(topic, at) + struct.pack(">i", _ASSIGNED) for topic, at, _ in places)
    # Its end says that the first partitions are known: those that come later are read from their beginning.
    state = struct.pack(">i", len(places)) + partitions + b"\x01"
    return SourceState(words, splits, struct.pack(">i", _COORDINATOR) + _versioned(_ENUMERATOR, state))


def _partition(topic: str, number: int) -> bytes:
    name = topic.encode()
    return struct.pack(">H", len(name)) + name + struct.pack(">i", number)


def _versioned(version: int, data: bytes) -> bytes:
    return struct.pack(">ii", version, len(data)) + data


_ENCODERS: Mapping[str, Callable[[Mapping[str, Mapping[str, int]]], SourceState]] = {
    "kafka": _kafka,
    "upsert-kafka": _kafka,
}
