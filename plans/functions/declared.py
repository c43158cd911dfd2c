"""Functions whose types are declared beside them, as PyFlink's `udf`, `udtf`, `udaf` and `udtaf` do.

A declared function holds a callable, or an object of a function class, and is a function of one of the three kinds
itself: everything behind its registration handles it like any other.

Source: PyFlink's `pyflink.table.udf`; its rules for the values of functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar

from compiled_plan.plans import types as t
from compiled_plan.plans.functions.accumulators import freezing, stored, thawing
from compiled_plan.plans.functions.definitions import (
    AggregateFunction,
    FunctionContext,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
)
from compiled_plan.plans.functions.inference import CallContext, InputTypeStrategies, TypeInference
from compiled_plan.plans.types.mutable_row import MutableRow
from compiled_plan.plans.types.python.bridge import Bridged

#: Calls of an asynchronous function that run at once, the default of Flink's
#: `table.exec.async-scalar.max-concurrent-operations`.
CONCURRENT_CALLS = 10


class Declared(UserDefinedFunction):
    """A callable, or an object of a function class, with declared types.

    Args:
        target: the callable or object.
        name: its name, for errors.
        inputs: the argument types; None: any arguments.
        output: the result's type.
        deterministic: True if equal arguments have equal results.
        module: the module that declares it.
    """

    #: Calls with the values of one row, with pandas columns of many rows, or of coroutines.
    STYLE: ClassVar[str] = "rows"

    def __init__(
        self,
        target: Any,
        name: str,
        inputs: tuple[Bridged, ...] | None,
        output: Bridged,
        *,
        deterministic: bool = True,
        module: str = "",
    ) -> None:
        self.target, self.name, self.inputs, self.output = target, name, inputs, output
        self.is_deterministic = deterministic
        self.module = module

    @property
    def implementation(self) -> UserDefinedFunction | None:
        """The object of a function class; None for a callable."""
        return self.target if isinstance(self.target, UserDefinedFunction) else None

    def open(self, function_context: FunctionContext) -> None:
        if self.implementation is not None:
            self.implementation.open(function_context)

    def close(self) -> None:
        if self.implementation is not None:
            self.implementation.close()

    def get_type_inference(self) -> TypeInference:
        strategy = None if self.inputs is None else InputTypeStrategies.sequence(*self.inputs)
        return TypeInference(self.output, strategy)

    @property
    def title(self) -> str:
        return f"{self.module}.{self.name}" if self.module else self.name

    @property
    def sources(self) -> tuple[Any, ...]:
        """The classes or functions with the user's code."""
        if self.implementation is not None:
            return (type(self.implementation),)
        target = self.target
        while isinstance(target, partial):
            target = target.func
        return (target,) if hasattr(target, "__qualname__") else (type(target),)


class DeclaredScalar(Declared, ScalarFunction):
    """A declared function with one value per row."""

    @property
    def eval(self) -> Callable[..., Any]:
        function: Callable[..., Any] = self.target if self.implementation is None else self.target.eval
        return function


class DeclaredPandas(DeclaredScalar):
    """A declared function of pandas columns: a Series for each argument, a DataFrame for a row."""

    STYLE = "pandas"


class DeclaredAsync(DeclaredScalar):
    """A declared function whose calls are awaited, several at once."""

    STYLE = "async"


class DeclaredTable(Declared, TableFunction[Any]):
    """A declared function with any number of rows per row."""

    def eval(self, *arguments: Any) -> Iterator[Any]:
        """The rows of a call: a list, range or generator has several, any other value is one."""
        function = self.target if self.implementation is None else self.target.eval
        returned = function(*arguments)
        if returned is None:
            return
        is_single = isinstance(self.output.type, t.FieldsType) and len(self.output.type.fields) == 1
        for row in returned if isinstance(returned, list | range | Generator) else (returned,):
            yield (row,) if is_single and not isinstance(row, tuple | MutableRow) else row


