"""External facts that only a start can check: files, servers, classes, functions of users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from compiled_plan.plans.connectors.checks import formats_of
from compiled_plan.plans.connectors.registry import connector_spec
from compiled_plan.plans.inspection.placement import calls_of, calls_of_python
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.rex import JavaFunction, java_function, python_function
from compiled_plan.plans.text.masking import masked

if TYPE_CHECKING:
    from compiled_plan.plans.functions.jars import AllowedClasses
    from compiled_plan.plans.nodes.base import PlanNode


@dataclass(frozen=True, slots=True)
class AtStart:
    """A fact that is checked at a start."""

    subject: str  # the table or the function
    what: str  # the checked fact
    node: int  # the first node that needs it

    def to_dict(self) -> dict[str, object]:
        """The fact as JSON values."""
        return asdict(self)


def checked_at_start(plan: CompiledPlan) -> tuple[AtStart, ...]:
    """All facts to check at a start, without duplicates."""
    facts = {(fact.subject, fact.what): fact for fact in reversed(list(_facts(plan)))}
    return tuple(reversed(facts.values()))


def _facts(plan: CompiledPlan) -> Iterator[AtStart]:
    for node in plan.nodes:
        for _, table in node.tables():
            options = table.options
            connector = connector_spec(options.get("connector"))
            if connector is None:
                continue
            shown = masked(options)
            place = ", ".join(f"{key} = {shown[key]}" for key in connector.place or () if key in shown)
            name = table.path[-1] + (f" ({place})" if place else "")
            formats = formats_of(options, connector).values()
            texts = (connector.at_start, *(spec.at_start for spec in formats))
            yield from (AtStart(name, text, node.id) for text in texts if text)
        scalar = (python_function(call) for call in calls_of_python(node))
        for function in (*scalar, *(call.python for call in objects_in(node, AggregateCall))):
            if function is not None:
                yield AtStart(function.path, "the Python function, its module and its types", node.id)
        for java in _java_functions(node):
            yield AtStart(java.path, "the Java function, its class and its types", node.id)


def _java_functions(node: PlanNode) -> Iterator[JavaFunction]:
    called = (java_function(call) for call in calls_of(node))
    for java in (*called, *(call.java_function for call in objects_in(node, AggregateCall))):
        if java is not None:
            yield java


def check_classes(plan: CompiledPlan, allowed: AllowedClasses) -> None:
    """Check the part that needs no JVM: that the Java functions of a plan are in allowed places.

    Raises:
        UnsupportedError: a class that is not allowed, or unknown.
        ExecutionError: a jar does not exist.
    """
    for node in plan.nodes:
        for function in _java_functions(node):
            allowed.place_of(function, f"node {node.id} ({node.type})")
