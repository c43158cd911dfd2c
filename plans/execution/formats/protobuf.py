"""The format `protobuf`: messages whose type a Java class tells.

The class is that which `protoc` made, from a jar of the session (`spark.jars`); where a run starts its descriptors are
taken from it, and the tasks read and write by them.

Source: Flink's page "Protobuf", and what Flink 2.3 reads and writes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from compiled_plan.plans.connectors.formats.protobuf import SPEC
from compiled_plan.plans.errors import ExecutionError
from compiled_plan.plans.execution.formats.base import FormatTable, register, shape
from compiled_plan.plans.execution.formats.lines import MessageFormat
from compiled_plan.plans.execution.spark.java import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_KERNEL = "org.compiledplan.kernel.formats"


class ProtobufFormat(MessageFormat):
    """`protobuf`: inserts only."""

    def prepared(self, spark: SparkSession, spec: FormatTable) -> FormatTable:
        """The table as the kernel takes it; see `LineFormat.prepared`.

        Raises:
            ExecutionError: the class is not there or is no message, or its type does not have the columns.
        """
        name = SPEC.values(spec.options).text("message-class-name")
        options = {**spec.options, **descriptors(spark, name, spec.table)}
        try:
            java_class(spark._jvm, f"{_KERNEL}.ProtobufMessages").check(shape(spec.row), options)
        except Py4JJavaError as fault:
            raise ExecutionError(
                fault.java_exception.getMessage(),
                where=f"table {spec.table}, class {name}",
                remedy="name the columns as the fields, and give them the fields' types as Flink's page lists them",
            ) from None
        return replace(spec, options=options)


def descriptors(spark: SparkSession, name: str, table: str) -> dict[str, str]:
    """The type of a class as options of the kernel's.

    Args:
        name: the full name of the class.
        table: the table, for messages.

    Raises:
        ExecutionError: there is no such class, or it is no message.
    """
    session: Any = spark._jsparkSession
    thread = java_class(spark._jvm, "java.lang.Thread").currentThread()
    loaders = [thread.getContextClassLoader(), session.sharedState().jarClassLoader()]
    try:
        return dict(java_class(spark._jvm, f"{_KERNEL}.ProtobufClasses").described(name, loaders))
    except Py4JJavaError as fault:
        wrong = fault.java_exception
        missing = wrong.getClass().getName() == "java.lang.ClassNotFoundException"
        raise ExecutionError(
            f"there is no Java class {wrong.getMessage()} on the class path" if missing else wrong.getMessage(),
            where=f"table {table}, option 'protobuf.message-class-name'",
            remedy="give the jar with the class that protoc made, and one with its version of protobuf-java where "
            "that is another, with --conf spark.jars=FILE,FILE",
        ) from None


register(ProtobufFormat(SPEC))
