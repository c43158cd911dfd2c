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
from threading import local
from typing import TYPE_CHECKING, Any, Protocol

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
#: The gateway with whose connection of this thread Nagle's algorithm is disabled.
_THREAD = local()


class JavaObject(Protocol):
    """An object or class of the JVM, or py4j's view of it: its members are known to Java alone."""

    def __getattr__(self, name: str) -> Any: ...
    def __call__(self, *arguments: object) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __setitem__(self, at: int, item: object) -> None: ...
    def __hash__(self) -> int: ...


@lru_cache(maxsize=64)
def java_class(jvm: object, name: str) -> JavaObject:
    """The class of a full name: call it to construct an object, or its static methods.

    Raises:
        py4j.protocol.Py4JError: there is no such class.
    """
    class_: JavaObject = _known(getattr(jvm, name))
    return class_


def cache_classes(jvm: object) -> None:
    """Cache the classes that PySpark looks up repeatedly. Idempotent."""
    for attribute, name in _LOOKED_UP.items():
        if attribute not in vars(jvm):
            vars(jvm)[attribute] = java_class(jvm, name)


def disable_nagle(spark: SparkSession) -> None:
    """Let the JVM send answers to this thread at once: Nagle delays those over 8 kB by 40 ms. Idempotent."""
    from py4j.clientserver import ClientServer

    gateway = spark.sparkContext._gateway
    # A gateway with a single thread for all has no connection of this one.
    if isinstance(gateway, ClientServer) and getattr(_THREAD, "gateway", None) is not gateway:
        connection = gateway.java_gateway_server.getCallbackClient().getPerThreadConnection()
        # Java refers to it weakly.
        if connection is not None:
            connection.getSocket().setTcpNoDelay(True)
        _THREAD.gateway = gateway


def java_array(jvm: object, name: str, items: Sequence[object]) -> JavaObject:
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    assert gateway is not None
    array: JavaObject = gateway.new_array(java_class(jvm, name), len(items))
    for at, item in enumerate(items):
        array[at] = item
    return array


def column_of(java: object) -> Column:
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(java)


def java_column(column: Any) -> JavaObject:
    handle: JavaObject = column._jc
    return handle


def frame_of(java: object, spark: SparkSession) -> DataFrame:
    from pyspark.sql import DataFrame

    return DataFrame(java, spark)


def java_causes(fault: BaseException) -> list[JavaObject]:
    """The JVM's exception behind one of PySpark or py4j, then its causes, the root cause last; empty without one."""
    causes = []
    java = getattr(fault, "java_exception", None)
    while java is not None:
        causes.append(java)
        java = java.getCause()
    return causes


def remove_at_exit(jvm: object, folder: str | Path) -> None:
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
        def __getattr__(self, name: str) -> object:
            member = super().__getattr__(name)
            if isinstance(member, JavaMember):
                setattr(self, name, member)
            return member

    return KnownClass(class_._fqn, class_._gateway_client)
