"""Calls that pass the check are translated, and no others: the rules of `plans.rex` against the translators."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from compiled_plan.planner.functions.registry import resolve_call
from compiled_plan.plans import rex as r
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import UnsupportedError
from compiled_plan.plans.execution.expressions import ExpressionContext, known_functions, register, to_column
from compiled_plan.plans.execution.spark.java import cache_classes
from compiled_plan.plans.execution.spark.types import to_spark
from compiled_plan.plans.findings import Fault
from compiled_plan.plans.rex.kinds import kind_of
from compiled_plan.plans.rex.operands import BELOW_A_DAY, ROUNDING, UNITS
from compiled_plan.plans.rex.signatures import NOT_RUN, STRUCTURAL, _table, call_fault
from compiled_plan.plans.types.held import unheld

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIMPLE = (
    "BOOLEAN", "INT", "DOUBLE", "DECIMAL(10, 2)", "STRING", "BYTES", "DATE", "TIME(0)", "TIMESTAMP(3)",
    "TIMESTAMP_LTZ(3)", "INTERVAL MONTH", "INTERVAL DAY TO SECOND(3)",
)  # fmt: skip
NESTED = ("ARRAY<{}>", "MAP<STRING, {}>", "MULTISET<{}>", "ROW<a INT, b {}>", "STRUCTURED<'a.B', a INT, b {}>")
HERE = ExpressionContext(where="node 1")


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    """The shared session, with the functions of the kernel."""
    cache_classes(spark._jvm)
    register(spark)
    return spark


def fault_of(call: r.Call) -> Fault | None:
    return call_fault(call, tuple(r.type_of(operand) for operand in call.operands))


def is_translated(call: r.Call) -> bool:
    columns = [F.lit(None).cast(to_spark(r.type_of(part))) for part in call.operands if isinstance(part, r.InputRef)]
    try:
        to_column(call, columns, HERE)
    except UnsupportedError:
        return False
    return True


def test_functions_that_are_checked_are_translated() -> None:
    assert (_table().keys() | STRUCTURAL.keys()) - NOT_RUN.keys() == set(known_functions())


@pytest.mark.parametrize("name", ["$CAST$1", pytest.param("$TRY_CAST$1", marks=pytest.mark.wide)])
def test_casts_that_are_checked_are_translated(session: SparkSession, name: str) -> None:
    shapes = [("{}", SIMPLE, SIMPLE), *((shape, SIMPLE[::3], SIMPLE[::3]) for shape in NESTED)]
    pairs = [(shape.format(one), shape.format(two)) for shape, ones, twos in shapes for one, two in product(ones, twos)]
    pairs += [
        (shape.format("INT"), simple) for shape in NESTED for simple in (*SIMPLE, *(n.format("INT") for n in NESTED))
    ]
    types = [(t.parse_type(one), t.parse_type(two)) for one, two in pairs]
    calls = [r.Call(name, (r.InputRef(0, source),), target) for source, target in types]
    # Calls that the planner does not compile are errors, whether or not they are translated.
    wrong = [str(call) for call in calls if fault_of(call) is None and not is_translated(call)]
    assert wrong == []
    refused = [
        str(call) for call in calls if (fault := fault_of(call)) is not None and fault.editable and is_translated(call)
    ]
    assert refused == []


def _unit(unit: str) -> r.Literal:
    return r.Literal(unit, t.SymbolType(), "TIME_UNIT_RANGE")


def test_units_that_are_checked_are_translated(session: SparkSession) -> None:
    types = [t.parse_type(text) for text in SIMPLE if kind_of(t.parse_type(text)) in UNITS]
    units = sorted({unit for units in UNITS.values() for unit in units} | ROUNDING | BELOW_A_DAY)
    for type_, unit in product(types, units):
        call = r.Call("$EXTRACT$1", (_unit(unit), r.InputRef(0, type_)), t.BIGINT)
        assert fault_of(call) is not None or is_translated(call), call
    for type_, unit in product(types, units):
        call = r.Call("$FLOOR$1", (r.InputRef(0, type_), _unit(unit)), type_)
        assert fault_of(call) is not None or is_translated(call), call


@pytest.mark.parametrize("text", ["BYTES", "ARRAY<INT>", "MAP<STRING, INT>", "ROW<a INT>", "MULTISET<INT>"])
def test_printf_refuses_values_without_a_text_of_their_own(text: str) -> None:
    operands = (r.Literal("%s", t.parse_type("STRING")), r.InputRef(0, t.parse_type(text)))
    fault = fault_of(r.Call("$PRINTF$1", operands, t.parse_type("STRING")))
    assert fault is not None and fault.message.startswith("PRINTF of a value of type ")
    with pytest.raises(UnsupportedError, match="PRINTF of a value of type"):
        resolve_call("PRINTF", list(operands))


@pytest.mark.parametrize("name", ["GREATEST", "LEAST", "ARRAY_MAX", "ARRAY_MIN", "ARRAY_SORT"])
@pytest.mark.parametrize("text", ["BITMAP", "VARIANT", "ARRAY<INT>", "MAP<STRING, INT>", "MULTISET<INT>", "ROW<a INT>"])
def test_values_without_an_order_are_not_compared(name: str, text: str) -> None:
    type_ = t.parse_type(text)
    compared = t.ArrayType(element=type_) if name.startswith("ARRAY") else type_
    operand, result = r.InputRef(0, compared), compared if name == "ARRAY_SORT" else type_
    fault = fault_of(r.Call(f"${name}$1", (operand,), result))
    assert fault is not None and name in fault.message
    with pytest.raises(UnsupportedError, match=f"{name} of a value of type {text.split('<')[0]}"):
        resolve_call(name, [operand])


@pytest.mark.parametrize(
    "text",
    [*SIMPLE, "VARIANT", "RAW('x.Y', 'AA==')", "ARRAY<VARIANT>", "ROW<a INT, b MAP<STRING, RAW('x.Y', 'AA==')>>"],
)
def test_types_that_are_held(text: str) -> None:
    type_ = t.parse_type(text)
    try:
        to_spark(type_)
        held = True
    except UnsupportedError:
        held = False
    assert (unheld(type_) is None) == held
