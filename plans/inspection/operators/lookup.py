"""Lookup joins."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from compiled_plan.plans.inspection.lineage.drafting import Context, RuleResult, rule, zone_or_default
from compiled_plan.plans.inspection.lineage.expressions import Scope, conjuncts, meaning_of
from compiled_plan.plans.inspection.lineage.meaning import compose, digest_of
from compiled_plan.plans.inspection.lineage.rows import Branch, in_order
from compiled_plan.plans.inspection.lineage.table_identity import origin_of_table
from compiled_plan.plans.inspection.operators.scan import columns_read
from compiled_plan.plans.nodes.lookup import FieldKey, LookupJoin
from compiled_plan.plans.nodes.model import value_to_json


@rule(LookupJoin)
def lookup(node: LookupJoin, context: Context) -> RuleResult:
    """Join every row with the current rows of a lookup table."""
    return RuleResult(tuple(map(partial(_looked_up, node=node, context=context), context.inputs(node)[0])))


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
