"""Spark's functions that take a function, with variables whose names depend on nothing but how they are nested.

PySpark counts its variables through the life of a process. Their names get into the code that Spark generates, as
comments, so that no two queries have the same: all code of a query is compiled anew, and Java begins to learn it anew,
though a query of the same plan ran before.

Source: Spark 4.3, `UnresolvedNamedLambdaVariable`, `ResolveLambdaVariables`, `CodeGenerator.compile`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from inspect import signature
from typing import TYPE_CHECKING, Any

from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column

if TYPE_CHECKING:
    from pyspark.sql import Column

#: How many functions are being made around the next one. A variable hides those outside of it that have its name, so
#: each depth has names of its own; functions beside each other may share theirs.
_depth: ContextVar[int] = ContextVar("depth", default=0)


def transform(array: Column, body: Callable[..., Column]) -> Column:
    """The elements as `body` makes them, of the element, or of the element and its place, from 0 on."""
    return _called("transform", array, body, len(signature(body).parameters))


def filtered(array: Column, body: Callable[..., Column]) -> Column:
    """The elements for which `body` holds, of the element, or of the element and its place, from 0 on."""
    return _called("filter", array, body, len(signature(body).parameters))


def exists(array: Column, body: Callable[[Column], Column]) -> Column:
    """Whether `body` holds for an element."""
    return _called("exists", array, body, 1)


def transform_keys(entries: Column, body: Callable[[Column, Column], Column]) -> Column:
    """The map with keys as `body` makes them, of key and value."""
    return _called("transform_keys", entries, body, 2)


def transform_values(entries: Column, body: Callable[[Column, Column], Column]) -> Column:
    """The map with values as `body` makes them, of key and value."""
    return _called("transform_values", entries, body, 2)


def _called(name: str, over: Column, body: Callable[..., Column], count: int) -> Column:
    from pyspark import SparkContext

    context: Any = SparkContext._active_spark_context
    kernel = java_class(context._jvm, "org.compiledplan.kernel.host.Lambdas")
    depth = _depth.get()
    names = [f"{letter}{depth}" for letter in "xy"[:count]]
    token = _depth.set(depth + 1)
    try:
        result = body(*(column_of(kernel.variable(variable)) for variable in names))
    finally:
        _depth.reset(token)
    return column_of(kernel.call(name, java_column(over), java_column(result), *names))
