"""What Flink keeps for each node type: under which name, by which key, in which form.

A savepoint of Flink holds state by the uid of a transformation, each state with serializers. The serializer of rows
takes state of exactly the same column types and no other (`RowDataSerializer`), and so does the one of keys. What a
node keeps is said here as the items that its serializers are made of. Of an item that is not `sure`, another value may
or may not be refused.

Source: the transformations of Flink 2.3's planner (`*_TRANSFORMATION`), the states of its runtime's operators, and
`RowDataSerializerSnapshot.resolveSchemaCompatibility`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiled_plan.plans.inspection.diff.flink_accumulators import Item, accumulators_item, row_text
from compiled_plan.plans.inspection.identity import keeps_state
from compiled_plan.plans.nodes.base import PREFIX, PlanNode
from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.nodes.over import OverGroup
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.table_rules import persisted_row
from compiled_plan.plans.nodes.windows import HoppingWindow
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.temporal import TimeKind, TimestampBase


@dataclass(frozen=True, slots=True)
class Node:
    """A node with the columns of its inputs."""

    node: PlanNode
    inputs: tuple[tuple[LogicalType, ...], ...]

    @classmethod
    def of(cls, plan: CompiledPlan, node: PlanNode) -> Node:
        """The node of a plan."""
        return cls(node, tuple(tuple(below.output_type.types) for below in plan.inputs(node)))

    def field(self, name: str) -> Any:
        """A field of the node, by dots."""
        found: Any = self.node
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def types(self, columns: Sequence[int], input_: int = 0) -> str:
        """The types of columns of an input."""
        return row_text([self.inputs[input_][at] for at in columns if at < len(self.inputs[input_])])

    def row(self, input_: int = 0) -> str:
        """The types of all columns of an input."""
        return row_text(self.inputs[input_])


Items = Callable[[Node], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class Kept:
    """The state of one transformation.

    Args:
        transformation: its name, as in its uid.
        items: what the state is made of.
        when: whether a node has it.
    """

    transformation: str
    items: Items
    when: Callable[[PlanNode], bool] = lambda node: True


def kept_of(node: PlanNode) -> Kept | None:
    """What Flink keeps for a node; None where it keeps nothing, or nothing is known of the node's type."""
    found = KEPT.get(node.NAME)
    return found if found is not None and found.when(node) and keeps_state(node) else None


def _json(value: object) -> str:
    return json.dumps(value_to_json(value), sort_keys=True)


# ------------------------------------------------------------ items of many types


def _rows(node: Node) -> Iterator[Item]:
    """Whole rows of each input."""
    count = len(node.inputs)
    names = {1: ("row",), 2: ("left row", "right row")}.get(count, [f"row of input {at}" for at in range(count)])
    for at, name in enumerate(names):
        yield Item(f"types of the {name}", node.row(at))


def _key(field: str) -> Items:
    def items(node: Node) -> Iterator[Item]:
        yield Item("types of the key", node.types(node.field(field)))

    return items


def _join_key(field: str) -> Items:
    def items(node: Node) -> Iterator[Item]:
        yield Item("types of the key", node.types(node.field(f"{field}.left_keys")))

    return items


def _unsure(name: str, *fields: str) -> Items:
    """Fields of which it is not known what another value does."""

    def items(node: Node) -> Iterator[Item]:
        yield Item(name, "; ".join(_json(node.field(field)) for field in fields), sure=False)

    return items


def _all(*parts: Items) -> Items:
    def items(node: Node) -> Iterator[Item]:
        for part in parts:
            yield from part(node)

    return items


# ------------------------------------------------------------ aggregates


def _accumulators(field: str, columns: str = "", counted: Callable[[PlanNode], bool] = lambda node: False) -> Items:
    """The accumulators of a node's calls, in their order.

    Args:
        field: where the calls are.
        columns: where the row that they are over is, if it is not the first input.
        counted: whether rows are counted beside the calls, though none is taken back.
    """

    def items(node: Node) -> Iterator[Item]:
        calls: Sequence[AggregateCall] = node.field(field)
        types = tuple(node.field(f"{columns}.types")) if columns else node.inputs[0]
        takes_back = getattr(node.node, "need_retraction", False)
        back = getattr(node.node, "agg_call_need_retractions", ()) or (takes_back,) * len(calls)
        yield accumulators_item(calls, types, back, takes_back or counted(node.node))

    return items


