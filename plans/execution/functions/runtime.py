"""Run time of user functions in Spark's Python workers, over Arrow batches.

Workers import this module (see `bootstrap`): it may use the standard library, pyarrow, and those parts of the product
that use no more.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from compiled_plan.plans import types as t
from compiled_plan.plans.deferred import deferred
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.execution.functions.bootstrap import MARK, FunctionFailure
from compiled_plan.plans.functions.declared import awaited
from compiled_plan.plans.functions.definitions import FunctionContext, UserDefinedFunction, collected
from compiled_plan.plans.types.converter import Convert

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = deferred("pandas")


@dataclass(frozen=True, slots=True)
class Payload:
    """A call of a function, as it is sent to workers.

    Args:
        function: the function.
        method: the method to call.
        name: the function's name, for errors.
        types: the arguments' types, for errors.
        arguments: the conversion of each argument from Arrow's non-null values; None for the identity.
        result: the conversion of a result, or of one row, to Arrow's values.
        result_type: Arrow's type of a result; of a table function, of the list of its rows.
        skips: the arguments that are never None: rows with a NULL in one are skipped, and give NULL.
        is_table: True if the result is any number of rows.
        reopens: True if the function is opened and closed with each task.
        classes: the user's classes whose objects are pickled.
        parameters: the job parameters.
        style: "rows"; "pandas": `arguments` and `result` are then None for values that pandas converts itself; "async".
    """

    function: UserDefinedFunction
    method: str
    name: str
    types: str
    arguments: tuple[Convert | None, ...]
    result: Convert | None
    result_type: pa.DataType
    skips: tuple[int, ...]
    is_table: bool
    reopens: bool
    classes: tuple[type, ...] = ()
    style: str = "rows"
    parameters: Mapping[str, str] = field(default_factory=dict)

    def open(self) -> None:
        """Open the function in this process.

        Raises:
            FunctionFailure: the function raised.
        """
        make_picklable(self.classes)
        try:
            self.function.open(FunctionContext(self.name, self.parameters))
        except Exception as fault:
            raise failure(self, fault, "open") from fault

    def close(self) -> None:
        """Close the function.

        Raises:
            FunctionFailure: the function raised.
        """
        try:
            self.function.close()
        except Exception as fault:
            raise failure(self, fault, "close") from fault

    def batch(self, arrays: Sequence[pa.Array], guarded: bool) -> pa.Array:
        """Evaluate one batch; the first column is the guard, or a filler if there are no arguments."""
        first, rest = arrays[0], arrays[1:]
        if not guarded:
            return evaluate(self, arrays[: len(self.arguments)], len(first))
        if first.null_count == 0 and first.true_count == len(first):
            return evaluate(self, rest[: len(self.arguments)], len(first))
        wanted = first.fill_null(False)
        selected = [array.filter(wanted) for array in rest[: len(self.arguments)]]
        results = evaluate(self, selected, wanted.true_count)
        # Positions of the results; None for a row that the guard excludes.
        places: list[int | None] = []
        at = 0
        for flag in wanted.to_pylist():
            places.append(at if flag else None)
            at += bool(flag)
        return results.take(pa.array(places, pa.int64()))


def failure(payload: Payload, fault: BaseException, method: str = "") -> FunctionFailure:
    """The error to show: function, argument types and message; `method` if it is not the one for rows."""
    if isinstance(fault, CompiledPlanError):
        reason = f"{fault.message} ({fault.where})" if fault.where else fault.message
    else:
        message = str(fault).strip().split("\n")[0]
        reason = f"{type(fault).__name__}: {message}" if message else type(fault).__name__
    where = f"{payload.function.title}.{method or payload.method}"
    return FunctionFailure(f"{MARK}`{payload.name}` ({where}) for arguments of types ({payload.types}): {reason}")


def make_picklable(classes: Iterable[type]) -> None:
    """Make objects of classes pickled by value picklable by name: their modules are not loaded here."""
    for class_ in classes:
        module = sys.modules.setdefault(class_.__module__, ModuleType(class_.__module__))
        setattr(module, class_.__name__, class_)


def evaluate(payload: Payload, arrays: Sequence[pa.Array], rows: int) -> pa.Array:
    """Evaluate one batch; `rows` is the number of rows if there are no arguments.

    Raises:
        FunctionFailure: the function raised, or returned a value outside its type.
    """
    method = getattr(payload.function, payload.method)
    try:
        if payload.style == "pandas":
            return _of_pandas(payload, method, arrays, rows)
        columns = [_column(array, convert) for array, convert in zip(arrays, payload.arguments, strict=True)]
        call = _row_maker(payload, method) if payload.is_table else method
        if payload.style == "async":
            results = _loop().run_until_complete(
                awaited(call, zip(*columns, strict=True) if columns else [()] * rows, payload.skips)
            )
        elif not columns:
            results = [call() for _ in range(rows)]
        elif payload.skips:
            results = _without_nulls(payload, call, columns, rows)
        else:
            results = list(map(call, *columns))
        if payload.result is not None and not payload.is_table:
            convert = payload.result
            results = [None if value is None else convert(value) for value in results]
        return pa.array(results, payload.result_type)
    except FunctionFailure:
        raise
    except Exception as fault:
        raise failure(payload, fault) from fault


def _column(array: pa.Array, convert: Convert | None) -> list[object]:
    values: list[object] = array.to_pylist()
    return values if convert is None else [None if value is None else convert(value) for value in values]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process: a function may hold a client of it from batch to batch."""
    return asyncio.new_event_loop()


# --- pandas ----------------------------------------------------------------------------------------------------------

