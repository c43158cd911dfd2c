"""Plan nodes: one class a node type.

The names below are imported on first use: a command loads the classes of the nodes that it meets, not all of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plans.nodes.aggregate import (
        GlobalGroupAggregate,
        GroupAggregate,
        IncrementalGroupAggregate,
        LocalGroupAggregate,
    )
    from plans.nodes.base import (
        Arity,
        Distribution,
        InputProperty,
        PlanModel,
        PlanNode,
        StateEntry,
        StatefulNode,
        StateSlot,
    )
    from plans.nodes.deduplicate import ChangelogNormalize, Deduplicate
    from plans.nodes.join import IntervalJoin, Join, MultiJoin, TemporalJoin
    from plans.nodes.match import Match
    from plans.nodes.over import OverAggregate
    from plans.nodes.rank import Limit, Rank, SortLimit
    from plans.nodes.registry import all_node_types, node_type
    from plans.nodes.scan import TableSourceScan, TableSourceScanV1, Values
    from plans.nodes.sink import Sink, SinkV1
    from plans.nodes.sort import Sort, TemporalSort
    from plans.nodes.specs import AggregateCall, JoinSpec, PartitionSpec, SortField, SortSpec
    from plans.nodes.stateless import (
        Calc,
        Correlate,
        DropUpdateBefore,
        Exchange,
        Expand,
        MiniBatchAssigner,
        Union,
        WatermarkAssigner,
    )
    from plans.nodes.unsupported import OpaqueNode
    from plans.nodes.window import (
        GlobalWindowAggregate,
        GroupWindowAggregate,
        LocalWindowAggregate,
        WindowAggregate,
        WindowDeduplicate,
        WindowJoin,
        WindowRank,
        WindowTableFunction,
    )

_HOMES = {
    "aggregate": "GlobalGroupAggregate GroupAggregate IncrementalGroupAggregate LocalGroupAggregate",
    "base": "Arity Distribution InputProperty PlanModel PlanNode StateEntry StatefulNode StateSlot",
    "deduplicate": "ChangelogNormalize Deduplicate",
    "join": "IntervalJoin Join MultiJoin TemporalJoin",
    "match": "Match",
    "over": "OverAggregate",
    "rank": "Limit Rank SortLimit",
    "scan": "TableSourceScan TableSourceScanV1 Values",
    "sink": "Sink SinkV1",
    "sort": "Sort TemporalSort",
    "specs": "AggregateCall JoinSpec PartitionSpec SortField SortSpec",
    "stateless": "Calc Correlate DropUpdateBefore Exchange Expand MiniBatchAssigner Union WatermarkAssigner",
    "unsupported": "OpaqueNode",
    "window": (
        "GlobalWindowAggregate GroupWindowAggregate LocalWindowAggregate WindowAggregate "
        "WindowDeduplicate WindowJoin WindowRank WindowTableFunction"
    ),
    "registry": "all_node_types node_type",
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


__all__ = [
    "AggregateCall",
    "Arity",
    "Calc",
    "ChangelogNormalize",
    "Correlate",
    "Deduplicate",
    "Distribution",
    "DropUpdateBefore",
    "Exchange",
    "Expand",
    "GlobalGroupAggregate",
    "GlobalWindowAggregate",
    "GroupAggregate",
    "GroupWindowAggregate",
    "IncrementalGroupAggregate",
    "InputProperty",
    "IntervalJoin",
    "Join",
    "JoinSpec",
    "Limit",
    "LocalGroupAggregate",
    "LocalWindowAggregate",
    "Match",
    "MiniBatchAssigner",
    "MultiJoin",
    "OpaqueNode",
    "OverAggregate",
    "PartitionSpec",
    "PlanModel",
    "PlanNode",
    "Rank",
    "Sink",
    "SinkV1",
    "Sort",
    "SortField",
    "SortLimit",
    "SortSpec",
    "StateEntry",
    "StateSlot",
    "StatefulNode",
    "TableSourceScan",
    "TableSourceScanV1",
    "TemporalJoin",
    "TemporalSort",
    "Union",
    "Values",
    "WatermarkAssigner",
    "WindowAggregate",
    "WindowDeduplicate",
    "WindowJoin",
    "WindowRank",
    "WindowTableFunction",
    "all_node_types",
    "node_type",
]
