"""The JVM behind a session: classes by name, handles of columns and frames, exceptions, temporary settings.

`jvm.org.apache.X` queries the JVM for a class `org`, then `org.apache`, ..., in each imported package, and each miss
searches every jar. So does `jvm.functions`, which PySpark evaluates for each column, and the resulting class is queried
again for each of its methods. This module addresses classes without that search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py4j.java_gateway import JavaClass
    from pyspark.sql import Column, DataFrame, SparkSession

#: Names by which PySpark looks up classes whenever it creates a column or passes a list.
_LOOKED_UP = {
    "functions": "org.apache.spark.sql.functions",
    "org.apache.spark.sql.functions": "org.apache.spark.sql.functions",
    "PythonUtils": "org.apache.spark.api.python.PythonUtils",
    "PythonSQLUtils": "org.apache.spark.sql.api.python.PythonSQLUtils",
}


@lru_cache(maxsize=64)
def java_class(jvm: Any, name: str) -> Any:
    """The class of a full name: call it to construct an object, or its static methods.

    Raises:
        py4j.protocol.Py4JError: there is no such class.
    """
    return _known(getattr(jvm, name))


def cache_classes(jvm: Any) -> None:
    """Cache the classes that PySpark looks up repeatedly. Idempotent."""
    for attribute, name in _LOOKED_UP.items():
        if attribute not in vars(jvm):
            vars(jvm)[attribute] = java_class(jvm, name)


def java_array(jvm: Any, name: str, items: Sequence[Any]) -> Any:
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    array = gateway.new_array(java_class(jvm, name), len(items))
    for at, item in enumerate(items):
        array[at] = item
    return array


def column_of(java: Any) -> Column:
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(java)


def java_column(column: Any) -> Any:
    return column._jc


def frame_of(java: Any, spark: SparkSession) -> DataFrame:
    from pyspark.sql import DataFrame

    return DataFrame(java, spark)


def java_causes(fault: BaseException) -> list[Any]:
    """The JVM's exception behind one of PySpark or py4j, then its causes, the root cause last; empty without one."""
    causes = []
    java = getattr(fault, "java_exception", None)
    while java is not None:
        causes.append(java)
        java = java.getCause()
    return causes


def remove_at_exit(jvm: Any, folder: str | Path) -> None:
    """Let the JVM remove a folder at its exit, in case this process cannot."""
    hooks = java_class(jvm, "org.apache.spark.util.ShutdownHookManager")
    hooks.registerShutdownDeleteDir(java_class(jvm, "java.io.File")(str(folder)))


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Set settings of the session in this context, and restore them afterwards."""
    before = {name: spark.conf.get(name, None) for name in values}
    try:
        for name, value in values.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, former in before.items():
            if former is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, former)


def _known(class_: JavaClass) -> JavaClass:
    """A class that queries each of its methods once."""
    from py4j.java_gateway import JavaClass, JavaMember

    class KnownClass(JavaClass):  # type: ignore[misc]
        def __getattr__(self, name: str) -> Any:
            member = super().__getattr__(name)
            if isinstance(member, JavaMember):
                setattr(self, name, member)
            return member

    return KnownClass(class_._fqn, class_._gateway_client)
