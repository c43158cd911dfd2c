"""Nodes that Flink plans for Python functions.

A plan of Flink names such functions only by their names in the catalog. `with_functions` replaces these nodes by the
general ones, whose calls name the functions themselves; only those run.

Source: Flink 2.3's plans of programs with Python functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.aggregate import GroupAggregate
from compiled_plan.plans.nodes.base import IDLE_ENTRY, TTL, Inputs, PlanNode, StateEntry, StateSlot
from compiled_plan.plans.nodes.fields import RexJson
from compiled_plan.plans.nodes.model import Always, Bool, OfNone, PlanModel
from compiled_plan.plans.nodes.over import OverAggregate
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.nodes.stateless import Calc, Correlate
from compiled_plan.plans.nodes.window import GroupWindowAggregate
from compiled_plan.plans.rex import Call, PythonFunction, RexNode
from compiled_plan.plans.rex.nodes import transform

#: The function of a name, which begins with its catalog and database unless it is a system function; None: unknown.
Lookup = Callable[[str], PythonFunction | None]


class PythonNode(PlanNode):
    """Base of nodes whose functions are named by the catalog. A subclass is one of the general node, too."""

    #: The node that runs in its place.
    GENERAL: ClassVar[type[PlanNode]]

    def faults(self, inputs: Inputs) -> Iterator[Fault]:
        # The catalog of the run knows the functions.
        yield from self.GENERAL.faults(self.general(lambda name: _UNKNOWN), inputs)

    def general(self, lookup: Lookup) -> PlanNode:
        """The general node, with the functions that `lookup` knows."""
        changed = with_functions(self, lookup)
        fields = {name: getattr(changed, name) for name in self.GENERAL.model_fields}
        return self.GENERAL.model_construct(**fields)


_UNKNOWN = PythonFunction("?", "?", "SCALAR")


class PythonCalc(PythonNode, Calc):
    """Projection whose expressions call Python functions."""

    NAME = "stream-exec-python-calc"
    GENERAL = Calc

    #: Flink filters in a node of its own, and does not write the field.
    condition: OfNone[RexJson] | None = None


class PythonAsyncCalc(PythonCalc):
    """Projection with asynchronous Python functions."""

    NAME = "stream-exec-python-async-calc"


class PythonCorrelate(PythonNode, Correlate):
    """Join of each row with the rows of a Python table function."""

    NAME = "stream-exec-python-correlate"
    GENERAL = Correlate

    condition: OfNone[RexJson] | None = None


class PythonGroupAggregate(PythonNode, GroupAggregate):
    """Group aggregation with Python functions; idle keys expire after `table.exec.state.ttl`."""

    NAME = "stream-exec-python-group-aggregate"
    TRANSFORMATION = ""
    STATE: ClassVar[tuple[StateSlot, ...]] = ()  # type: ignore[assignment]
    WITHOUT_ENTRIES: ClassVar[str] = f"the option {TTL} holds for it"
    GENERAL = GroupAggregate

    @property
    def forgets_idle_keys(self) -> bool:
        return True

    def general(self, lookup: Lookup) -> PlanNode:
        (slot,) = GroupAggregate.STATE
        [ttl] = [entry.ttl for entry in self.ttl_entries if entry.name == IDLE_ENTRY]
        state = (StateEntry.model_construct(index=slot.index, ttl=ttl, name=slot.name),)
        return super().general(lookup).model_copy(update={"state": state})


class PythonGroupWindowAggregate(PythonNode, GroupWindowAggregate):
    """Aggregation with Python functions by a window in GROUP BY."""

    NAME = "stream-exec-python-group-window-aggregate"
    TRANSFORMATION = ""
    ORDER = ("grouping", "agg_calls", "window", "named_window_properties", "generate_update_before", "need_retraction")
    GENERAL = GroupWindowAggregate

    generate_update_before: Always[Bool] = False


class PythonOverAggregate(PythonNode, OverAggregate):
    """Aggregation with Python functions over OVER windows."""

    NAME = "stream-exec-python-over-aggregate"
    TRANSFORMATION = ""
    GENERAL = OverAggregate


# --- functions by name -----------------------------------------------------------------------------------------------


def with_functions(value: Any, lookup: Lookup) -> Any:
    """A part of a node whose calls name the functions that `lookup` knows; others stay as they are."""

    def named(part: RexNode | AggregateCall) -> RexNode | AggregateCall:
        if isinstance(part, RexNode):
            return transform(part, lambda rex: _named(rex, lookup))
        function = _lookup(part.catalog_name or part.system_name, part.python or part.java, lookup)
        return part if function is None else part.model_copy(update={"python": _aggregating(function)})

    return with_calls(value, named)


def with_calls(value: object, change: Callable[[RexNode | AggregateCall], RexNode | AggregateCall]) -> Any:
    """A part of a node with its expressions and aggregate calls changed."""
    match value:
        case RexNode() | AggregateCall():
            return change(value)
        case PlanModel():
            fields = {name: getattr(value, name) for name in type(value).model_fields}
            changed = {name: with_calls(item, change) for name, item in fields.items()}
            update = {name: item for name, item in changed.items() if item is not fields[name]}
            return value.model_copy(update=update) if update else value
        case tuple():
            items = tuple(with_calls(item, change) for item in value)
            return value if all(map(_same, items, value)) else items
    return value


def _same(left: object, right: object) -> bool:
    return left is right


def _named(rex: RexNode, lookup: Lookup) -> RexNode:
    if not isinstance(rex, Call) or rex.name:
        return rex
    extra = dict(rex.extra)
    name = extra.get("catalogName") or extra.get("systemName")
    function = _lookup(str(name) if name else None, extra.get("python") or extra.get("java"), lookup)
    return rex if function is None else replace(rex, extra=(*rex.extra, ("python", function)))


def _lookup(name: str | None, known: object, lookup: Lookup) -> PythonFunction | None:
    return lookup(name) if name and known is None else None


def _aggregating(function: PythonFunction) -> PythonFunction:
    return replace(function, kind="AGGREGATE", method="accumulate") if function is _UNKNOWN else function


def function_names(plan_nodes: Iterable[PlanNode]) -> list[str]:
    """The names of the functions that calls of these nodes name only by the catalog, each once."""
    names: dict[str, None] = {}

    def note(name: str) -> None:
        names[name] = None

    for node in plan_nodes:
        with_functions(node, note)
    return list(names)
