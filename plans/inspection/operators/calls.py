"""Meanings of aggregate calls and orders, shared by several operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compiled_plan.plans.inspection.lineage.expressions import function_identity, function_name
from compiled_plan.plans.inspection.lineage.meaning import Meaning, compose, listed, listed_in_full, type_text
from compiled_plan.plans.nodes.specs import AggregateCall, SortField
from compiled_plan.plans.types import LogicalType

Columns = Callable[[int], Meaning]


def call_of(call: AggregateCall, column: Columns) -> Meaning:
    """The meaning of one aggregate call: function, arguments, DISTINCT, FILTER."""
    arguments = [column(at) for at in call.arg_list]
    filters = [column(call.filter_arg)] if call.filter_arg >= 0 else []
    if call.python is not None:
        names: object = ["python", function_identity(call.python)]
    elif (java := call.java_function) is not None:
        names = ["java", java.path]
    else:
        names = [call.internal_name, call.system_name, call.catalog_name, call.function_class]
    detail = [names, len(arguments), call.distinct, call.approximate, call.ignore_nulls, type_text(call.type)]
    return compose(
        "aggregate",
        (*arguments, *filters),
        detail,
        text=_text(call, listed(arguments), listed(filters)),
        full=f"{_text(call, listed_in_full(arguments), listed_in_full(filters))}: {type_text(call.type)}",
        plain=detail[:-1],
        type_=call.type,
        functions=() if (function := call.python or call.java_function) is None else (function,),
    )


def _text(call: AggregateCall, arguments: str, filters: str) -> str:
    function = call.python or call.java_function
    name = function.path if function else function_name(call.function) or "?"
    text = f"{name}({'DISTINCT ' if call.distinct else ''}{arguments or '*'})"
    return text + (f" FILTER (WHERE {filters})" if filters else "")


def calls_of(calls: Sequence[AggregateCall], column: Columns) -> list[Meaning]:
    return [call_of(call, column) for call in calls]


def results_of(calls: Sequence[Meaning], keys: Sequence[Meaning], origin: Meaning, how: str = "") -> list[Meaning]:
    """Meanings of the results of calls over groups."""
    by, by_full = listed(keys), listed_in_full(keys)
    return [
        compose(
            "result",
            (call, *keys, origin),
            how,
            text=f"{call.text} BY {by}" if by else call.text,
            full=f"{call.full} BY {by_full} OF {origin.full} {how}".rstrip(),
            type_=call.type,
        )
        for call in calls
    ]


def order_of(fields: Sequence[SortField], column: Columns) -> list[Meaning]:
    """The columns of an order, with direction and the position of nulls."""
    return [
        directed(column(field.index), ascending=field.is_ascending, nulls_last=field.null_is_last) for field in fields
    ]


def directed(column: Meaning, *, ascending: bool, nulls_last: bool) -> Meaning:
    how = f"{'ASC' if ascending else 'DESC'} NULLS {'LAST' if nulls_last else 'FIRST'}"
    return compose("order", (column,), how, text=f"{column.text} {how}", full=f"{column.full} {how}")


def type_at(types: Sequence[LogicalType], at: int) -> LogicalType | None:
    """The type of a column; None if the position does not exist."""
    return types[at] if 0 <= at < len(types) else None
