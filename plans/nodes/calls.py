"""Rules of aggregate calls: number and kinds of arguments, filters, results.

Source: Flink's built-in aggregate functions by their names in plans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiled_plan.plans.findings import Fault, did_you_mean, refusal
from compiled_plan.plans.nodes.rules import Columns, Path, index, is_ordered
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.rex.signatures import SYNTAXES
from compiled_plan.plans.types import (
    INT,
    ArrayType,
    BitmapType,
    BooleanType,
    CharacterType,
    IntegerType,
    LogicalType,
    MapType,
    MultisetType,
    NumericType,
)
from compiled_plan.plans.types.likeness import alike

_Types = tuple[LogicalType, ...]


@dataclass(frozen=True, slots=True)
class _Function:
    """Number and kinds of a function's arguments, and its result; `over`: in OVER windows only."""

    least: int
    most: int
    takes: Callable[[_Types], bool]
    gives: Callable[[_Types, LogicalType], bool]
    over: bool = False


def _number(types: _Types) -> bool:
    return isinstance(types[0], NumericType)


def _any(types: _Types) -> bool:
    return True


def _text(types: _Types) -> bool:
    return isinstance(types[0], CharacterType)


def _texts(types: _Types) -> bool:
    return all(isinstance(type_, CharacterType) for type_ in types)


def _same(types: _Types, result: LogicalType) -> bool:
    return alike(types[0], result)


def _gives(kind: type[LogicalType]) -> Callable[[_Types, LogicalType], bool]:
    return lambda types, result: isinstance(result, kind)


def _array_of(types: _Types, result: LogicalType) -> bool:
    return isinstance(result, ArrayType) and alike(types[0], result.element)


def _multiset_of(types: _Types, result: LogicalType) -> bool:
    return isinstance(result, MultisetType) and alike(types[0], result.element)


def _offset(types: _Types) -> bool:
    return all(isinstance(type_, NumericType) for type_ in types[1:2])


def _percentile(types: _Types) -> bool:
    second = types[1].element if isinstance(types[1], ArrayType) else types[1]
    third = types[2:] == () or isinstance(types[2], IntegerType)
    return isinstance(types[0], NumericType) and isinstance(second, NumericType) and third


def _percentiles(types: _Types, result: LogicalType) -> bool:
    inner = result.element if isinstance(result, ArrayType) else result
    return isinstance(result, ArrayType) == isinstance(types[1], ArrayType) and isinstance(inner, NumericType)


def _member(types: _Types) -> bool:
    return isinstance(types[0], IntegerType) and types[0].BITS == INT.BITS


def _bitmap(types: _Types) -> bool:
    return isinstance(types[0], BitmapType)


_NUMBER_OF_ROWS = _Function(0, 0, _any, _gives(IntegerType), over=True)
_JSON_OBJECT = _Function(2, 2, _text, _gives(CharacterType))
_JSON_ARRAY = _Function(1, 1, _any, _gives(CharacterType))
_EXTREMUM = _Function(1, 1, lambda types: is_ordered(types[0]), _same)

FUNCTIONS: Mapping[str, _Function] = {
    "$COUNT$1": _Function(0, 64, _any, _gives(IntegerType)),
    "$SUM$1": _Function(1, 1, _number, _gives(NumericType)),
    "$$SUM0$1": _Function(1, 1, _number, _gives(NumericType)),
    "$AVG$1": _Function(1, 1, _number, _gives(NumericType)),
    "$MIN$1": _EXTREMUM,
    "$MAX$1": _EXTREMUM,
    "$FIRST_VALUE$1": _Function(1, 1, _any, _same),
    "$LAST_VALUE$1": _Function(1, 1, _any, _same),
    "$SINGLE_VALUE$1": _Function(1, 1, _any, _same),
    "$LISTAGG$1": _Function(1, 2, _texts, _gives(CharacterType)),
    "$ARRAY_AGG$1": _Function(1, 1, _any, _array_of),
    "$COLLECT$1": _Function(1, 1, _any, _multiset_of),
    "$PERCENTILE$1": _Function(2, 3, _percentile, _percentiles),
    "$$WELFORD_M2$1$1": _Function(1, 1, _number, _gives(NumericType)),
    "$JSON_OBJECTAGG_NULL_ON_NULL$1": _JSON_OBJECT,
    "$JSON_OBJECTAGG_ABSENT_ON_NULL$1": _JSON_OBJECT,
    "$JSON_ARRAYAGG_NULL_ON_NULL$1": _JSON_ARRAY,
    "$JSON_ARRAYAGG_ABSENT_ON_NULL$1": _JSON_ARRAY,
    **{
        f"$BITMAP_{operation}_{result}$1": _Function(1, 1, _member if operation == "BUILD" else _bitmap, _gives(kind))
        for operation in ("BUILD", "AND", "OR", "XOR")
        for result, kind in (("AGG", BitmapType), ("CARDINALITY_AGG", IntegerType))
    },
    "$ROW_NUMBER$1": _NUMBER_OF_ROWS,
    "$RANK$1": _Function(0, 64, _any, _gives(IntegerType), over=True),
    "$DENSE_RANK$1": _Function(0, 64, _any, _gives(IntegerType), over=True),
    "$LAG$1": _Function(1, 3, _offset, _same, over=True),
}
#: Functions of Flink that are not supported here.
_NOT_RUN = frozenset(f"${name}$1" for name in "LEAD NTILE PERCENT_RANK CUME_DIST APPROX_COUNT_DISTINCT".split())


