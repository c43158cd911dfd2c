"""Plan nodes: one class a node type, registered in NODE_TYPES when this package is imported."""

from plans.nodes.aggregate import GlobalGroupAggregate, GroupAggregate, IncrementalGroupAggregate, LocalGroupAggregate
from plans.nodes.base import (
    NODE_TYPES,
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

__all__ = [
    "NODE_TYPES",
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
]
