"""The Spark operators that can host a plan's state: which plans each takes, and where results then differ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.operators.base import refuse
from compiled_plan.plans.execution.session.options import NATIVE, TRANSFORM
from compiled_plan.plans.nodes.deduplicate import Deduplicate

if TYPE_CHECKING:
    from compiled_plan.plans.execution.stages.prepared import PreparedPlan

_REMEDY = "leave --host out: the default host runs any plan, exactly"


def hosted(program: PreparedPlan, host: str) -> PreparedPlan:
    """The program as the host runs it.

    Raises:
        UnsupportedError: the host does not take the plan; says why.
    """
    if host == NATIVE:
        _check_native(program)
        # Spark's operator forgets by a watermark of its own, and waits for none.
        return replace(program, layout=replace(program.layout, event_time=frozenset()))
    if program.event_time and host != TRANSFORM:
        raise UnsupportedError(f"a plan with watermarks cannot run on the host {host}", remedy="leave --host out")
    return program


def native_node(program: PreparedPlan) -> Deduplicate:
    """The operator that `dropDuplicatesWithinWatermark` stands in for."""
    return next(node for node in program.plan.nodes if isinstance(node, Deduplicate))


def _check_native(program: PreparedPlan) -> None:
    plan, layout = program.plan, program.layout
    keyed = [plan.node(node) for node in layout.levels]
    if not keyed:
        raise UnsupportedError(f"a plan without state has nothing for the host {NATIVE}", remedy=_REMEDY)
    for node in keyed:
        if not isinstance(node, Deduplicate):
            raise refuse(node, f"the host {NATIVE} runs deduplication alone", _REMEDY)
        why = _not_first(node)
        if why:
            raise refuse(
                node, f"the host {NATIVE} keeps the first row of a key, for as long as a TTL says; {why}", _REMEDY
            )
    if len(keyed) > 1:
        raise refuse(keyed[1], f"the host {NATIVE} runs one operator with state, this is the second", _REMEDY)
    if layout.passing(layout.levels[keyed[0].id]):
        raise refuse(keyed[0], f"the host {NATIVE} would remember the rows of other INSERTs, which pass it", _REMEDY)


def _not_first(node: Deduplicate) -> str:
    if node.keep_last_row:
        return "this keeps the last"
    if node.is_rowtime and not node.output_insert_only:
        return "this takes a row back when an earlier one comes"
    if not any(entry.ttl_ms for entry in node.ttl_entries):
        return "the TTL of this is 0, for ever"
    return ""


def native_differences(node: Deduplicate) -> tuple[str, ...]:
    """Where the rows that Spark's operator gives differ from what the plan says, in which cases."""
    ttl = node.ttl_entries[0].ttl
    order = "by the time column, when the watermark has reached it" if node.is_rowtime else "to arrive"
    late = (
        ("late rows: a row behind the watermark counts like any other; the plan drops it",) if node.is_rowtime else ()
    )
    return (
        f"which row: any of the first micro-batch that has the key, at once; the plan says the first {order}",
        *late,
        f"forgetting: one to three micro-batches after {ttl} have passed, not at once",
        f"idle gaps and restarts: the first row of a key after a gap longer than {ttl} is dropped, though the key has "
        "expired: Spark's watermark stands at the last micro-batch with data",
        "a changed TTL: keys that are known keep the time at which they were to be forgotten",
    )
