"""Rules of the table functions of correlates.

Source: `$UNNEST_ROWS$1`, `$UNNEST_ROWS_WITH_ORDINALITY$1` and `$REPLICATE_ROWS$1` in Flink 2.3's plans.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiled_plan.plans.findings import Fault
from compiled_plan.plans.nodes.rules import Columns, Path, expression_faults
from compiled_plan.plans.rex import Call, RexNode, java_function, python_function, type_of
from compiled_plan.plans.rex.typing import type_within
from compiled_plan.plans.types import (
    INT,
    ArrayType,
    FieldsType,
    LogicalType,
    MapType,
    MultisetType,
    NumericType,
    RowType,
)
from compiled_plan.plans.types.likeness import alike

_UNNEST, _ORDINALITY, _REPLICATE = "$UNNEST_ROWS$1", "$UNNEST_ROWS_WITH_ORDINALITY$1", "$REPLICATE_ROWS$1"
_NAMES = (_UNNEST, _ORDINALITY, _REPLICATE)


def function_columns(call: RexNode) -> Columns:
    """The columns of the rows that a call returns."""
    type_ = type_of(call)
    return type_.types if isinstance(type_, FieldsType) else (type_,)


def function_call(call: RexNode, row: RowType, path: Path) -> Iterator[Fault]:
    """Faults of a correlate's call over the columns of its input; $cor0 is the whole row."""
    if not isinstance(call, Call):
        yield Fault(path, "a table function must be a CALL", "call a table function")
        return
    wrong = [
        fault
        for at, operand in enumerate(call.operands)
        for fault in expression_faults(operand, row.types, (*path, "operands", at), outer=row)
    ]
    yield from wrong
    if wrong or python_function(call) is not None or java_function(call) is not None:
        return
    if call.name not in _NAMES:
        message = f"no table function is named {call.name!r}"
        yield Fault((*path, "internalName"), message, f"known: {', '.join(_NAMES)}", call.name)
        return
    types = [type_within(operand) for operand in call.operands]
    result = _result_columns(call.name, [type_ for type_ in types if type_ is not None])
    if result is None:
        shown = ", ".join(map(str, types))
        yield Fault((*path, "operands"), f"{call.name} does not take ({shown})", "give it a collection")
        return
    columns = function_columns(call)
    if len(columns) != len(result) or not all(map(alike, columns, result)):
        shown = ", ".join(map(str, result))
        yield Fault(
            (*path, "type"), f"{call.name} gives ({shown}), not {call.type}", "correct the type", str(call.type)
        )


def _result_columns(name: str, types: list[LogicalType]) -> Columns | None:
    """The result columns of a function for operand types; None if it does not accept them."""
    if name == _REPLICATE:
        return tuple(types[1:]) if len(types) > 1 and isinstance(types[0], NumericType) else None
    items = _items(types[0]) if len(types) == 1 else None
    return None if items is None else (*items, INT) if name == _ORDINALITY else items


def _items(type_: LogicalType) -> Columns | None:
    match type_:
        case ArrayType() | MultisetType():
            return type_.element.types if isinstance(type_.element, FieldsType) else (type_.element,)
        case MapType():
            return (type_.key, type_.value)
    return None
