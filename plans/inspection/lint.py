"""Lint: suspicious but valid plans."""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.connectors.checks import unknown_format_options
from compiled_plan.plans.findings import Finding, Severity
from compiled_plan.plans.inspection.changes import append_only
from compiled_plan.plans.inspection.identity import derived_uids
from compiled_plan.plans.nodes.base import PlanNode, StateEntry
from compiled_plan.plans.nodes.model import objects_in
from compiled_plan.plans.nodes.newer import FLINK_VERSION, is_newer
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.plan.structure import label
from compiled_plan.plans.rex import CASTS, Call, RexNode, type_of, walk
from compiled_plan.plans.text.durations import bare_number
from compiled_plan.plans.text.masking import holds_secret
from compiled_plan.plans.text.spans import pointer_of
from compiled_plan.plans.types import BytesType, CharacterType


def lint(plan: CompiledPlan) -> tuple[Finding, ...]:
    """All warnings about a plan."""
    own = (_shorter_downstream, _without_key, _without_effect, _stricter_casts)
    return (*bare_numbers(plan), *clear_secrets(plan), *(finding for check in own for finding in check(plan)))


def bare_numbers(plan: CompiledPlan) -> Iterator[Finding]:
    """A TTL without a unit, which counts as milliseconds."""
    for position, node in enumerate(plan.nodes):
        for number, entry in enumerate(node.state_entries):
            doubt = bare_number(entry.ttl)
            if doubt:
                text = entry.ttl.strip()
                remedy = f"write `{text} ms` if that is meant, else a unit: `{text} s`"
                pointer = _ttl_pointer(node, position, number)
                yield _warning(node, pointer, f"the TTL of {entry.name!r}: {doubt}", remedy, entry.ttl)


def clear_secrets(plan: CompiledPlan) -> Iterator[Finding]:
    """Options whose values hold a secret in clear."""
    for number, node in enumerate(plan.nodes):
        for path, table in node.tables():
            for key, value in table.options.items():
                if holds_secret(key, value):
                    message = f"the option {key!r} of table {'.'.join(table.path)} holds a secret in clear"
                    remedy = "refer to it, ${secret:NAME}, and set it where the plan runs"
                    pointer = pointer_of(("nodes", number, *path, "resolvedTable", "options", key))
                    yield _warning(node, pointer, message, remedy)


def secret_warnings(plan: CompiledPlan) -> tuple[str, ...]:
    """A warning for each option of a table that holds a secret in clear."""
    return tuple(dict.fromkeys(f"{finding.message}\n  try: {finding.remedy}" for finding in clear_secrets(plan)))


def _shorter_downstream(plan: CompiledPlan) -> Iterator[Finding]:
    """A TTL shorter than one upstream: the operator forgets rows that the upstream operator still updates."""
    uids, appends = derived_uids(plan), append_only(plan)
    position = {node.id: number for number, node in enumerate(plan.nodes)}
    for node in plan.nodes:
        inputs = plan.inputs(node)
        for number, entry in enumerate(node.state_entries):
            if entry.ttl_ms == 0 or entry.index >= len(inputs) or inputs[entry.index].id in appends:
                continue
            for upstream in _stateful_from(plan, inputs[entry.index]):
                if upstream.id in appends:
                    continue
                longest = max(upstream.state_entries, key=_lifetime)
                if _lifetime(longest) <= _lifetime(entry):
                    continue
                message = (
                    f"{uids.get(node.id, node.kind)} (node {node.id}) forgets {entry.name} after {entry.ttl}, but "
                    f"{uids.get(upstream.id, upstream.kind)} (node {upstream.id}) upstream of it keeps "
                    f"{longest.name} {_for_how_long(longest)}: updates will meet rows already forgotten"
                )
                remedy = f"give {entry.name} at least {longest.ttl}" if longest.ttl_ms else "give both the same TTL"
                yield _warning(node, _ttl_pointer(node, position[node.id], number), message, remedy, entry.ttl)


def _without_key(plan: CompiledPlan) -> Iterator[Finding]:
    """Joins of unbounded tables without an equality: all rows meet in one task."""
    for number, node in enumerate(plan.nodes):
        spec = getattr(node, "join_spec", None)  # their classes are loaded with the plans that have them
        if node.kind != "join" or spec is None or spec.left_keys:
            continue
        if not any(_is_one_row(plan, source) for source in plan.inputs(node)):
            message = "the join has no key: each row of one side is compared with all of the other, in one task"
            remedy = (
                "write an equality between columns of both sides; in a list of tables, let each have one with a "
                "table before it"
            )
            yield _warning(node, f"/nodes/{number}/joinSpec/leftKeys", message, remedy)


#: Kinds that emit at most one row per input row.
_NO_MORE_ROWS = ("calc", "exchange", "drop-update-before")


def _is_one_row(plan: CompiledPlan, node: PlanNode) -> bool:
    """Return True if a node holds at most one row: a global aggregate, and projections of it."""
    while node.kind in _NO_MORE_ROWS:
        (node,) = plan.inputs(node)
    return node.kind in ("group-aggregate", "global-group-aggregate") and getattr(node, "grouping", None) == ()


def _stateful_from(plan: CompiledPlan, start: PlanNode) -> list[PlanNode]:
    """The nodes with state entries at or upstream of `start`, in the order of the plan."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        node = todo.pop()
        if node.id not in seen:
            seen.add(node.id)
            todo.extend(plan.inputs(node))
    return [node for node in plan.nodes if node.id in seen and node.state_entries]


def _lifetime(entry: StateEntry) -> float:
    return entry.ttl_ms or float("inf")


def _for_how_long(entry: StateEntry) -> str:
    return f"for {entry.ttl}" if entry.ttl_ms else f"for ever ({entry.ttl})"


def _without_effect(plan: CompiledPlan) -> Iterator[Finding]:
    """Format options that Flink ignores, such as misspelt ones."""
    for number, node in enumerate(plan.nodes):
        for path, table in node.tables():
            for key, remedy in unknown_format_options(table.options).items():
                message = f"the option {key!r} has no effect: format {table.options['format']!r} has no such option"
                pointer = pointer_of(("nodes", number, *path, "resolvedTable", "options", key))
                yield _warning(node, pointer, message, remedy)


def _stricter_casts(plan: CompiledPlan) -> Iterator[Finding]:
    """Casts of bytes to text in a plan of Flink 2.4 or newer, which mean something else in FLINK_VERSION."""
    if not is_newer(plan.flink_version):
        return
    for number, node in enumerate(plan.nodes):
        if any(map(_is_text_of_bytes, (rex for top in objects_in(node, RexNode) for rex in walk(top)))):
            message = (
                "a CAST of bytes to text: Flink 2.4 fails on bytes that are not UTF-8 (TRY_CAST returns NULL), where "
                f"Flink {FLINK_VERSION} and a run here put U+FFFD in their place"
            )
            remedy = "before compiling it with an older Flink, decide what invalid bytes shall become"
            yield _warning(node, f"/nodes/{number}", message, remedy)


def _is_text_of_bytes(rex: RexNode) -> bool:
    if not (isinstance(rex, Call) and rex.name in CASTS and rex.operands):
        return False
    return isinstance(type_of(rex.operands[0]), BytesType) and isinstance(rex.type, CharacterType)


def _ttl_pointer(node: PlanNode, position: int, number: int) -> str:
    return pointer_of(("nodes", position, *node.ttl_place(number).path))


def _warning(node: PlanNode, pointer: str, message: str, remedy: str, value: str | None = None) -> Finding:
    return Finding(pointer, message, remedy, value, node=label(node), severity=Severity.WARNING)
