"""Fallback lineage for nodes without a rule, derived from their declarations.

An enforcing field is a property: the columns that it refers to, and the rest of it as a plain value. The columns by
which the node's input must be distributed are its key. The output is identified by all of these.
"""

from __future__ import annotations

from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, digest_of
from compiled_plan.plans.inspection.lineage.rows import Branch, Port, sides
from compiled_plan.plans.nodes.base import PREFIX, PlanNode
from compiled_plan.plans.nodes.references import Reference, references, with_columns

#: Fields that do not affect a node's behaviour.
_PASSIVE = frozenset({"id", "uid", "description", "state", "configuration", "inputProperties", "type"})


@rule(PlanNode)
def declared(node: PlanNode, context: Context) -> RuleResult:
    """The lineage of a node by its declaration."""
    ports = sides(context.inputs(node))
    if not (node.keeps_state and (node.runnable or node.ttl_entries)):
        return RuleResult((_row(node, ports),))
    # A type that is not known in this version shares no rules with the versions that are.
    kind = node.kind if node.runnable else node.type.removeprefix(PREFIX).replace("_", "-")
    draft = OperatorDraft(node, kind, context, ports)
    for at, (port, spread) in enumerate(zip(ports, node.input_properties, strict=False)):
        draft.key(port, spread.required_distribution.keys or (), at)
    fields = _without_columns(node)
    for alias, value in fields.items():
        if alias not in node.shaping_fields:
            continue
        meanings = [_column(reference, ports) for reference in references(node) if reference.path[0] == alias]
        draft.add(alias, meanings)
        draft.add_value(f"{alias}, the rest", value, "" if isinstance(value, str | int) else "as declared")
    for at, port in enumerate(ports):
        draft.stored(port, at)
    return draft.finish(_row(node, ports).columns, kind)


def _row(node: PlanNode, ports: tuple[Port, ...]) -> Branch:
    """The output rows: columns are identified by position alone."""
    refers = [_column(reference, ports) for reference in references(node)]
    parts = [*(port.origin for port in ports), *refers]
    origin = compose("declared", parts, [node.kind, _without_columns(node)], text=node.kind)
    columns = tuple(
        compose("column", (origin,), at, text=f"column {at} of {node.kind}")
        for at in range(len(node.output_type.fields))
    )
    return Branch(origin, columns, history=digest_of([origin.digest, [port.histories for port in ports]]))


def _column(reference: Reference, ports: tuple[Port, ...]) -> Meaning:
    if reference.input is not None:
        return ports[reference.input].column(reference.column)
    columns = [column for port in ports for column in port.all_columns()]
    at = reference.column
    return columns[at] if at < len(columns) else compose("nothing", detail=at, text=f"column {at}")


def _without_columns(node: PlanNode) -> dict[str, object]:
    """The node's JSON without column numbers; columns are compared by meaning."""
    passive = _PASSIVE.union(field.alias for field in node.TTL_FIELDS)
    return {key: item for key, item in with_columns(node, lambda _: 0).to_dict().items() if key not in passive}
