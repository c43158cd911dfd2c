"""The names of PyFlink's Table API: `from compiled_plan.pyflink import ...` for `from pyflink.table import ...`.

>>> from compiled_plan.pyflink import EnvironmentSettings, TableEnvironment
>>> from compiled_plan.pyflink.expressions import col
>>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
>>> orders = t_env.from_elements([(1, "nut"), (2, "fig")], ["id", "item"])
>>> orders.where(col("id") > 1).select(col("item")).get_schema().get_field_names()
['item']

The names are those of this product's own Table API, and some more. A name that is not supported can be imported; its
use raises an error with the reason and the remedy. This folder is imported by this name alone, `compiled_plan.pyflink`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from compiled_plan.planner.diagnostics.refusing import refused_class
from compiled_plan.planner.options.option_methods import SqlDialect
from compiled_plan.planner.options.session import TableConfig
from compiled_plan.planner.table.changelog_modes import ChangelogMode
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.descriptors import FormatDescriptor, TableDescriptor
from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.resolved import ResolvedExpression
from compiled_plan.planner.table.grouping import AggregatedTable, GroupedTable, OverWindowedTable
from compiled_plan.planner.table.grouping import GroupedTable as WindowGroupedTable
from compiled_plan.planner.table.grouping import WindowedTable as GroupWindowedTable
from compiled_plan.planner.table.model_descriptors import ModelDescriptor
from compiled_plan.planner.table.table_schemas import TableSchema
from compiled_plan.plans.deferred import deferred_names
from compiled_plan.plans.types.conversions.data_type import DataType
from compiled_plan.plans.types.conversions.data_types import DataTypes
from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.row import RowKind
from compiled_plan.plans.types.views import ListView, MapView
from compiled_plan.pyflink.common.modules import provide
from compiled_plan.pyflink.environment import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from compiled_plan.results.kinds import ResultKind
from compiled_plan.results.table_result import Rows, TableResult
from compiled_plan.running.explaining import ExplainDetail
from compiled_plan.running.inserts import StatementSet, TablePipeline
from compiled_plan.running.plans import (
    BytesContentPlanReference,
    CompiledPlan,
    FilePlanReference,
    JsonContentPlanReference,
    PlanReference,
)
from compiled_plan.session.modules import ModuleEntry
from compiled_plan.table import Table

if TYPE_CHECKING:
    from compiled_plan.pyflink.udf import (
        AggregateFunction,
        AsyncScalarFunction,
        FunctionContext,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
    )


class DataView(ABC):
    """Base of `ListView` and `MapView`."""

    @abstractmethod
    def clear(self) -> None:
        """Remove all elements of the view from the state."""


DataView.register(ListView)
DataView.register(MapView)

_MODULES = "a module of Java provides functions to Flink alone", "register the functions that the program calls by name"
Module = refused_class("Module", *_MODULES)
HiveModule = refused_class("HiveModule", *_MODULES)
UserDefinedType = refused_class(
    "UserDefinedType",
    "columns have types of SQL",
    "give the class to DataTypes.STRUCTURED, or a type with a converter: DataTypes.STRING().bridged_to(cls, converter)",
)

#: Names of `pyflink.table.udf`, which load the inference of functions when they are used.
_FUNCTIONS = (
    "AggregateFunction",
    "AsyncScalarFunction",
    "FunctionContext",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
)

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "ChangelogMode",
    "CompiledPlan",
    "DataTypes",
    "DataView",
    "EnvironmentSettings",
    "ExplainDetail",
    "Expression",
    "FormatDescriptor",
    "FunctionContext",
    "GroupWindowedTable",
    "GroupedTable",
    "ListView",
    "MapView",
    "Module",
    "ModuleEntry",
    "OverWindowedTable",
    "PlanReference",
    "ResultKind",
    "Row",
    "RowKind",
    "ScalarFunction",
    "Schema",
    "SqlDialect",
    "StatementSet",
    "StreamTableEnvironment",
    "Table",
    "TableAggregateFunction",
    "TableConfig",
    "TableDescriptor",
    "TableEnvironment",
    "TableFunction",
    "TablePipeline",
    "TableResult",
    "TableSchema",
    "UserDefinedType",
    "WindowGroupedTable",
]

__getattr__ = deferred_names(__name__, dict.fromkeys(_FUNCTIONS, "compiled_plan.pyflink.udf"))


provide(f"{__name__}.changelog_mode", ChangelogMode=ChangelogMode)
provide(f"{__name__}.compiled_plan", CompiledPlan=CompiledPlan)
provide(f"{__name__}.data_view", DataView=DataView, ListView=ListView, MapView=MapView)
provide(f"{__name__}.environment_settings", EnvironmentSettings=EnvironmentSettings)
provide(f"{__name__}.explain_detail", ExplainDetail=ExplainDetail)
provide(f"{__name__}.model_descriptor", ModelDescriptor=ModelDescriptor)
provide(f"{__name__}.module", HiveModule=HiveModule, Module=Module, ModuleEntry=ModuleEntry)
provide(
    f"{__name__}.plan_reference",
    PlanReference=PlanReference,
    FilePlanReference=FilePlanReference,
    JsonContentPlanReference=JsonContentPlanReference,
    BytesContentPlanReference=BytesContentPlanReference,
)
provide(f"{__name__}.resolved_expression", ResolvedExpression=ResolvedExpression)
provide(f"{__name__}.result_kind", ResultKind=ResultKind)
provide(f"{__name__}.schema", Schema=Schema)
provide(f"{__name__}.sql_dialect", SqlDialect=SqlDialect)
provide(f"{__name__}.statement_set", StatementSet=StatementSet)
provide(
    f"{__name__}.table",
    Table=Table,
    AggregatedTable=AggregatedTable,
    FlatAggregateTable=AggregatedTable,
    GroupedTable=GroupedTable,
    GroupWindowedTable=GroupWindowedTable,
    OverWindowedTable=OverWindowedTable,
    WindowGroupedTable=WindowGroupedTable,
)
provide(f"{__name__}.table_schema", TableSchema=TableSchema)
provide(f"{__name__}.table_config", TableConfig=TableConfig)
provide(f"{__name__}.table_descriptor", FormatDescriptor=FormatDescriptor, TableDescriptor=TableDescriptor)
provide(
    f"{__name__}.table_environment", StreamTableEnvironment=StreamTableEnvironment, TableEnvironment=TableEnvironment
)
provide(f"{__name__}.table_pipeline", TablePipeline=TablePipeline)
provide(f"{__name__}.table_result", CloseableIterator=Rows, TableResult=TableResult)
provide(
    f"{__name__}.types",
    DataType=DataType,
    DataTypes=DataTypes,
    Row=Row,
    RowKind=RowKind,
    UserDefinedType=UserDefinedType,
)
