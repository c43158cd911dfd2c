"""Lookup joins."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule, zone_or_default
from compiled_plan.plans.inspection.lineage.expressions import Scope, conjuncts, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import compose, digest_of
from compiled_plan.plans.inspection.lineage.rows import Branch, in_order, sides
from compiled_plan.plans.inspection.lineage.table_identity import origin_of_table
from compiled_plan.plans.inspection.operators.scan import columns_read
from compiled_plan.plans.nodes.lookup import FieldKey, LookupJoin
from compiled_plan.plans.nodes.model import value_to_json
from compiled_plan.plans.rex import input_refs

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement


@rule(LookupJoin)
def lookup(node: LookupJoin, context: Context) -> RuleResult:
    """Join every row with the current rows of a lookup table.

    State, if any: for each upsert key the rows of the table that its last row was joined with.
    """
    joined = tuple(map(partial(_looked_up, node=node, context=context), context.inputs(node)[0]))
    if not node.keeps_state:
        return RuleResult(joined)
    (port,) = context.ports(node)
    types, columns = context.types(node), looked_up_by(node)
    draft = OperatorDraft(node, "lookup", context, (port,), kernel="lookup-materializer")
    draft.key(port, stored_by(node))
    draft.add("looked up by", [port.column(at) for at in columns], [types[at] for at in columns])
    name = ".".join(node.temporal_table.lookup_table_source.table.path)
    draft.add_value("lookup", digest_of_lookup(node), f"{node.join_type.lower()} with {name}")
    return draft.finish(sides((joined,))[0].all_columns(), f"joined with {name}")


def stored_by(node: LookupJoin) -> tuple[int, ...]:
    """The columns of the key by which rows of the table are stored; a row without an upsert key is its own key."""
    return node.input_upsert_key or tuple(range(node.columns_end))


def looked_up_by(node: LookupJoin) -> tuple[int, ...]:
    """The columns of the stream that determine the rows of the table."""
    keys = {key.index for key in node.lookup_keys.values() if isinstance(key, FieldKey)}
    for condition in (node.pre_filter_condition, node.join_condition):
        keys |= {at for at in input_refs(condition) if at < node.columns_end} if condition is not None else set()
    return tuple(sorted(keys))


def digest_of_lookup(node: LookupJoin) -> str:
    """Digest of the table, its columns and the conditions of a lookup, without the columns that it is looked up by."""
    source = node.temporal_table.lookup_table_source
    keys = {name: [] if isinstance(key, FieldKey) else value_to_json(key) for name, key in node.lookup_keys.items()}
    read = [node.temporal_table.output_type, node.projection_on_temporal_table, node.filter_on_temporal_table]
    conditions = [node.pre_filter_condition, node.join_condition]
    return digest_of([node.join_type, list(source.table.path), keys, *map(value_to_json, (*read, *conditions))])


def _looked_up(branch: Branch, node: LookupJoin, context: Context) -> Branch:
    source = node.temporal_table.lookup_table_source
    table = origin_of_table(source.table, context.identity_of)
    own = columns_read(source, node.temporal_table.output_type, table)
    inside = Scope(lambda at: own[at] if at < len(own) else branch.column(-1), zone_or_default(node))
    exprs = node.projection_on_temporal_table
    projected = own if exprs is None else tuple(meaning_of(rex, inside) for rex in exprs)
    outside = context.scope(node, lambda at: (*branch.columns, *projected)[at])
    lookup_keys = [
        [
            int(at),
            branch.column(key.index).digest if isinstance(key, FieldKey) else digest_of(value_to_json(key.literal)),
        ]
        for at, key in sorted(node.lookup_keys.items(), key=lambda entry: int(entry[0]))
    ]
    conditions = (
        *conjuncts(node.pre_filter_condition, context.scope(node, branch.column)),
        *conjuncts(node.filter_on_temporal_table, inside),
        *conjuncts(node.join_condition, outside),
    )
    looked_up = compose(
        "lookup", (table, *in_order(conditions)), [node.join_type, lookup_keys], text=f"lookup of {table.text}"
    )
    columns = tuple(
        compose("looked up", (looked_up, column), text=column.text, full=column.full) for column in projected
    )
    shown = f"{branch.origin.text} {node.join_type.lower()} with {looked_up.text}"
    origin = compose("correlate", (branch.origin, looked_up), text=shown)
    return replace(branch, origin=origin, columns=(*branch.columns, *columns))


def _another(edited: Edited) -> Judgement:
    """Judge another lookup: the stored rows are no longer those to retract."""
    return edited.incompatible("the stored rows were read by another lookup")


declare(
    OperatorKind(
        "lookup",
        lambda texts: f"looked-up rows{texts.for_each}",
        {"lookup": _another, "looked up by": _another},
    )
)
