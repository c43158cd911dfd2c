"""Tables for late rows in a plan: each goes to the first operators with state that receive the rows of its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.planner.algebra.nodes import LateRows
from compiled_plan.planner.catalog.connectors import metadata_columns
from compiled_plan.planner.physical.base import make
from compiled_plan.planner.physical.catalog import table_of
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.inspection.late_rows import late_row, late_times
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.late_rows import LateTable, late_column_faults, metadata_column_faults
from compiled_plan.plans.nodes.scan import TableSourceScan
from compiled_plan.plans.plan import CompiledPlan
from compiled_plan.plans.trees import reached


@dataclass(frozen=True, slots=True)
class _Input:
    """An input of an operator with state."""

    node: int
    index: int


def with_late_rows(
    plan: CompiledPlan, requests: Mapping[int, LateRows], updates: Mapping[int, Sequence[bool]]
) -> CompiledPlan:
    """The plan with tables for late rows.

    Args:
        plan: the plan.
        requests: the tables, by the node of a scan.
        updates: by node, the inputs that may receive updates.

    Raises:
        ProgramError: no operator drops late rows of a table that a hint names, or a table cannot take them.
    """
    if not requests:
        return plan
    tables: dict[_Input, LateRows] = {}
    for scan, request in requests.items():
        dropping = [at for at in _first_inputs(plan, scan) if at.index in late_times(plan, plan.node(at.node))]
        if request.where and not dropping:
            raise ProgramError(
                f"no operator drops late rows of the table that the hint LATE_ROWS names, for {_name(request)}",
                where=request.where,
                remedy="windows, OVER, sorts, first rows and interval joins by rowtime, and MATCH_RECOGNIZE drop "
                "late rows; leave the hint out",
            )
        for at in dropping:
            if tables.setdefault(at, request).table != request.table:
                raise ProgramError(
                    f"{_operator(plan, at)} drops late rows for two tables, {_name(tables[at])} and {_name(request)}",
                    where=request.where,
                    remedy="name one table for all rows that the operator receives",
                )
    for at, request in tables.items():
        _check(plan, at, request, requests, updates[at.node][at.index])
    return plan.with_nodes([_with_tables(node, tables) for node in plan.nodes])


def _with_tables(node: PlanNode, tables: Mapping[_Input, LateRows]) -> PlanNode:
    own = sorted(
        ((at.index, request.table) for at, request in tables.items() if at.node == node.id), key=lambda x: x[0]
    )
    late = tuple(make(LateTable)(input=index, table=table_of(table)) for index, table in own)
    return node.model_copy(update={"late_rows": late}) if late else node


def _first_inputs(plan: CompiledPlan, scan: int) -> Iterator[_Input]:
    """The inputs of operators with state that rows of a scan reach through operators without state."""
    passing = reached([scan], lambda at: (above.id for above in plan.consumers(at) if not above.keeps_state))
    for below in passing:
        for above in plan.consumers(below):
            inputs = (index for index, node in enumerate(plan.inputs(above)) if node.id == below)
            yield from (_Input(above.id, index) for index in inputs if above.keeps_state)


def _check(plan: CompiledPlan, at: _Input, request: LateRows, requests: Mapping[int, LateRows], updates: bool) -> None:
    """Raise if a table cannot take the late rows of an input."""
    name, where = _name(request), request.where or str(request.table.identifier)
    for scan in plan.nodes:
        if isinstance(scan, TableSourceScan) and scan.id not in requests and at in _first_inputs(plan, scan.id):
            source = ".".join(scan.scan_table_source.table.path)
            raise ProgramError(
                f"{_operator(plan, at)} drops late rows for table {name}, and also receives rows of {source}",
                where=where,
                remedy=f"name {name} for the late rows of {source}, too",
            )
    row = late_row(plan, plan.node(at.node), at.index)
    faults = [
        *late_column_faults(name, request.table.physical_row(), row, updates=updates),
        *metadata_column_faults(name, [column.name for column in metadata_columns(request.table, writing=True)]),
    ]
    for fault in faults:
        raise ProgramError(fault.message, where=where, remedy=fault.remedy)


def _name(request: LateRows) -> str:
    return str(request.table.identifier)


def _operator(plan: CompiledPlan, at: _Input) -> str:
    return f"{plan.node(at.node).kind} (node {at.node})"
