"""Spark's higher-order functions, with variable names that depend only on the nesting depth.

PySpark numbers its variables through the life of a process. Their names get into comments of the code that Spark
generates, so that no two queries have the same code: it is compiled again, and Java optimises it again, though a query
of the same plan ran before.

Source: Spark 4.3, `UnresolvedNamedLambdaVariable`, `ResolveLambdaVariables`, `CodeGenerator.compile`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from inspect import signature
from typing import TYPE_CHECKING, Any

from pyspark import SparkContext

from compiled_plan.plans.execution.spark.java import column_of, java_class, java_column

if TYPE_CHECKING:
    from pyspark.sql import Column

#: The nesting depth of the next function. A variable hides outer variables of its name, so each depth has names of its
#: own; sibling functions may share theirs.
_depth: ContextVar[int] = ContextVar("depth", default=0)


def transform(array: Column, body: Callable[..., Column]) -> Column:
    """Map the elements by `body`, a function of the element, or of the element and its index from 0."""
    return _called("transform", array, body, len(signature(body).parameters))


def filtered(array: Column, body: Callable[..., Column]) -> Column:
    """Filter the elements by `body`, a predicate of the element, or of the element and its index from 0."""
    return _called("filter", array, body, len(signature(body).parameters))


def exists(array: Column, body: Callable[[Column], Column]) -> Column:
    """True if `body` is true for an element."""
    return _called("exists", array, body, 1)


def transform_keys(entries: Column, body: Callable[[Column, Column], Column]) -> Column:
    """Map the keys of a map by `body`, a function of key and value."""
    return _called("transform_keys", entries, body, 2)


def transform_values(entries: Column, body: Callable[[Column, Column], Column]) -> Column:
    """Map the values of a map by `body`, a function of key and value."""
    return _called("transform_values", entries, body, 2)


def _called(name: str, over: Column, body: Callable[..., Column], count: int) -> Column:
    context: Any = SparkContext._active_spark_context
    kernel = java_class(context._jvm, "org.compiledplan.kernel.host.spark.Lambdas")
    depth = _depth.get()
    names = [f"{letter}{depth}" for letter in "xy"[:count]]
    token = _depth.set(depth + 1)
    try:
        result = body(*(column_of(kernel.variable(variable)) for variable in names))
    finally:
        _depth.reset(token)
    return column_of(kernel.call(name, java_column(over), java_column(result), *names))
