"""The names of `pyflink.common`: `from compiled_plan.pyflink.common import Row`."""

from __future__ import annotations

from concurrent.futures import Future as CompletableFuture

from compiled_plan.planner.diagnostics.refusing import refused_class
from compiled_plan.planner.options.configuration import ConfigOption, ConfigOptions, Configuration
from compiled_plan.plans.types.mutable_row import MutableRow as Row
from compiled_plan.plans.types.row import RowKind
from compiled_plan.pyflink.common.modules import provide
from compiled_plan.pyflink.common.time import Duration, Instant, Time
from compiled_plan.pyflink.common.typeinfo import TypeInformation, Types
from compiled_plan.results.kinds import JobExecutionResult, JobStatus
from compiled_plan.results.table_result import JobClient


class JobID(str):
    """The id of a run, 32 hexadecimal digits."""

    __slots__ = ()


_STREAMS = "it is of the DataStream API"
_TABLES = "read and write tables: TableDescriptor.for_connector(...), with .format(...) for the bytes"
_RESTARTS = "a failed run ends, and its checkpoint has the state of its last micro-batch"
_AGAIN = "start it again with the same checkpoint, by the service (`restart`) or a supervisor such as systemd"

SerializationSchema = refused_class("SerializationSchema", _STREAMS, _TABLES)
DeserializationSchema = refused_class("DeserializationSchema", _STREAMS, _TABLES)
SimpleStringSchema = refused_class("SimpleStringSchema", _STREAMS, _TABLES)
ByteArraySchema = refused_class("ByteArraySchema", _STREAMS, _TABLES)
Encoder = refused_class("Encoder", _STREAMS, _TABLES)
BulkWriterFactory = refused_class("BulkWriterFactory", _STREAMS, _TABLES)
RowFieldExtractorSchema = refused_class("RowFieldExtractorSchema", _STREAMS, _TABLES)
InputFormat = refused_class("InputFormat", _STREAMS, _TABLES)
TypeSerializer = refused_class("TypeSerializer", _STREAMS, "give columns a type of DataTypes")
ExecutionConfig = refused_class("ExecutionConfig", _STREAMS, "set options: t_env.get_config().set(key, value)")
InputDependencyConstraint = refused_class(
    "InputDependencyConstraint", _STREAMS, "leave it out: Spark schedules all stages of a micro-batch"
)
RestartStrategies = refused_class("RestartStrategies", _RESTARTS, _AGAIN)
RestartStrategyConfiguration = refused_class("RestartStrategyConfiguration", _RESTARTS, _AGAIN)
WatermarkStrategy = refused_class(
    "WatermarkStrategy",
    _STREAMS,
    'declare the watermark: Schema.new_builder().watermark("ts", "ts - INTERVAL \'5\' SECOND")',
)
AssignerWithPeriodicWatermarksWrapper = refused_class(
    "AssignerWithPeriodicWatermarksWrapper",
    _STREAMS,
    'declare the watermark: Schema.new_builder().watermark("ts", "ts - INTERVAL \'5\' SECOND")',
)

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "ByteArraySchema",
    "CompletableFuture",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "DeserializationSchema",
    "Duration",
    "Encoder",
    "ExecutionConfig",
    "InputDependencyConstraint",
    "Instant",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
    "RestartStrategies",
    "RestartStrategyConfiguration",
    "Row",
    "RowKind",
    "SerializationSchema",
    "SimpleStringSchema",
    "Time",
    "TypeInformation",
    "TypeSerializer",
    "Types",
    "WatermarkStrategy",
]

provide(f"{__name__}.completable_future", CompletableFuture=CompletableFuture)
provide(f"{__name__}.config_options", ConfigOption=ConfigOption, ConfigOptions=ConfigOptions)
provide(f"{__name__}.configuration", Configuration=Configuration)
provide(f"{__name__}.execution_config", ExecutionConfig=ExecutionConfig)
provide(f"{__name__}.input_dependency_constraint", InputDependencyConstraint=InputDependencyConstraint)
provide(f"{__name__}.io", InputFormat=InputFormat)
provide(f"{__name__}.job_client", JobClient=JobClient)
provide(f"{__name__}.job_execution_result", JobExecutionResult=JobExecutionResult)
provide(f"{__name__}.job_id", JobID=JobID)
provide(f"{__name__}.job_status", JobStatus=JobStatus)
provide(
    f"{__name__}.restart_strategy",
    RestartStrategies=RestartStrategies,
    RestartStrategyConfiguration=RestartStrategyConfiguration,
)
provide(
    f"{__name__}.serialization",
    SerializationSchema=SerializationSchema,
    DeserializationSchema=DeserializationSchema,
    SimpleStringSchema=SimpleStringSchema,
    ByteArraySchema=ByteArraySchema,
    Encoder=Encoder,
    BulkWriterFactory=BulkWriterFactory,
    RowFieldExtractorSchema=RowFieldExtractorSchema,
)
provide(f"{__name__}.serializer", TypeSerializer=TypeSerializer)
provide(f"{__name__}.types", Row=Row, RowKind=RowKind)
