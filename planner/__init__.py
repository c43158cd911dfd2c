"""Table programs to plans: SQL, and the Table API. Imports no Spark and starts no JVM.

What a program in Python uses is here: `from planner import TableEnvironment, col, lit`. Each name is imported when it
is first used, so that a program in SQL pays for none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.environment import TableEnvironment
    from planner.table.descriptors import Schema, TableDescriptor
    from planner.table.expressions.built_in import (
        atan2,
        concat,
        concat_ws,
        convert_tz,
        count_star,
        current_database,
        current_date,
        current_time,
        current_timestamp,
        current_watermark,
        date_format,
        dense_rank,
        e,
        from_unixtime,
        greatest,
        json_array,
        json_array_agg,
        json_object,
        json_object_agg,
        json_string,
        lag,
        lead,
        least,
        local_time,
        local_timestamp,
        log,
        negative,
        pi,
        proctime,
        rand,
        rand_integer,
        rank,
        row_number,
        temporal_overlaps,
        timestamp_diff,
        to_date,
        to_timestamp,
        to_timestamp_ltz,
        unix_timestamp,
        uuid,
    )
    from planner.table.expressions.expression import Expression
    from planner.table.expressions.functions import (
        and_,
        array,
        call,
        call_sql,
        case,
        coalesce,
        col,
        if_then_else,
        lit,
        map_,
        map_from_arrays,
        not_,
        null_of,
        or_,
        range_,
        row,
        row_interval,
        with_all_columns,
        with_columns,
        without_columns,
    )
    from planner.table.expressions.objects import object_of
    from planner.table.grouping import GroupedTable, OverWindowedTable, WindowedTable
    from planner.table.inserts import StatementSet, TablePipeline
    from planner.table.schemas import ResolvedSchema
    from planner.table.table import Table
    from planner.table.windows import (
        CURRENT_RANGE,
        CURRENT_ROW,
        UNBOUNDED_RANGE,
        UNBOUNDED_ROW,
        Cumulate,
        Over,
        Session,
        Slide,
        Tumble,
    )
    from plans.functions import (
        ANY,
        AggregateFunction,
        ArgumentCount,
        CallContext,
        DataTypeHint,
        FunctionContext,
        InputTypeStrategies,
        ScalarFunction,
        TableFunction,
        TypeInference,
        TypeStrategies,
        UserDefinedFunction,
        function_hint,
    )
    from plans.plan import CompiledPlan
    from plans.references import PlanReference
    from plans.results import JobClient, TableResult
    from plans.types.conversions.converter import DataTypeConverter
    from plans.types.data_types import DataType, DataTypes
    from plans.types.row import Row, RowKind

_FUNCTIONS = """
    and_ array call call_sql case coalesce col if_then_else lit map_ map_from_arrays not_ null_of or_ range_ row
    row_interval with_all_columns with_columns without_columns
"""
_BUILT_IN = """
    atan2 concat concat_ws convert_tz count_star current_database current_date current_time current_timestamp
    current_watermark date_format dense_rank e from_unixtime greatest json_array json_array_agg json_object
    json_object_agg json_string lag lead least local_time local_timestamp log negative pi proctime rand
    rand_integer rank row_number temporal_overlaps timestamp_diff to_date to_timestamp to_timestamp_ltz
    unix_timestamp uuid
"""
_WINDOWS = "CURRENT_RANGE CURRENT_ROW Cumulate Over Session Slide Tumble UNBOUNDED_RANGE UNBOUNDED_ROW"

_USER_FUNCTIONS = """
    ANY AggregateFunction ArgumentCount CallContext DataTypeHint FunctionContext InputTypeStrategies ScalarFunction
    TableFunction TypeInference TypeStrategies UserDefinedFunction function_hint
"""

#: Where each public name is.
_HOMES = {
    **dict.fromkeys(_FUNCTIONS.split(), "planner.table.expressions.functions"),
    **dict.fromkeys(_BUILT_IN.split(), "planner.table.expressions.built_in"),
    **dict.fromkeys(_WINDOWS.split(), "planner.table.windows"),
    **dict.fromkeys(_USER_FUNCTIONS.split(), "plans.functions"),
    "CompiledPlan": "plans.plan",
    "Expression": "planner.table.expressions.expression",
    "GroupedTable": "planner.table.grouping",
    "OverWindowedTable": "planner.table.grouping",
    "PlanReference": "plans.references",
    "ResolvedSchema": "planner.table.schemas",
    "Schema": "planner.table.descriptors",
    "StatementSet": "planner.table.inserts",
    "Table": "planner.table.table",
    "TableDescriptor": "planner.table.descriptors",
    "TableEnvironment": "planner.environment",
    "TablePipeline": "planner.table.inserts",
    "WindowedTable": "planner.table.grouping",
    "object_of": "planner.table.expressions.objects",
    "DataType": "plans.types.data_types",
    "DataTypes": "plans.types.data_types",
    "DataTypeConverter": "plans.types.conversions.converter",
    "Row": "plans.types.row",
    "RowKind": "plans.types.row",
    "JobClient": "plans.results",
    "TableResult": "plans.results",
}

__all__ = [
    "ANY",
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "AggregateFunction",
    "ArgumentCount",
    "CallContext",
    "CompiledPlan",
    "Cumulate",
    "DataType",
    "DataTypeConverter",
    "DataTypeHint",
    "DataTypes",
    "Expression",
    "FunctionContext",
    "GroupedTable",
    "InputTypeStrategies",
    "JobClient",
    "Over",
    "OverWindowedTable",
    "PlanReference",
    "ResolvedSchema",
    "Row",
    "RowKind",
    "ScalarFunction",
    "Schema",
    "Session",
    "Slide",
    "StatementSet",
    "Table",
    "TableDescriptor",
    "TableEnvironment",
    "TableFunction",
    "TablePipeline",
    "TableResult",
    "Tumble",
    "TypeInference",
    "TypeStrategies",
    "UserDefinedFunction",
    "WindowedTable",
    "and_",
    "array",
    "atan2",
    "call",
    "call_sql",
    "case",
    "coalesce",
    "col",
    "concat",
    "concat_ws",
    "convert_tz",
    "count_star",
    "current_database",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "dense_rank",
    "e",
    "from_unixtime",
    "function_hint",
    "greatest",
    "if_then_else",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lag",
    "lead",
    "least",
    "lit",
    "local_time",
    "local_timestamp",
    "log",
    "map_",
    "map_from_arrays",
    "negative",
    "not_",
    "null_of",
    "object_of",
    "or_",
    "pi",
    "proctime",
    "rand",
    "rand_integer",
    "range_",
    "rank",
    "row",
    "row_interval",
    "row_number",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
    "uuid",
    "with_all_columns",
    "with_columns",
    "without_columns",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'planner' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
