"""TO_CHANGELOG and FROM_CHANGELOG: changes to rows with an operation code, and back.

Source: Flink 2.3's plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiled_plan.planner.algebra.changelogs import ChangelogFunction
from compiled_plan.planner.physical.base import (
    NewColumns,
    NodeContext,
    OperatorPlanner,
    PhysicalOperator,
    lowers,
    make,
    unsupported,
)
from compiled_plan.planner.physical.describe import rex_text, type_text
from compiled_plan.planner.physical.traits import ModifyKinds, Traits, UpdateKind, row_kinds
from compiled_plan.plans.nodes.base import PlanNode
from compiled_plan.plans.nodes.process_table_function import FROM, KINDS, TO, Direction
from compiled_plan.plans.nodes.process_table_function import ProcessTableFunction as ProcessTableFunctionNode
from compiled_plan.plans.rex import RexNode, rex_to_json
from compiled_plan.plans.types import type_to_json

_DEFAULTS = {
    "op": "DESCRIPTOR",
    "op_mapping": "MAP<VARCHAR(2147483647), VARCHAR(2147483647)>",
    "on_time": "DESCRIPTOR",
    "uid": "VARCHAR(2147483647)",
}


@dataclass(frozen=True, slots=True)
class PhysicalProcessTableFunction(NewColumns):
    """A call of TO_CHANGELOG or FROM_CHANGELOG."""

    BY_WHOLE_ROW = True

    direction: Direction
    column: str | None
    mapping: RexNode | None
    on_time: str | None
    uid: str | None

    @property
    def needs_watermark(self) -> bool:
        return True

    def modify_kinds(self, inputs: tuple[Traits, ...]) -> ModifyKinds:
        inserts = inputs[0].modify_kinds.insert_only
        if self.on_time is not None and not (inserts and self.direction == "TO"):
            raise unsupported(
                "on_time of a changelog function that receives or sends updates",
                remedy="leave on_time out: the time is among the columns, and updates have no event time",
            )
        if self.direction == "TO":
            return ModifyKinds.INSERT
        if not inserts:
            raise unsupported("FROM_CHANGELOG over a table that is updated", remedy="give it a table of inserts")
        return ModifyKinds.ALL

    def required_updates(self, wanted: UpdateKind, inputs: tuple[Traits, ...]) -> tuple[UpdateKind, ...] | None:
        return None if wanted is UpdateKind.AFTER else (UpdateKind.BOTH,)

    def plan_node(self, at: NodeContext) -> PlanNode:
        received = row_kinds(at.inputs[0].modify_kinds, UpdateKind.BOTH)
        return make(ProcessTableFunctionNode)(
            **self.header(at),
            uid=self.uid,
            function_call=self._call(),
            input_changelog_modes=(received,),
            output_changelog_mode=("INSERT",) if self.direction == "TO" else KINDS,
        )

    def _call(self) -> dict[str, object]:
        table = {
            "kind": "TABLE_ARG_CALL",
            "inputIndex": 0,
            "partitionKeys": [],
            "orderKeys": [],
            "orderDirections": [],
            "type": type_to_json(self.input.row_type.with_nullability(False)),
        }
        operands: dict[str, object] = {name: _default(type_) for name, type_ in _DEFAULTS.items()}
        for name, column in (("op", self.column), ("on_time", self.on_time)):
            if column is not None:
                operands[name] = {
                    "kind": "CALL",
                    "internalName": "$DESCRIPTOR$1",
                    "operands": [_text(column)],
                    "type": "DESCRIPTOR NOT NULL",
                }
        if self.mapping is not None:
            operands["op_mapping"] = rex_to_json(self.mapping)
        if self.uid is not None:
            operands["uid"] = _text(self.uid)
        return {
            "kind": "CALL",
            "internalName": TO if self.direction == "TO" else FROM,
            "operands": [table, *operands.values()],
            "type": type_to_json(self.row_type.with_nullability(False)),
        }

    def title(self) -> str:
        operands = [
            _descriptor(self.column),
            "DEFAULT()" if self.mapping is None else rex_text(self.mapping, ()),
            _descriptor(self.on_time),
            "DEFAULT()" if self.uid is None else f"_UTF-16LE'{self.uid}'",
        ]
        columns = ", ".join(f"{type_text(field.type)} {field.name}" for field in self.columns.fields)
        return (
            f"ProcessTableFunction(invocation=[{self.direction}_CHANGELOG(TABLE(#0), {', '.join(operands)})], "
            f"uid=[{self.uid or 'null'}], select=[{','.join(self.columns.names)}], rowType=[RecordType({columns})])"
        )


def _descriptor(column: str | None) -> str:
    return "DEFAULT()" if column is None else f"DESCRIPTOR(_UTF-16LE'{column}')"


def _default(type_: str) -> dict[str, object]:
    return {"kind": "CALL", "syntax": "SPECIAL", "internalName": "$DEFAULT$1", "type": type_}


def _text(value: str) -> dict[str, object]:
    return {"kind": "LITERAL", "value": value, "type": f"CHAR({len(value)}) NOT NULL"}


@lowers(ChangelogFunction)
def _lower(rel: ChangelogFunction, at: OperatorPlanner) -> PhysicalOperator:
    return PhysicalProcessTableFunction(
        at.lower(rel.input), rel.direction, rel.column, rel.mapping, rel.on_time, rel.uid, columns=rel.row_type
    )
