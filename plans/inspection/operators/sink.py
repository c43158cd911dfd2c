"""Sinks: materialising sinks store rows; sinks with retractions depend on the rows that they received before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from compiled_plan.plans.inspection.judging.kinds import OperatorKind, Texts, declare
from compiled_plan.plans.inspection.lineage.drafting import Context, OperatorDraft, RuleResult, rule
from compiled_plan.plans.inspection.lineage.meaning import compose
from compiled_plan.plans.inspection.lineage.operators import Role
from compiled_plan.plans.inspection.lineage.table_identity import is_persistent, options_of
from compiled_plan.plans.inspection.operators.join import key_sets
from compiled_plan.plans.nodes.sink import Sink
from compiled_plan.plans.text.masking import is_sensitive, masked_value

if TYPE_CHECKING:
    from compiled_plan.plans.inspection.judging.edited import Edited, Judgement

_INSERT_ONLY = ("INSERT",)


@rule(Sink)
def sink(node: Sink, context: Context) -> RuleResult:
    """Compared properties of a sink; append-only sinks have none."""
    if node.require_upsert_materialize:
        return _materialiser(node, context)
    if tuple(node.input_changelog_mode) in (_INSERT_ONLY, ()):
        return RuleResult(context.inputs(node)[0])
    draft = OperatorDraft(node, "sink", context, context.ports(node))
    _written(draft, node)
    result = draft.finish(draft.ports[0].all_columns())
    assert result.operator is not None
    # A sink without state has no uid; its table identifies it.
    return RuleResult(result.rows, replace(result.operator, uid=node.dynamic_table_sink.table.name))


def _written(draft: OperatorDraft, node: Sink) -> None:
    """Add the content of each column and the target: retracted rows must equal those written before."""
    (port,) = draft.ports
    table = node.dynamic_table_sink.table
    _target(draft, node)
    names = [column.name for column in table.stored_columns] or list(node.output_type.names)
    types = draft.context.types(node)
    columns = dict(zip(names, port.all_columns(), strict=False))
    chosen = sorted(columns)
    draft.add_named(
        "columns",
        {name: columns[name] for name in chosen},
        [types[names.index(name)] if names.index(name) < len(types) else None for name in chosen],
    )


def _materialiser(node: Sink, context: Context) -> RuleResult:
    """State: the rows of each primary key; with watermarks those that may still conflict."""
    kernel = "sink-compactor" if node.waits_for_watermarks else "sink-upsert-materializer"
    draft = OperatorDraft(node, "materialising sink", context, context.ports(node), kernel)
    (port,) = draft.ports
    table = node.dynamic_table_sink.table
    names = [column.name for column in table.stored_columns]
    draft.add_value("primary key", table.primary_key, ", ".join(table.primary_key), Role.KEY)
    draft.key(port, [names.index(name) for name in table.primary_key if name in names])
    strategy = node.conflict_strategy.behavior if node.conflict_strategy else "DEDUPLICATE"
    draft.add_value("conflict strategy", strategy, f"ON CONFLICT DO {strategy}")
    draft.add("upsert key", key_sets([node.input_upsert_key] if node.input_upsert_key else [], port), role=Role.AROUND)
    draft.stored(port)
    if node.waits_for_watermarks:
        draft.watermarks()
    _target(draft, node)
    return draft.finish(port.all_columns())


def _target(draft: OperatorDraft, node: Sink) -> None:
    """Add the target: the stored rows are those in the table."""
    table = node.dynamic_table_sink.table
    where = draft.context.identity_of(table)
    shown = where.get("path") or where.get("name") or where.get("connector", "")
    draft.add("table", [compose("table", detail=where, text=f"{table.name} ({shown})")])
    for key, item in options_of(table).items():
        if key not in where and is_persistent(table):
            draft.add_value(key, item, masked_value(key, item) if is_sensitive(key) else "", Role.AROUND)


def _primary_key(edited: Edited) -> Judgement:
    """Judge the primary key, by which rows are stored."""
    if edited.list.added or edited.list.dropped or edited.list.is_permuted:
        return edited.incompatible("rows are stored by the old primary key, and not found by the new one")
    return edited.full(listed=True)


def _conflict_strategy(edited: Edited) -> Judgement:
    return edited.incompatible("the old strategy determined the stored rows of a primary key")


def _upsert_key(edited: Edited) -> Judgement:
    """Judge the upsert key, which finds retracted rows; without one all columns are compared."""
    if edited.list.dropped:
        why = "stored rows were identified by the old upsert key: without it a retraction may miss its row"
        return edited.incompatible(why)
    return edited.full()


def _table(edited: Edited) -> Judgement:
    """Judge the table: the stored rows are those in the table."""
    return edited.partial("the stored rows were written to the old table, and are not in the new one")


def _words(texts: Texts) -> str:
    return f"rows of sink {texts['table'].partition(' ')[0]} by primary key {texts['primary key']}"


declare(
    OperatorKind(
        "materialising sink",
        _words,
        {
            "primary key": _primary_key,
            "key": _primary_key,
            "conflict strategy": _conflict_strategy,
            "upsert key": _upsert_key,
            "table": _table,
        },
        retract_key="upsert key",
    )
)
