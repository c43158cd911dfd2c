"""The public Python API: `import compiled_plan as cp`.

>>> import compiled_plan as cp
>>> plan = cp.compile_sql('''
...     CREATE TABLE orders (item STRING, price INT) WITH ('connector' = 'datagen');
...     CREATE TABLE dear (item STRING, price INT) WITH ('connector' = 'print');
...     INSERT INTO dear SELECT * FROM orders WHERE price > 100;
... ''')
>>> plan.write_file("dear.json")

A name is imported at its first use, so that a program loads only the modules that it needs. Importing this module
starts no JVM and imports no Spark. `planner`, `plans`, `schemas`, `cli` and `service` are top-level folders of the
repository, linked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiled_plan.plans.deferred import deferred_names
from compiled_plan.plans.version import product_version

# ruff: isort: skip_file
# `a as a` exports a name to type checkers; isort would write a line for each.
if TYPE_CHECKING:
    #: The release; empty if the package is not installed.
    __version__: str

    from compiled_plan.checkpoints import (
        export_savepoint as export_savepoint,
        export_state as export_state,
        inspect_key as inspect_key,
        inspect_state as inspect_state,
    )
    from compiled_plan.environment import (
        TableEnvironment as TableEnvironment,
    )
    from compiled_plan.planner.table.declared_schemas import (
        Schema as Schema,
    )
    from compiled_plan.planner.table.descriptors import (
        FormatDescriptor as FormatDescriptor,
        TableDescriptor as TableDescriptor,
    )
    from compiled_plan.planner.table.expressions.built_in import (
        count_star as count_star,
        current_date as current_date,
        current_time as current_time,
        current_timestamp as current_timestamp,
        json_array as json_array,
        json_array_agg as json_array_agg,
        json_object as json_object,
        json_object_agg as json_object_agg,
        lag as lag,
        lead as lead,
        local_time as local_time,
        local_timestamp as local_timestamp,
        log as log,
        negative as negative,
        rand_integer as rand_integer,
        temporal_overlaps as temporal_overlaps,
        timestamp_diff as timestamp_diff,
    )
    from compiled_plan.planner.table.expressions.expression import (
        Expression as Expression,
    )
    from compiled_plan.planner.table.expressions.functions import (
        and_ as and_,
        array as array,
        call as call,
        call_sql as call_sql,
        case as case,
        col as col,
        if_then_else as if_then_else,
        lit as lit,
        map_ as map_,
        not_ as not_,
        null_of as null_of,
        or_ as or_,
        range_ as range_,
        row as row,
        row_interval as row_interval,
        with_all_columns as with_all_columns,
        with_columns as with_columns,
        without_columns as without_columns,
    )
    from compiled_plan.planner.table.expressions.plain_functions import (
        atan2 as atan2,
        coalesce as coalesce,
        concat as concat,
        concat_ws as concat_ws,
        convert_tz as convert_tz,
        current_database as current_database,
        current_watermark as current_watermark,
        date_format as date_format,
        dense_rank as dense_rank,
        e as e,
        from_unixtime as from_unixtime,
        greatest as greatest,
        json_string as json_string,
        least as least,
        map_from_arrays as map_from_arrays,
        pi as pi,
        proctime as proctime,
        rand as rand,
        rank as rank,
        row_number as row_number,
        to_date as to_date,
        to_timestamp as to_timestamp,
        to_timestamp_ltz as to_timestamp_ltz,
        unix_timestamp as unix_timestamp,
        uuid as uuid,
    )
    from compiled_plan.planner.table.expressions.structured import (
        object_of as object_of,
    )
    from compiled_plan.planner.table.grouping import (
        GroupedTable as GroupedTable,
        OverWindowedTable as OverWindowedTable,
        WindowedTable as WindowedTable,
    )
    from compiled_plan.planner.table.schemas import (
        ResolvedSchema as ResolvedSchema,
    )
    from compiled_plan.planner.table.windows import (
        CURRENT_RANGE as CURRENT_RANGE,
        CURRENT_ROW as CURRENT_ROW,
        UNBOUNDED_RANGE as UNBOUNDED_RANGE,
        UNBOUNDED_ROW as UNBOUNDED_ROW,
        Cumulate as Cumulate,
        Over as Over,
        Session as Session,
        Slide as Slide,
        Tumble as Tumble,
    )
    from compiled_plan.plans.functions import (
        ANY as ANY,
        AggregateFunction as AggregateFunction,
        ArgumentCount as ArgumentCount,
        CallContext as CallContext,
        DataTypeHint as DataTypeHint,
        FunctionContext as FunctionContext,
        InputTypeStrategies as InputTypeStrategies,
        ScalarFunction as ScalarFunction,
        TableFunction as TableFunction,
        TypeInference as TypeInference,
        TypeStrategies as TypeStrategies,
        UserDefinedFunction as UserDefinedFunction,
        function_hint as function_hint,
    )
    from compiled_plan.plans.types.conversions.data_types import (
        DataType as DataType,
        DataTypes as DataTypes,
    )
    from compiled_plan.plans.types.converter import (
        DataTypeConverter as DataTypeConverter,
    )
    from compiled_plan.plans.types.row import (
        Row as Row,
        RowKind as RowKind,
    )
    from compiled_plan.programs import (
        compile_sql as compile_sql,
        load_plan as load_plan,
    )
    from compiled_plan.results.table_result import (
        JobClient as JobClient,
        TableResult as TableResult,
    )
    from compiled_plan.running.inserts import (
        StatementSet as StatementSet,
        TablePipeline as TablePipeline,
    )
    from compiled_plan.running.plans import (
        CompiledPlan as CompiledPlan,
        PlanReference as PlanReference,
    )
    from compiled_plan.table import (
        Table as Table,
    )

#: The public names by module. Type checkers read them above; `test_compiled_plan_public_names.py` compares both.
_NAMES = {
    "checkpoints": "export_savepoint export_state inspect_key inspect_state",
    "environment": "TableEnvironment",
    "planner.table.declared_schemas": "Schema",
    "planner.table.descriptors": "FormatDescriptor TableDescriptor",
    "planner.table.expressions.built_in": """
        count_star current_date current_time current_timestamp json_array json_array_agg json_object json_object_agg
        lag lead local_time local_timestamp log negative rand_integer temporal_overlaps timestamp_diff
    """,
    "planner.table.expressions.expression": "Expression",
    "planner.table.expressions.functions": """
        and_ array call call_sql case col if_then_else lit map_ not_ null_of or_ range_ row row_interval
        with_all_columns with_columns without_columns
    """,
    "planner.table.expressions.plain_functions": """
        atan2 coalesce concat concat_ws convert_tz current_database current_watermark date_format dense_rank e
        from_unixtime greatest json_string least map_from_arrays pi proctime rand rank row_number to_date
        to_timestamp to_timestamp_ltz unix_timestamp uuid
    """,
    "planner.table.expressions.structured": "object_of",
    "planner.table.grouping": "GroupedTable OverWindowedTable WindowedTable",
    "planner.table.schemas": "ResolvedSchema",
    "planner.table.windows": """
        CURRENT_RANGE CURRENT_ROW UNBOUNDED_RANGE UNBOUNDED_ROW Cumulate Over Session Slide Tumble
    """,
    "plans.functions": """
        ANY AggregateFunction ArgumentCount CallContext DataTypeHint FunctionContext InputTypeStrategies
        ScalarFunction TableFunction TypeInference TypeStrategies UserDefinedFunction function_hint
    """,
    "plans.types.conversions.data_types": "DataType DataTypes",
    "plans.types.converter": "DataTypeConverter",
    "plans.types.row": "Row RowKind",
    "programs": "compile_sql load_plan",
    "results.table_result": "JobClient TableResult",
    "running.inserts": "StatementSet TablePipeline",
    "running.plans": "CompiledPlan PlanReference",
    "table": "Table",
}
_HOMES = {name: f"compiled_plan.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)


_public = deferred_names(__name__, _HOMES)


def __getattr__(name: str) -> object:
    return product_version() if name == "__version__" else _public(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