# ------------------------------------------------------------ joins


def _sides(node: Node) -> Iterator[Item]:
    """How each side of a join is kept: with its unique key if it has one, and with a count where it may be padded."""
    kind = node.field("join_spec.join_type")
    padded = {"LEFT": (True, False), "RIGHT": (False, True), "FULL": (True, True), "SEMI": (True, False)}
    padded["ANTI"] = padded["SEMI"]
    for at, side in enumerate(("left", "right")):
        unique: Sequence[Sequence[int]] = node.field(f"{side}_upsert_keys")
        keys: Sequence[int] = node.field(f"join_spec.{side}_keys")
        if not unique:
            form = "counted rows"
        elif any(set(each) <= set(keys) for each in unique):
            form = "one row"
        else:
            form = f"rows by {node.types(min(unique, key=len), at)}"
        counted = padded.get(kind, (False, False))[at]
        yield Item(f"form of the {side} side", form + (", with a count of matches" if counted else ""))


# ------------------------------------------------------------ all node types


def _deduplicated(node: Node) -> Iterator[Item]:
    first = not node.field("is_rowtime") and not node.field("keep_last_row")
    yield Item("what is kept", "that there was one" if first else f"a row of {node.row()}")


def _over(node: Node) -> Iterator[Item]:
    yield Item("types of the key", node.types(node.field("over_spec.partition.fields")))
    groups: Sequence[OverGroup] = node.field("over_spec.groups")
    # Over all rows before, as they arrive, accumulators alone are kept.
    if not all(_arriving(node, group) and group.lower_bound.kind == "UNBOUNDED_PRECEDING" for group in groups):
        yield from _rows(node)
    types = (*node.inputs[0], *(constant.type for constant in node.field("over_spec.constants")))
    for group in groups:
        bounded = group.lower_bound.kind != "UNBOUNDED_PRECEDING"
        # Rows that leave a window with a lower bound are taken back.
        yield accumulators_item(group.agg_calls, types, (bounded,) * len(group.agg_calls), False)
        yield Item(
            "kind of window", f"{'ROWS' if group.is_rows else 'RANGE'}{' with a lower bound' * bounded}", sure=False
        )


def _arriving(node: Node, group: OverGroup) -> bool:
    """Whether a window goes by processing time."""
    order = [node.inputs[0][each.index] for each in group.order_by.fields]
    return all(isinstance(type_, TimestampBase) and type_.kind is TimeKind.PROCTIME for type_ in order)


def _ranked(node: Node) -> Iterator[Item]:
    """How many rows are kept is not part of it, but for one, which is kept in another way."""
    yield from _rows(node)
    strategy, range_ = node.field("rank_strategy"), node.field("rank_range")
    one = getattr(range_, "start", 0) == getattr(range_, "end", 0) == 1 and strategy.type != "Retract"
    columns = node.types([each.index for each in node.field("order_by").fields])
    # A tree of rows keeps its comparator, too.
    order = _json(node.field("order_by")) if strategy.type == "Retract" else columns
    yield Item("strategy", _json(strategy) + (" of one row" if one else ""), sure=False)
    yield Item("order", order, sure=False)
    yield Item("range of ranks", range_.type, sure=False)


def _sorted(node: Node) -> Iterator[Item]:
    yield Item("order", node.types([each.index for each in node.field("sort_spec").fields]), sure=False)


def _windowed(field: str) -> Items:
    """Sessions are kept by window, all others by slice; sizes and steps are not part of it."""

    def items(node: Node) -> Iterator[Item]:
        window = node.field(field)
        yield Item("kind of window", "session" if type(window).__name__.startswith("Session") else "slices")

    return items


def _hops(node: PlanNode) -> bool:
    """A hopping window counts its rows, to know which are empty."""
    return isinstance(getattr(getattr(node, "windowing", None), "window", None), HoppingWindow)


