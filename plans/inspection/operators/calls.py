"""What aggregate calls and orders mean, shared by the operators that have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compiled_plan.plans.inspection.lineage.expressions import function_name, of_python
from compiled_plan.plans.inspection.lineage.meaning import Meaning, listed, listed_in_full, made_of, type_text
from compiled_plan.plans.nodes.specs import AggregateCall, SortField
from compiled_plan.plans.types import LogicalType, TimeKind, TimestampBase

Columns = Callable[[int], Meaning]


def call_of(call: AggregateCall, column: Columns) -> Meaning:
    """One aggregate call: function, arguments, DISTINCT, FILTER."""
    arguments = [column(at) for at in call.arg_list]
    filters = [column(call.filter_arg)] if call.filter_arg >= 0 else []
    if call.python is not None:
        names: object = ["python", of_python(call.python)]
    else:
        names = [call.internal_name, call.system_name, call.catalog_name, call.function_class]
    detail = [names, len(arguments), call.distinct, call.approximate, call.ignore_nulls, type_text(call.type)]
    return made_of(
        "aggregate",
        (*arguments, *filters),
        detail,
        text=_text(call, listed(arguments), listed(filters)),
        full=f"{_text(call, listed_in_full(arguments), listed_in_full(filters))}: {type_text(call.type)}",
        plain=detail[:-1],
        type_=call.type,
        functions=() if call.python is None else (call.python,),
    )


def _text(call: AggregateCall, arguments: str, filters: str) -> str:
    name = call.python.path if call.python else function_name(call.function) or "?"
    text = f"{name}({'DISTINCT ' if call.distinct else ''}{arguments or '*'})"
    return text + (f" FILTER (WHERE {filters})" if filters else "")


def calls_of(calls: Sequence[AggregateCall], column: Columns) -> list[Meaning]:
    """Several calls in their order."""
    return [call_of(call, column) for call in calls]


def results_of(calls: Sequence[Meaning], keys: Sequence[Meaning], origin: Meaning, how: str = "") -> list[Meaning]:
    """What the results of calls over groups mean."""
    by, by_full = listed(keys), listed_in_full(keys)
    return [
        made_of(
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
    """The columns of an order, with direction and the place of nulls."""
    return [directed(column(each.index), ascending=each.is_ascending, nulls_last=each.null_is_last) for each in fields]


def directed(column: Meaning, *, ascending: bool, nulls_last: bool) -> Meaning:
    """A column of an order."""
    how = f"{'ASC' if ascending else 'DESC'} NULLS {'LAST' if nulls_last else 'FIRST'}"
    return made_of("order", (column,), how, text=f"{column.text} {how}", full=f"{column.full} {how}")


def type_at(types: Sequence[LogicalType], at: int) -> LogicalType | None:
    """The type of a column; None for one that is not there."""
    return types[at] if 0 <= at < len(types) else None


def is_rowtime(type_: LogicalType | None) -> bool:
    """Whether a column is an event time."""
    return isinstance(type_, TimestampBase) and type_.kind is TimeKind.ROWTIME
