"""Which module declares which node type.

Loading the module of a type on first use keeps the start of every command short.
"""

from __future__ import annotations

from importlib import import_module

from plans.nodes.base import NODE_TYPES, PlanNode

_KINDS = {
    "aggregate": "group-aggregate local-group-aggregate global-group-aggregate incremental-group-aggregate",
    "deduplicate": "deduplicate changelog-normalize",
    "join": "join multi-join interval-join temporal-join",
    "lookup": "lookup-join",
    "match": "match",
    "over": "over-aggregate",
    "rank": "rank limit sort-limit",
    "scan": "table-source-scan values",
    "sink": "sink",
    "sort": "sort temporal-sort",
    "stateless": ("calc correlate drop-update-before exchange expand mini-batch-assigner union watermark-assigner"),
    "unsupported": (
        "delta-join async-calc async-correlate ml-predict-table-function vector-search-table-function "
        "process-table-function python-async-calc python-calc python-correlate python-group-aggregate "
        "python-group-window-aggregate python-over-aggregate"
    ),
    "window": (
        "window-table-function window-aggregate local-window-aggregate global-window-aggregate group-window-aggregate "
        "window-join window-rank window-deduplicate"
    ),
}
_MODULES = {f"stream-exec-{kind}": module for module, kinds in _KINDS.items() for kind in kinds.split()}


def node_type(type_name: str) -> type[PlanNode] | None:
    """The class of a node type by its name and version, `stream-exec-join_1`; None where there is none."""
    module = _MODULES.get(type_name.rpartition("_")[0])
    if module is not None:
        import_module(f"plans.nodes.{module}")
    return NODE_TYPES.get(type_name)


def all_node_types() -> dict[str, type[PlanNode]]:
    """Every known node type, by name and version."""
    for module in _KINDS:
        import_module(f"plans.nodes.{module}")
    return dict(NODE_TYPES)
