"""Converters of the program's own, in the types of user functions."""

from __future__ import annotations

import datetime as dt
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner import DataTypeConverter, DataTypes, TableEnvironment
from plans.functions import ScalarFunction, function_hint
from plans.functions.bridge import Bridged
from plans.functions.conversions import inward, outward
from plans.types import parse_type

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


def test_a_function_over_objects_of_its_own(spark: SparkSession) -> None:
    env = TableEnvironment()
    env.create_temporary_function("later", Later)
    table = env.from_values([(Shift(3_600_000, 1000),)], DataTypes.ROW(DataTypes.FIELD("shift", SHIFT)))
    env.create_temporary_view("shifts", table)
    (found,) = env.execute_sql("SELECT later(shift) FROM shifts").collect()
    assert found == ((dt.time(2), dt.timedelta(seconds=2)),)
