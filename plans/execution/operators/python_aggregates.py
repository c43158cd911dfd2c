"""Aggregate functions in Python: their accumulators are state of the kernel, updated by a Python process beside it.

The kernel's operator stores the accumulator like those of built-in functions: with the plan's TTL, under retraction,
in windows, in any stage. It is a value of its SQL type; without one, or for an object that is not exactly a value of
it, it is bytes that Python pickled and reads by `plans.functions.pickles`. The operator sends the rows of a key with
the accumulator, and receives both the new one and the result, in one exchange per key and micro-batch.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import types as s

from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution import functions
from compiled_plan.plans.execution.functions.accumulating import Accumulators, AggregatePayload
from compiled_plan.plans.execution.functions.codec import adapt, writer
from compiled_plan.plans.execution.functions.columns import RESULT, PythonFunctions, argument
from compiled_plan.plans.execution.functions.exact import exact
from compiled_plan.plans.execution.functions.runtime import Payload, frames_of
from compiled_plan.plans.execution.functions.shipping import classes_beside, pickled
from compiled_plan.plans.execution.operators.parameters import PythonAggregate, ValueType
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.execution.spark.versions import arrow_type
from compiled_plan.plans.functions.conversions import from_python, to_python
from compiled_plan.plans.functions.declared import DeclaredAggregate, DeclaredPandasAggregate
from compiled_plan.plans.functions.definitions import FunctionKind
from compiled_plan.plans.functions.inference import ArgumentInfo
from compiled_plan.plans.functions.method_types import accumulator_annotation
from compiled_plan.plans.functions.pickles import unpickling
from compiled_plan.plans.nodes.specs import AggregateCall
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.python.bridge import Bridged

_PROGRAM = Path(functions.__path__[0], "aggregate_worker.py")


def kernel_call(
    call: AggregateCall,
    types: Sequence[LogicalType],
    functions: PythonFunctions | None,
    where: str,
    needs: Sequence[str],
) -> PythonAggregate | None:
    """The kernel's parameters of an aggregate function in Python; None for all others.

    Args:
        call: a call of an aggregate.
        types: the types of its arguments.
        functions: the plan's functions.
        where: the node, for errors.
        needs: the required methods beside those that all have: "retract", "merge".

    Raises:
        UnsupportedError: the function lacks a required method.
    """
    reference = call.python
    if reference is None or functions is None:
        return None
    path = call.catalog_name or call.system_name or reference.class_
    name = path.rpartition(".")[2].strip("`")
    plain_types = [type_.as_regular() for type_ in types]
    bound = functions.bind(reference, name, [ArgumentInfo(type_) for type_ in plain_types], call.type, where)
    function = functions.callables(reference, where).function
    for method in needs:
        if not callable(getattr(function, method, None)):
            raise UnsupportedError(
                f"the aggregate function {reference.path} has no method `{method}`, which this operator needs",
                where=where,
                remedy=f"define `def {method}(self, accumulator, {'...' if method == 'retract' else 'others'})`",
            )
    assert function.KIND is FunctionKind.AGGREGATE
    declared = function if isinstance(function, DeclaredAggregate) else None
    if isinstance(function, DeclaredPandasAggregate):
        arrow = lambda type_: arrow_type(to_spark(type_))  # noqa: E731
        function = function.over(frames_of(plain_types, bound.output.type, arrow))
    bridged = [item or Bridged(type_) for item, type_ in zip(bound.arguments, plain_types, strict=True)]
    state = None if bound.accumulator is None else exact(bound.accumulator)
    with functions.permitted():
        unpickle = unpickling(accumulator_annotation(type(function)) if declared is None else None)
        arguments = tuple(to_python(item, argument(at)) for at, item in enumerate(bridged))
        result = from_python(bound.output, RESULT)
    payload = AggregatePayload(
        Payload(
            function,
            bound.method,
            name,
            ", ".join(map(str, plain_types)),
            arguments,
            result,
            None,
            bound.skips,
            False,
            False,
            classes_beside(function),
            parameters=functions.parameters,
        ),
        tuple(map(adapt, plain_types)),
        writer(call.type),
        Accumulators(state, unpickle, *((None, None) if declared is None else (declared.freeze, declared.thaw))),
    )
    blob = pickled(payload, function, name, where)
    return PythonAggregate(
        executable=_python(),
        program=_PROGRAM.read_text(encoding="utf-8"),
        payload=base64.b64encode(blob).decode(),
        token=hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
        skips=tuple(bound.skips),
        accumulator=None if state is None or bound.accumulator is None else kernel_type(bound.accumulator.type),
    )


def kernel_type(type_: LogicalType) -> ValueType:
    """A type in the kernel's terms; rows and maps by the types of their parts."""
    match to_spark(type_):
        case s.DecimalType() as decimal:
            return ValueType("DECIMAL", decimal.precision, decimal.scale)
        case s.StructType() | s.ArrayType() | s.MapType() as nested:
            kind = {s.StructType: "ROW", s.ArrayType: "ARRAY", s.MapType: "MAP"}[type(nested)]
            return ValueType(kind, children=tuple(map(kernel_type, type_.children())))
        case simple:
            return ValueType(_KINDS[type(simple)])


#: The kernel's names of Spark's types.
_KINDS: Mapping[type[s.DataType], str] = {
    s.BooleanType: "BOOLEAN",
    s.ByteType: "BYTE",
    s.ShortType: "SHORT",
    s.IntegerType: "INT",
    s.LongType: "LONG",
    s.DoubleType: "DOUBLE",
    s.StringType: "STRING",
    s.BinaryType: "BINARY",
    s.DateType: "DATE",
    s.TimestampType: "TIMESTAMP",
    s.TimestampNTZType: "TIMESTAMP_NTZ",
}


def _python() -> str:
    context = SparkContext._active_spark_context
    assert context is not None
    return str(context.pythonExec)
