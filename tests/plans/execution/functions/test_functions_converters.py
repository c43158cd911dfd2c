"""User-defined converters in the types of user functions."""

from __future__ import annotations

import datetime as dt
import pickle
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import DataTypeConverter, DataTypes, TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ExecutionError
from compiled_plan.plans.functions import ScalarFunction, function_hint
from compiled_plan.plans.functions.conversions import inward, outward
from compiled_plan.plans.types import parse_type
from compiled_plan.plans.types.python.bridge import Bridged

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Shift:
    start: int
    length: int


class ShiftRow(DataTypeConverter[tuple[int, int], Shift]):
    """ROW<start TIME, length INTERVAL DAY TO SECOND>, whose internal values are whole numbers."""

    opened = False

    def open(self, class_loader: Any) -> None:
        self.opened = True

    def to_internal(self, external: Shift) -> tuple[int, int]:
        assert self.opened
        return external.start, external.length

    def to_external(self, internal: tuple[int, int]) -> Shift:
        assert self.opened
        return Shift(*internal)


ROW = "ROW<start TIME(3), length INTERVAL DAY(2) TO SECOND(3)>"
SHIFT = DataTypes.of(ROW).bridged_to(Shift, ShiftRow())


def test_converters_are_given_and_give_internal_values() -> None:
    out, into = (
        outward(Bridged(parse_type(ROW), Shift, (), ShiftRow())),
        inward(Bridged(parse_type(ROW), Shift, (), ShiftRow())),
    )
    assert out is not None and into is not None
    assert out({"start": 1, "length": 2}) == Shift(1, 2)
    assert into(Shift(1, 2)) == {"start": 1, "length": 2}
    assert pickle.loads(pickle.dumps(DataTypes.of(ROW))) == DataTypes.of(ROW)


@function_hint(input=[SHIFT], output=SHIFT)
class Later(ScalarFunction):
    def eval(self, shift: Shift) -> Shift:
        assert isinstance(shift, Shift)
        return Shift(shift.start + 3_600_000, shift.length * 2)


@pytest.mark.wide
def test_a_function_over_objects_of_its_own(spark: SparkSession) -> None:
    env = TableEnvironment()
    env.create_temporary_function("later", Later)
    table = env.from_values([(Shift(3_600_000, 1000),)], DataTypes.ROW(DataTypes.FIELD("shift", SHIFT)))
    env.create_temporary_view("shifts", table)
    (row,) = env.execute_sql("SELECT later(shift) FROM shifts").collect()
    assert row == ((dt.time(2), dt.timedelta(seconds=2)),)


class Told(DataTypeConverter[str, Shift]):
    """Fail in the way that the value selects."""

    def to_internal(self, external: Shift) -> Any:
        return {1: 5, 2: None}[external.length]

    def to_external(self, internal: str) -> Any:
        return {"text": "no shift", "one": Shift(0, 1), "two": Shift(0, 2), "three": Shift(0, 3)}[internal]


TOLD = DataTypes.STRING().bridged_to(Shift, Told())


@function_hint(input=[TOLD], output=TOLD)
class Same(ScalarFunction):
    def eval(self, shift: Any) -> Any:
        return shift


@pytest.mark.wide
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("none", "Told.to_external failed for 'none' of VARCHAR(2147483647): KeyError: 'none' (argument 1)"),
        ("text", "Told.to_external gave 'no shift' of class str for 'text'"),
        ("one", "Told.to_internal gave what is no value for Shift(start=0, length=1): 5 of class int"),
        ("two", "Told.to_internal gave None for Shift(start=0, length=2) of VARCHAR(2147483647) (the result)"),
        ("three", "Told.to_internal failed for Shift(start=0, length=3) of VARCHAR(2147483647): KeyError: 3"),
    ],
)
def test_errors_of_a_converter_name_function_position_and_type(spark: SparkSession, value: str, message: str) -> None:
    env = TableEnvironment()
    env.create_temporary_function("same", Same)
    with pytest.raises(ExecutionError) as fault:
        env.sql_query(f"SELECT same(x) FROM (VALUES ('{value}'), (CAST(NULL AS STRING))) AS t (x)").to_pandas()
    assert message in fault.value.message and "`same`" in fault.value.message


class Locked(Told):
    def __init__(self) -> None:
        self.lock = threading.Lock()


def test_a_converter_that_cannot_be_pickled_is_refused(spark: SparkSession) -> None:
    env = TableEnvironment()
    locked = DataTypes.STRING().bridged_to(Shift, Locked())

    @function_hint(input=[locked], output="INT")
    class Length(ScalarFunction):
        def eval(self, shift: Any) -> int:
            return len(shift)

    env.create_temporary_function("length", Length)
    with pytest.raises(CompiledPlanError, match=r"(?s)length.*lock") as fault:
        env.sql_query("SELECT length(x) FROM (VALUES ('a')) AS t (x)").to_pandas()
    assert "internal error" not in str(fault.value)
