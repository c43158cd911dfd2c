"""Parts of a program that a correcting upgrade corrects: operators to fill from history, and tables of sinks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from compiled_plan.plans.connectors.registry import connector_spec, connector_specs
from compiled_plan.plans.execution.interfaces.connectors import TableSpec, table_of
from compiled_plan.plans.execution.stages.prepared import PreparedPlan, sink_tables
from compiled_plan.plans.execution.state.upgrade.excerpt import above
from compiled_plan.plans.execution.state.upgrade.partly import FORGETS
from compiled_plan.plans.execution.state.upgrade.refusing import UpgradeError
from compiled_plan.plans.inspection.diff.concerns import named
from compiled_plan.plans.inspection.diff.model import Change, Part, PlanDiff
from compiled_plan.plans.inspection.diff.named import named_columns
from compiled_plan.plans.inspection.diff.sides import PlanPair
from compiled_plan.plans.inspection.judging.verdicts import Verdict
from compiled_plan.plans.inspection.lineage.table_identity import place_of
from compiled_plan.plans.nodes.sink import Sink


@dataclass(frozen=True, slots=True)
class Touched:
    """The scope of a correcting upgrade.

    Args:
        uids: uids, in the plan and in the checkpoint, of the operators that are filled from history.
        sinks: the nodes of the sinks whose tables are corrected.
        settled: the labels of parts of the difference that the correction settles.
    """

    uids: frozenset[str] = frozenset()
    sinks: tuple[int, ...] = ()
    settled: frozenset[str] = frozenset()


def touched_by(
    both: PlanPair,
    diff: PlanDiff,
    prepared: PreparedPlan,
    partly: Mapping[str, str],
    reset: Collection[str] = (),
    astray: Collection[str] = (),
) -> Touched:
    """The parts that a change touches: changed ones, those that lack a part of the past, and all downstream of them.

    Args:
        both: the plans.
        diff: their difference.
        prepared: the new program.
        partly: by uid in the checkpoint, why an operator's state does not reflect all rows read.
        reset: uids of operators that start empty anyway.
        astray: identifiers of tables with rows that a rollback or rewind has left.
    """
    plan = prepared.plan
    sources = [edit for edit in diff.sources if edit.verdict is Verdict.PARTIAL and edit.new_nodes]
    causes = {node for edit in sources for node in edit.new_nodes}
    for edit in diff.operators:
        lacks = partly.get(edit.old_uid, FORGETS) != FORGETS
        is_reset = not {edit.uid, edit.old_uid}.isdisjoint(reset)
        if edit.new_node is not None and (edit.verdict is not Verdict.FULL or not edit.old_uid or lacks or is_reset):
            causes.add(edit.new_node)
    operators = [
        edit
        for edit in diff.operators
        if edit.new_node is not None and not above(plan, [edit.new_node]).isdisjoint(causes)
    ]
    sinks = [
        edit
        for edit in diff.sinks
        if edit.new_nodes
        and (
            edit.change is Change.ADDED
            or named_columns(both, diff, edit) != frozenset()
            or not above(plan, edit.new_nodes).isdisjoint(causes)
        )
    ]
    uids = frozenset(uid for edit in operators for uid in (edit.uid, edit.old_uid) if uid)
    parts: list[Part] = [*sources, *sinks]
    changed = {node for edit in sinks for node in edit.new_nodes}
    tables = sink_tables(prepared.sinks)
    nodes = tuple(node for node in tables if node in changed or _takes_back(tables[node], astray))
    return Touched(uids, nodes, frozenset(named(part) for part in parts))


def _takes_back(table: TableSpec, astray: Collection[str]) -> bool:
    return table.identifier in astray and bool(table.primary_key and read_back(table))


def check_sinks(prepared: PreparedPlan, sinks: Collection[int], place: Callable[[str], str], where: str) -> None:
    """Refuse sinks whose tables cannot be corrected.

    Args:
        prepared: the program.
        sinks: the nodes of the sinks to correct.
        place: returns the full name of a path.
        where: the checkpoint.

    Raises:
        UpgradeError: names them all, each with its reason.
    """
    places = {sink.id: tuple(place_of(table_of(sink), place).items()) for sink in prepared.sinks}
    writers = Counter(places.values())
    reasons = [
        f"  - sink {sink_tables([sink])[sink.id].identifier}: {why}"
        for sink in prepared.sinks
        if sink.id in sinks
        for why in _faults(sink, writers[places[sink.id]])
    ]
    if reasons:
        kinds = sorted(
            name for name, spec in connector_specs().items() if spec.sink is not None and spec.sink.read_back
        )
        raise UpgradeError(
            "\n".join(("--upgrade correct: the past of these sinks cannot be corrected", *reasons)),
            where,
            f"write to a table with a primary key of a connector that can: {', '.join(kinds)}; or start with --upgrade "
            "migrate-partial, which leaves the past as it is",
        )


def read_back(table: TableSpec) -> str:
    """The way to read back the rows of a sink's table, in words; empty if there is none."""
    spec = connector_spec(table.options.get("connector", ""))
    return "" if spec is None or spec.sink is None else spec.sink.read_back


def _faults(sink: Sink, writers: int) -> Iterator[str]:
    table = sink_tables([sink])[sink.id]
    if not read_back(table):
        yield f"what its table has cannot be read from the connector {table.options.get('connector', '')}"
    elif not table.primary_key:
        yield "its table has no primary key, so that rows can only be added"
    if table.metadata:
        yield f"it writes the metadata {', '.join(key for key, _ in table.metadata)}, which rows read back do not have"
    if writers > 1:
        yield f"{writers} statements write into its table, so that its rows are not the result of one"
