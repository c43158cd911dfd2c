"""The public Python API: `import compiled_plan as cp`.

>>> import compiled_plan as cp
>>> plan = cp.compile_sql('''
...     CREATE TABLE orders (item STRING, price INT) WITH ('connector' = 'datagen');
...     CREATE TABLE dear (item STRING, price INT) WITH ('connector' = 'print');
...     INSERT INTO dear SELECT * FROM orders WHERE price > 100;
... ''')
>>> plan.write_file("dear.json")

A name is imported at its first use, so that a program loads only the modules that it needs. Importing this module
starts no JVM and imports no Spark. The subpackages are the top-level folders of the repository.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    #: The release; empty if the package is not installed.
    __version__: str

    from compiled_plan.checkpoints import export_savepoint, export_state, inspect_key, inspect_state
    from compiled_plan.environment import TableEnvironment
    from compiled_plan.planner.table.declared_schemas import Schema
    from compiled_plan.planner.table.descriptors import FormatDescriptor, TableDescriptor
    from compiled_plan.planner.table.expressions.built_in import (
        count_star,
        current_date,
        current_time,
        current_timestamp,
        json_array,
        json_array_agg,
        json_object,
        json_object_agg,
        lag,
        lead,
        local_time,
        local_timestamp,
        log,
        negative,
        rand_integer,
        temporal_overlaps,
        timestamp_diff,
    )
    from compiled_plan.planner.table.expressions.expression import Expression
    from compiled_plan.planner.table.expressions.functions import (
        and_,
        array,
        call,
        call_sql,
        case,
        col,
        if_then_else,
        lit,
        map_,
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
    from compiled_plan.planner.table.expressions.plain_functions import (
        atan2,
        coalesce,
        concat,
        concat_ws,
        convert_tz,
        current_database,
        current_watermark,
        date_format,
        dense_rank,
        e,
        from_unixtime,
        greatest,
        json_string,
        least,
        map_from_arrays,
        pi,
        proctime,
        rand,
        rank,
        row_number,
        to_date,
        to_timestamp,
        to_timestamp_ltz,
        unix_timestamp,
        uuid,
    )
    from compiled_plan.planner.table.expressions.structured import object_of
    from compiled_plan.planner.table.grouping import GroupedTable, OverWindowedTable, WindowedTable
    from compiled_plan.planner.table.schemas import ResolvedSchema
    from compiled_plan.planner.table.windows import (
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
    from compiled_plan.plans.functions import (
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
    from compiled_plan.plans.types.conversions.data_types import DataType, DataTypes
    from compiled_plan.plans.types.converter import DataTypeConverter
    from compiled_plan.plans.types.row import Row, RowKind
    from compiled_plan.programs import compile_sql, load_plan
    from compiled_plan.results.table_result import JobClient, TableResult
    from compiled_plan.running.inserts import StatementSet, TablePipeline
    from compiled_plan.running.plans import CompiledPlan, PlanReference
    from compiled_plan.table import Table

_FUNCTIONS = """
    and_ array call call_sql case col if_then_else lit map_ not_ null_of or_ range_ row row_interval with_all_columns
    with_columns without_columns
"""
_BUILT_IN = """
    count_star current_date current_time current_timestamp json_array json_array_agg json_object json_object_agg lag
    lead local_time local_timestamp log negative rand_integer temporal_overlaps timestamp_diff
"""
_PLAIN = """
    atan2 coalesce concat concat_ws convert_tz current_database current_watermark date_format dense_rank e from_unixtime
    greatest json_string least map_from_arrays pi proctime rand rank row_number to_date to_timestamp to_timestamp_ltz
    unix_timestamp uuid
"""
_WINDOWS = "CURRENT_RANGE CURRENT_ROW Cumulate Over Session Slide Tumble UNBOUNDED_RANGE UNBOUNDED_ROW"

_USER_FUNCTIONS = """
    ANY AggregateFunction ArgumentCount CallContext DataTypeHint FunctionContext InputTypeStrategies ScalarFunction
    TableFunction TypeInference TypeStrategies UserDefinedFunction function_hint
"""

#: The module of each public name.
_HOMES = {
    **dict.fromkeys(_FUNCTIONS.split(), "compiled_plan.planner.table.expressions.functions"),
    **dict.fromkeys(_BUILT_IN.split(), "compiled_plan.planner.table.expressions.built_in"),
    **dict.fromkeys(_PLAIN.split(), "compiled_plan.planner.table.expressions.plain_functions"),
    **dict.fromkeys(_WINDOWS.split(), "compiled_plan.planner.table.windows"),
    **dict.fromkeys(_USER_FUNCTIONS.split(), "compiled_plan.plans.functions"),
    "CompiledPlan": "compiled_plan.running.plans",
    "FormatDescriptor": "compiled_plan.planner.table.descriptors",
    "Expression": "compiled_plan.planner.table.expressions.expression",
    "GroupedTable": "compiled_plan.planner.table.grouping",
    "OverWindowedTable": "compiled_plan.planner.table.grouping",
    "PlanReference": "compiled_plan.running.plans",
    "ResolvedSchema": "compiled_plan.planner.table.schemas",
    "Schema": "compiled_plan.planner.table.declared_schemas",
    "StatementSet": "compiled_plan.running.inserts",
    "Table": "compiled_plan.table",
    "TableDescriptor": "compiled_plan.planner.table.descriptors",
    "TableEnvironment": "compiled_plan.environment",
    "TablePipeline": "compiled_plan.running.inserts",
    "WindowedTable": "compiled_plan.planner.table.grouping",
    "compile_sql": "compiled_plan.programs",
    "export_savepoint": "compiled_plan.checkpoints",
    "export_state": "compiled_plan.checkpoints",
    "inspect_key": "compiled_plan.checkpoints",
    "inspect_state": "compiled_plan.checkpoints",
    "load_plan": "compiled_plan.programs",
    "object_of": "compiled_plan.planner.table.expressions.structured",
    "DataType": "compiled_plan.plans.types.conversions.data_types",
    "DataTypes": "compiled_plan.plans.types.conversions.data_types",
    "DataTypeConverter": "compiled_plan.plans.types.converter",
    "Row": "compiled_plan.plans.types.row",
    "RowKind": "compiled_plan.plans.types.row",
    "JobClient": "compiled_plan.results.table_result",
    "TableResult": "compiled_plan.results.table_result",
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
    "FormatDescriptor",
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
    "compile_sql",
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
    "export_savepoint",
    "export_state",
    "from_unixtime",
    "function_hint",
    "greatest",
    "if_then_else",
    "inspect_key",
    "inspect_state",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lag",
    "lead",
    "least",
    "lit",
    "load_plan",
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
    if name == "__version__":
        from compiled_plan.plans.version import product_version

        return product_version()
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'compiled_plan' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