def calls(items: Sequence[AggregateCall], columns: Columns, path: Path, *, over: bool = False) -> Iterator[Fault]:
    """Faults of aggregate calls over columns; with `over`, of calls on an OVER window."""
    for at, item in enumerate(items):
        yield from _call(item, columns, (*path, at), over)


def _call(item: AggregateCall, columns: Columns, path: Path, over: bool) -> Iterator[Fault]:
    faults = [fault for at, arg in enumerate(item.arg_list) for fault in index(arg, columns, (*path, "argList", at))]
    yield from faults
    filters = list(index(item.filter_arg, columns, (*path, "filterArg"), none=-1))
    yield from filters
    if not filters and item.filter_arg >= 0 and not isinstance(columns[item.filter_arg], BooleanType):
        message = f"the filter is column {item.filter_arg} of type {columns[item.filter_arg]}, which is not BOOLEAN"
        yield Fault((*path, "filterArg"), message, "name a BOOLEAN column, or -1 for none", item.filter_arg)
    if item.syntax is not None and item.syntax not in SYNTAXES:
        message = f"unknown value {item.syntax!r} for `syntax`"
        yield Fault((*path, "syntax"), message, f"known: {', '.join(SYNTAXES)}", item.syntax)
    if item.internal_name is None:
        if item.python is None and item.java_function is None:
            yield Fault((*path, "internalName"), "the call names no function", "add `internalName`")
        return
    if item.internal_name in _NOT_RUN:
        message = f"the aggregate function {item.internal_name[1:-2]} does not run here"
        yield refusal((*path, "internalName"), message, "write the query without it", item.internal_name)
        return
    function = FUNCTIONS.get(item.internal_name)
    if function is None or (function.over and not over):
        where = "" if function is None else " outside of OVER"
        message = f"no aggregate function is named {item.internal_name!r}{where}"
        remedy = did_you_mean(item.internal_name, FUNCTIONS, "use a function that is known here")
        # As with scalar functions, it may be a function of Flink that is not supported here.
        editable = function is None and not remedy.startswith("did")
        yield Fault((*path, "internalName"), message, remedy, item.internal_name, editable)
    elif not faults:
        yield from _signature(item, function, tuple(columns[arg] for arg in item.arg_list), path)


def _signature(item: AggregateCall, function: _Function, types: _Types, path: Path) -> Iterator[Fault]:
    name = str(item.internal_name).removeprefix("$").removesuffix("$1")
    if not function.least <= len(types) <= function.most:
        wanted = str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
        message = f"{name} has {len(types)} arguments, and takes {wanted}"
        yield Fault((*path, "argList"), message, "correct the arguments", list(item.arg_list))
    elif not function.takes(types):
        message = f"{name} does not take ({', '.join(map(str, types))})"
        yield Fault((*path, "argList"), message, "name columns of other types", list(item.arg_list))
    elif not function.gives(types, item.type):
        message = f"{name} of ({', '.join(map(str, types))}) does not give {item.type}"
        yield Fault((*path, "type"), message, "correct the type", str(item.type))
    if item.distinct and any(isinstance(type_, MapType | MultisetType) for type_ in types):
        yield Fault((*path, "distinct"), f"{name} of distinct values of {types[0]}", "remove `distinct`", True)