_IN_PANDAS = (
    *(t.BooleanType, t.IntegerType, t.FloatType, t.DoubleType),
    *(t.CharacterType, t.BytesType, t.DateType, t.TimestampType, t.TimestampLtzType),
)


def in_pandas(type_: t.LogicalType) -> bool:
    """Return True for types whose values Arrow converts to and from pandas as PyFlink does."""
    return isinstance(type_, _IN_PANDAS)


def series(array: pa.Array, convert: Convert | None) -> object:
    """A column as pandas sees it: a Series, or a DataFrame of the fields of rows."""
    if pa.types.is_struct(array.type):
        names = [field.name for field in array.type]
        return pd.DataFrame({name: series(part, None) for name, part in zip(names, array.flatten(), strict=True)})
    if convert is None:
        return array.to_pandas(date_as_object=True)
    return pd.Series(_column(array, convert), dtype=object)


def _of_pandas(payload: Payload, call: Callable[..., object], arrays: Sequence[pa.Array], rows: int) -> pa.Array:
    if not rows:
        return pa.array([], payload.result_type)
    columns = [series(array, convert) for array, convert in zip(arrays, payload.arguments, strict=True)]
    returned = call(*columns)
    if isinstance(returned, str) or not hasattr(returned, "__len__"):
        raise TypeError(f"it returned {returned!r} of class {type(returned).__name__}; return a Series for each batch")
    if len(returned) != rows:
        raise ValueError(f"it returned {len(returned)} values for a batch of {rows} rows; return one for each row")
    return from_pandas(returned, payload.result, payload.result_type)


def from_pandas(values: object, convert: Convert | None, type_: pa.DataType) -> pa.Array:
    """A Series, or a DataFrame for rows, as an Arrow column."""
    if isinstance(values, pd.DataFrame):
        if not pa.types.is_struct(type_):
            raise TypeError("it returned a DataFrame, and its result is no ROW; return a Series")
        if len(values.columns) != type_.num_fields:
            raise ValueError(f"it returned {len(values.columns)} columns, and its result has {type_.num_fields}")
        parts = [from_pandas(values.iloc[:, at], None, type_.field(at).type) for at in range(type_.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(type_))
    column = values if isinstance(values, pd.Series) else pd.Series(values)
    if convert is None:
        return pa.Array.from_pandas(column, mask=column.isnull(), type=type_)
    missing = column.isnull()
    converted = [None if absent else convert(value) for value, absent in zip(column, missing, strict=True)]
    return pa.array(converted, type_)


@dataclass(frozen=True, slots=True)
class Frames:
    """The columns of a group's rows as pandas, for an aggregate function, and its result.

    Args:
        columns: Arrow's type of each column; None for values that stay objects; names for rows.
        result: Arrow's type of the result; None to leave it to the result's conversion.
    """

    columns: tuple[pa.DataType | tuple[str, ...] | None, ...]
    result: pa.DataType | None

    def of(self, rows: Sequence[object]) -> list[object]:
        frames: list[object] = []
        for type_, values in zip(self.columns, zip(*rows, strict=True), strict=True):
            if isinstance(type_, tuple):
                absent = (None,) * len(type_)
                frames.append(pd.DataFrame([absent if row is None else tuple(row) for row in values], columns=type_))
            elif type_ is None:
                frames.append(pd.Series(values, dtype=object))
            else:
                frames.append(pa.array(values, type_).to_pandas(date_as_object=True))
        return frames

    def value(self, returned: Any) -> Any:
        """A result as the Python value of its type."""
        if self.result is None:
            return returned
        [value] = from_pandas([returned], None, self.result).to_pylist()
        return value


def frames_of(
    inputs: Sequence[t.LogicalType], output: t.LogicalType, arrow: Callable[[t.LogicalType], pa.DataType]
) -> Frames:
    """The conversions of an aggregate function of pandas columns, by Arrow's type of each logical type."""
    columns = [
        arrow(type_) if in_pandas(type_) else type_.names if isinstance(type_, t.FieldsType) else None
        for type_ in inputs
    ]
    return Frames(tuple(columns), arrow(output) if in_pandas(output) else None)


def _without_nulls(
    payload: Payload, call: Callable[..., object], columns: Sequence[list[object]], rows: int
) -> list[object]:
    if len(columns) == 1:
        return [None if value is None else call(value) for value in columns[0]]
    if len(payload.skips) == 1:
        tested = columns[payload.skips[0]]
        return [
            None if known is None else call(*row) for known, row in zip(tested, zip(*columns, strict=True), strict=True)
        ]
    skips = payload.skips
    return [None if any(row[at] is None for at in skips) else call(*row) for row in zip(*columns, strict=True)]


def _row_maker(payload: Payload, method: Callable[..., Any]) -> Callable[..., list[object]]:
    function, result = payload.function, payload.result
    assert result is not None

    def rows(*arguments: Any) -> list[object]:
        return [result(row) for row in collected(function, method(*arguments))]

    return rows


def never_none(convert: Convert) -> Convert:
    """The conversion of one row: a row of a table function is never NULL as a whole."""

    def run(row: object) -> Any:
        if row is None:
            raise TypeError("a table function gave None for a row; leave the row out")
        return convert(row)

    return run


def single(convert: Convert | None) -> Convert:
    """The conversion of a row of one column, which the function returns as a bare value."""
    return (lambda value: {"v0": value}) if convert is None else (lambda value: {"v0": convert(value)})


def renamed(convert: Convert) -> Convert:
    """The conversion of a row whose columns are `v0`, `v1`, ... in Spark."""

    def run(row: object) -> dict[str, object]:
        return {f"v{at}": value for at, value in enumerate(convert(row).values())}

    return run