def _pattern(node: Node) -> Iterator[Item]:
    """Conditions and measures are no part of it."""
    yield Item("types of the key", node.types(node.field("match_spec.partition.fields")))
    yield from _rows(node)
    yield Item("pattern", _json(node.field("match_spec.pattern")), sure=False)


def _versions(node: Node) -> Iterator[Item]:
    """By processing time the right side alone is kept."""
    by_rowtime = node.field("right_time_attribute_index") >= 0
    rows = list(_rows(node))
    yield from rows if by_rowtime else rows[1:]
    yield Item("clock", "rowtime" if by_rowtime else "processing time")


def _looked_up(node: Node) -> Iterator[Item]:
    yield Item("columns", row_text(tuple(node.node.output_type.types)), sure=False)


def _materialised(node: Node) -> Iterator[Item]:
    """Rows as the table takes them: the columns of its primary key are NOT NULL."""
    table = node.node.dynamic_table_sink.table.resolved_table  # type: ignore[attr-defined]
    yield Item("types of the row", node.row() if table is None else row_text(persisted_row(table).types))


def _is_materialised(node: PlanNode) -> bool:
    return bool(getattr(node, "require_upsert_materialize", False))


_GROUPED = _key("grouping")
_SLICED = _windowed("windowing.window")

#: How far a table was read; what that is like, the connector says.
SOURCE = Kept("source", lambda node: iter(()))
#: What is being written, by connector; those that are not here keep nothing, or it is not known.
SINKS: Mapping[str, Kept] = {"filesystem": Kept("streaming-writer", lambda node: iter(()))}

KEPT: Mapping[str, Kept] = {
    PREFIX + name: kept
    for name, kept in {
        "group-aggregate": Kept("group-aggregate", _all(_GROUPED, _accumulators("agg_calls"))),
        "global-group-aggregate": Kept(
            "global-group-aggregate", _all(_GROUPED, _accumulators("agg_calls", "local_agg_input_row_type"))
        ),
        "incremental-group-aggregate": Kept(
            "incremental-group-aggregate", _unsure("calls", "partial_original_agg_calls", "partial_agg_grouping")
        ),
        "join": Kept("join", _all(_join_key("join_spec"), _rows, _sides)),
        "multi-join": Kept("multi-join", _all(_rows, _unsure("keys", "join_attribute_map", "input_unique_keys"))),
        "interval-join": Kept("interval-join", _all(_join_key("interval_join_spec.join_spec"), _rows)),
        "temporal-join": Kept("temporal-join", _all(_join_key("join_spec"), _versions)),
        "lookup-join": Kept("lookup-join-materialize", _looked_up),
        "deduplicate": Kept("deduplicate", _all(_key("unique_keys"), _deduplicated)),
        "changelog-normalize": Kept("changelog-normalize", _all(_key("unique_keys"), _rows)),
        "rank": Kept("rank", _all(_key("partition.fields"), _ranked)),
        "sort-limit": Kept("rank", _ranked),
        "limit": Kept("rank", _ranked),
        "sink": Kept(
            "upsert-materialize",
            _all(_materialised, _unsure("how rows are kept", "input_upsert_key", "upsert_materialize_strategy")),
            _is_materialised,
        ),
        "over-aggregate": Kept("over-aggregate", _over),
        "window-aggregate": Kept(
            "window-aggregate", _all(_GROUPED, _accumulators("agg_calls", counted=_hops), _SLICED)
        ),
        "global-window-aggregate": Kept(
            "global-window-aggregate",
            _all(_GROUPED, _accumulators("agg_calls", "local_agg_input_row_type", _hops), _SLICED),
        ),
        "group-window-aggregate": Kept(
            "group-window-aggregate", _all(_GROUPED, _accumulators("agg_calls"), _windowed("window"))
        ),
        "window-join": Kept("window-join", _all(_join_key("join_spec"), _rows)),
        "window-rank": Kept("window-rank", _all(_key("partition_spec.fields"), _rows, _sorted)),
        "window-deduplicate": Kept("window-deduplicate", _all(_key("partition_keys"), _rows)),
        "window-table-function": Kept("window", _all(_rows, _SLICED)),
        "match": Kept("match", _pattern),
        "sort": Kept("sort", _rows),
        "temporal-sort": Kept("temporal-sort", _rows),
    }.items()
}