class DeclaredAggregate(Declared, AggregateFunction[Any, Any]):
    """A declared aggregate function. Its accumulator has a type, and state holds it by its parts.

    Args:
        accumulator: the accumulator's type.
    """

    def __init__(self, *arguments: Any, accumulator: Bridged | None = None, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.accumulator = accumulator

    def get_type_inference(self) -> TypeInference:
        inference = super().get_type_inference()
        assert self.accumulator is not None
        return TypeInference(inference.output, inference.input, stored(self.accumulator))

    def create_accumulator(self) -> Any:
        return self.target.create_accumulator()

    @property
    def accumulate(self) -> Callable[..., Any]:
        method: Callable[..., Any] = self.target.accumulate
        return method

    @property
    def retract(self) -> Callable[..., Any]:
        method: Callable[..., Any] = self.target.retract
        return method

    @property
    def merge(self) -> Callable[..., Any]:
        method: Callable[..., Any] = self.target.merge
        return method

    def get_value(self, accumulator: Any) -> object:
        return self.target.get_value(accumulator)

    def freeze(self, accumulator: Any) -> Any:
        """The accumulator as a value of its stored type."""
        assert self.accumulator is not None
        return freezing(self.accumulator)(accumulator)

    def thaw(self, value: object) -> object:
        """The accumulator of a value of its stored type."""
        assert self.accumulator is not None
        return thawing(self.accumulator)(value)


class DeclaredTableAggregate(DeclaredAggregate):
    """A declared table aggregate function, as an aggregate function with the ARRAY of its rows."""

    def get_value(self, accumulator: Any) -> list[Any]:
        emitted = self.target.emit_value(accumulator)
        element = self.output.parts[0].type
        is_row = isinstance(element, t.FieldsType)
        is_single = isinstance(element, t.FieldsType) and len(element.fields) == 1
        rows = list(emitted if emitted is not None else ())
        if is_single:
            return [row if isinstance(row, tuple | MutableRow) else (row,) for row in rows]
        return rows if is_row else [row[0] if isinstance(row, tuple | MutableRow) else row for row in rows]


class DeclaredPandasAggregate(DeclaredAggregate):
    """A declared aggregate function of pandas columns. Its accumulator is the list of the rows of its group."""

    STYLE = "pandas"

    def get_type_inference(self) -> TypeInference:
        inference = Declared.get_type_inference(self)
        return TypeInference(inference.output, inference.input, self._rows_of)

    @staticmethod
    def _rows_of(call: CallContext) -> Bridged:
        fields = tuple(t.Field(f"f{at}", type_) for at, type_ in enumerate(call.argument_data_types))
        return stored(Bridged(t.ArrayType(element=t.RowType(fields=fields))))

    #: The conversions of rows and results, set for the types of a call: `runtime.Frames`.
    frames: Any = None

    def over(self, frames: Any) -> DeclaredPandasAggregate:
        """The function for the types of a call."""
        bound = copy(self)
        bound.frames = frames
        return bound

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *arguments: Any) -> None:
        accumulator.append(arguments)

    def retract(self, accumulator: list[Any], *arguments: Any) -> None:
        """Remove the first equal row."""
        wanted = _comparable(arguments)
        for at, row in enumerate(accumulator):
            if _comparable(row) == wanted:
                del accumulator[at]
                return

    def merge(self, accumulator: list[Any], others: Iterable[list[Any]]) -> None:
        for rows in others:
            accumulator.extend(rows)

    def get_value(self, accumulator: list[Any]) -> Any:
        columns = self.frames.of(accumulator)
        function = self.implementation
        if function is None:
            value = self.target(*columns)
        else:
            inner: Any = function
            state = inner.create_accumulator()
            inner.accumulate(state, *columns)
            value = inner.get_value(state)
        return None if _is_missing(value) else self.frames.value(value)

    def freeze(self, accumulator: list[Any]) -> Any:
        return accumulator

    def thaw(self, value: object) -> object:
        return value


def _comparable(row: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a row, with NaN equal to itself."""
    return tuple("NaN" if isinstance(value, float) and value != value else value for value in row)


def _is_missing(value: object) -> bool:
    """Return True for values that pandas means as NULL."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NaTType", "NAType")


async def awaited(call: Callable[..., Any], rows: Iterable[Sequence[Any]], skips: Sequence[int]) -> list[Any]:
    """The results of an asynchronous function for some rows, in their order."""
    places = asyncio.Semaphore(CONCURRENT_CALLS)

    async def one(row: Sequence[Any]) -> Any:
        if any(row[at] is None for at in skips):
            return None
        async with places:
            return await call(*row)

    return await asyncio.gather(*map(one, rows))
