"""Registry of node types. A type's module is imported at its first lookup, which keeps the start of commands short.

A node type's module has its name: `delta_join` for `stream-exec-delta-join`. Related types share a module.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from compiled_plan.plans import nodes
from compiled_plan.plans.nodes.base import NODE_TYPES, PREFIX, PlanNode

#: Modules with node types of other names than their own.
_FAMILIES = {
    "aggregate": "group-aggregate local-group-aggregate global-group-aggregate incremental-group-aggregate",
    "deduplicate": "changelog-normalize",
    "join": "multi-join interval-join temporal-join",
    "lookup": "lookup-join",
    "over": "over-aggregate",
    "python": (
        "python-calc python-async-calc python-correlate python-group-aggregate python-group-window-aggregate "
        "python-over-aggregate"
    ),
    "rank": "limit sort-limit",
    "scan": "table-source-scan values",
    "sort": "temporal-sort",
    "stateless": (
        "calc async-calc correlate async-correlate drop-update-before exchange expand mini-batch-assigner union "
        "watermark-assigner"
    ),
    "window": (
        "window-table-function window-aggregate local-window-aggregate global-window-aggregate group-window-aggregate "
        "window-join window-rank window-deduplicate"
    ),
}
_MODULES = {kind: module for module, kinds in _FAMILIES.items() for kind in kinds.split()}


def node_type(type_name: str) -> type[PlanNode] | None:
    """The class of a node type by name and version, such as `stream-exec-join_1`; None if there is none."""
    if type_name not in NODE_TYPES and type_name.startswith(PREFIX):
        kind = type_name.removeprefix(PREFIX).rpartition("_")[0]
        module = f"{nodes.__name__}.{_MODULES.get(kind) or kind.replace('-', '_')}"
        is_module = kind.replace("-", "").isalnum() and find_spec(module) is not None
        # A type without a module is unknown or unsupported.
        import_module(module if is_module else f"{nodes.__name__}.unsupported")
    return NODE_TYPES.get(type_name)


def all_node_types() -> dict[str, type[PlanNode]]:
    """Every known node type, by name and version."""
    for module in iter_modules(nodes.__path__):
        import_module(f"{nodes.__name__}.{module.name}")
    return dict(NODE_TYPES)
