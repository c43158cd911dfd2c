"""User-defined functions by the names of `pyflink.table.udf`.

>>> from compiled_plan.pyflink.udf import udf
>>> from compiled_plan import TableEnvironment, col
>>> @udf(result_type="BIGINT")
... def doubled(number):
...     return 2 * number
>>> orders = TableEnvironment().from_values([("nut", 3)], ["item", "price"])
>>> orders.select(doubled(col("price")).alias("twice")).columns
['twice']

Source: PyFlink's `pyflink.table.udf`.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterable
from typing import Any

from compiled_plan.planner.table.expressions.expression import Expression
from compiled_plan.planner.table.expressions.functions import call
from compiled_plan.plans import types as t
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions.declared import (
    Declared,
    DeclaredAggregate,
    DeclaredAsync,
    DeclaredPandas,
    DeclaredPandasAggregate,
    DeclaredScalar,
    DeclaredTable,
    DeclaredTableAggregate,
)
from compiled_plan.plans.functions.definitions import (
    AggregateFunction,
    AsyncScalarFunction,
    FunctionContext,
    FunctionHolder,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    deterministic,
)
from compiled_plan.plans.types.python.bridge import Bridged
from compiled_plan.plans.types.python.extraction import from_data_type

__all__ = [
    "AggregateFunction",
    "AsyncScalarFunction",
    "FunctionContext",
    "ScalarFunction",
    "TableAggregateFunction",
    "TableFunction",
    "UserDefinedFunctionWrapper",
    "udaf",
    "udf",
    "udtaf",
    "udtf",
]

#: A type: DataTypes, or its SQL text.
Type = object


class UserDefinedFunctionWrapper(FunctionHolder):
    """A function with declared types: register it, or call it in expressions."""

    def __init__(self, function: Declared) -> None:
        super().__init__(function)
        functools.update_wrapper(self, function.target, updated=())

    def __call__(self, *args: object) -> Expression:
        """The call of the function in an expression."""
        called = call(self, *args)
        return called.alias(*self.aliases) if self.aliases else called

    def alias(self, *alias_names: str) -> UserDefinedFunctionWrapper:
        """Name the columns of the function's rows, in `map`, `flat_map`, `aggregate` and `flat_aggregate`."""
        self.aliases = alias_names
        return self

    def __repr__(self) -> str:
        return f"<function {self.function.title}>"


def udf(
    f: object = None,
    input_types: Type | Iterable[Type] | None = None,
    result_type: Type = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Declare a scalar function; without `f`, a decorator.

    Args:
        f: a function, a lambda, an `async` function, a partial, an object that can be called, or an object of a
            ScalarFunction or AsyncScalarFunction.
        input_types: the arguments' types, to which arguments are cast; any arguments by default.
        result_type: the result's type.
        deterministic: False if equal arguments may have different results.
        name: the function's name in messages.
        func_type: "general" for calls with the values of a row, "pandas" for calls with a Series for each argument.

    Raises:
        ProgramError: not a function, or no valid type.
    """
    _check_style(func_type, "udf")
    module = _caller()

    def declare(target: object) -> UserDefinedFunctionWrapper:
        is_async = isinstance(target, AsyncScalarFunction) or inspect.iscoroutinefunction(_innermost(target))
        if is_async and func_type == "pandas":
            raise ProgramError("an async function has no pandas form", where="udf()", remedy="leave func_type out")
        kind = DeclaredAsync if is_async else DeclaredPandas if func_type == "pandas" else DeclaredScalar
        _check_target(target, "udf", ScalarFunction, AsyncScalarFunction)
        output = _type(result_type, "the result_type of udf()")
        common = _common(target, "udf", input_types, deterministic, name)
        return UserDefinedFunctionWrapper(
            kind(target, *common, output, module=module, deterministic=_is_deterministic(target, deterministic))
        )

    return declare if f is None else declare(f)


def udtf(
    f: object = None,
    input_types: Type | Iterable[Type] | None = None,
    result_types: Type | Iterable[Type] | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Declare a table function; without `f`, a decorator.

    Args:
        f: as for `udf`, or an object of a TableFunction. It yields rows or returns them: a list, a range or a
            generator has several, any other value is one row.
        input_types: as for `udf`.
        result_types: the types of the columns, or their ROW type.
        deterministic: as for `udf`.
        name: as for `udf`.

    Raises:
        ProgramError: not a function, or no valid type.
    """
    module = _caller()

    def declare(target: object) -> UserDefinedFunctionWrapper:
        _check_target(target, "udtf", TableFunction)
        output = _row_of(result_types)
        common = _common(target, "udtf", input_types, deterministic, name)
        function = DeclaredTable(
            target, *common, output, module=module, deterministic=_is_deterministic(target, deterministic)
        )
        return UserDefinedFunctionWrapper(function)

    return declare if f is None else declare(f)


def udaf(
    f: object = None,
    input_types: Type | Iterable[Type] | None = None,
    result_type: Type = None,
    accumulator_type: Type = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Declare an aggregate function; without `f`, a decorator.

    Args:
        f: an object of an AggregateFunction; with `func_type="pandas"` also a function of a Series for each argument.
        input_types: as for `udf`.
        result_type: the result's type; that of `get_result_type` by default.
        accumulator_type: the accumulator's type; that of `get_accumulator_type` by default.
        deterministic: as for `udf`.
        name: as for `udf`.
        func_type: "general", or "pandas" for a call with all rows of a group at once.

    Raises:
        ProgramError: not a function, or no valid type.
    """
    _check_style(func_type, "udaf")
    module = _caller()

    def declare(target: object) -> UserDefinedFunctionWrapper:
        is_pandas = func_type == "pandas"
        _check_target(target, "udaf", AggregateFunction, functions=is_pandas)
        output = _type(_declared_type(target, result_type, "result"), "the result_type of udaf()")
        common = _common(target, "udaf", input_types, deterministic, name)
        fixed = _is_deterministic(target, deterministic)
        if is_pandas:
            return UserDefinedFunctionWrapper(
                DeclaredPandasAggregate(target, *common, output, module=module, deterministic=fixed)
            )
        state = _type(_declared_type(target, accumulator_type, "accumulator"), "the accumulator_type of udaf()")
        function = DeclaredAggregate(target, *common, output, module=module, accumulator=state, deterministic=fixed)
        return UserDefinedFunctionWrapper(function)

    return declare if f is None else declare(f)


def udtaf(
    f: object = None,
    input_types: Type | Iterable[Type] | None = None,
    result_type: Type = None,
    accumulator_type: Type = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Declare a table aggregate function for `flat_aggregate`; without `f`, a decorator.

    Args:
        f: an object of a TableAggregateFunction.
        input_types: as for `udf`.
        result_type: the type of a row, ROW or of its only column; that of `get_result_type` by default.
        accumulator_type: as for `udaf`.
        deterministic: as for `udf`.
        name: as for `udf`.
        func_type: "general".

    Raises:
        ProgramError: not a function, or no valid type.
    """
    _check_style(func_type, "udtaf")
    if func_type == "pandas":
        raise ProgramError("a table aggregate function has no pandas form", where="udtaf()", remedy="leave it out")
    module = _caller()

    def declare(target: object) -> UserDefinedFunctionWrapper:
        _check_target(target, "udtaf", TableAggregateFunction, functions=False)
        row = _type(_declared_type(target, result_type, "result"), "the result_type of udtaf()")
        state = _type(_declared_type(target, accumulator_type, "accumulator"), "the accumulator_type of udtaf()")
        rows = Bridged(t.ArrayType(element=row.type), None, (row,))
        common = _common(target, "udtaf", input_types, deterministic, name)
        fixed = _is_deterministic(target, deterministic)
        function = DeclaredTableAggregate(target, *common, rows, module=module, accumulator=state, deterministic=fixed)
        return UserDefinedFunctionWrapper(function)

    return declare if f is None else declare(f)


# --- checks and types ------------------------------------------------------------------------------------------------


def _caller() -> str:
    """The module that calls `udf` and so on."""
    return str(sys._getframe(2).f_globals.get("__name__", ""))


def _innermost(target: object) -> object:
    while isinstance(target, functools.partial):
        target = target.func
    return target if inspect.isroutine(target) or not callable(target) else type(target).__call__


def _check_style(func_type: str, maker: str) -> None:
    if func_type not in ("general", "pandas"):
        raise ProgramError(f"func_type is {func_type!r}", where=f"{maker}()", remedy='write "general" or "pandas"')


def _check_target(target: object, maker: str, *classes: type, functions: bool = True) -> None:
    known = " or ".join(class_.__name__ for class_ in classes)
    if inspect.isclass(target):
        raise ProgramError(
            f"{target.__qualname__} is a class", where=f"{maker}()", remedy=f"give an object: {target.__name__}()"
        )
    if isinstance(target, UserDefinedFunction):
        if not isinstance(target, classes):
            raise ProgramError(
                f"{type(target).__qualname__} is no {known}", where=f"{maker}()", remedy=f"derive it from {known}"
            )
    elif not functions or not callable(target):
        remedy = f"give an object of a {known}" + (", or a function" if functions else "")
        raise ProgramError(f"{target!r} is no function", where=f"{maker}()", remedy=remedy)


def _is_deterministic(target: object, declared: bool | None) -> bool:
    own = deterministic(target) if isinstance(target, UserDefinedFunction) else True
    if declared is not None and isinstance(target, UserDefinedFunction) and declared != own:
        raise ProgramError(
            f"deterministic is {declared}, and {type(target).__qualname__}.is_deterministic says {own}",
            remedy="correct one of them",
        )
    return own if declared is None else declared


def _common(
    target: object, maker: str, input_types: object, declared: bool | None, name: str | None
) -> tuple[str, tuple[Bridged, ...] | None]:
    inner = _innermost(target) if isinstance(target, functools.partial) else target
    shown = name or getattr(target, "__name__", None) or getattr(inner, "__name__", None) or type(target).__name__
    return shown, _inputs(input_types, f"the input_types of {maker}()")


def _inputs(declared: object, where: str) -> tuple[Bridged, ...] | None:
    if declared is None:
        return None
    if not isinstance(declared, list | tuple):
        single = _type(declared, where)
        return tuple(single.parts) if isinstance(single.type, t.RowType) else (single,)
    return tuple(_type(item, where) for item in declared)


def _declared_type(target: object, declared: Type, role: str) -> Type:
    own = getattr(target, f"get_{role}_type", None)
    return own() if declared is None and own is not None else declared


def _type(declared: Type, where: str) -> Bridged:
    if declared is None:
        raise ProgramError(f"{where} is missing", remedy='write a type: DataTypes.BIGINT(), or "BIGINT"')
    return from_data_type(declared, where)


def _row_of(declared: object) -> Bridged:
    """The row type of a table function's columns; columns without names are f0, f1, ...."""
    where = "the result_types of udtf()"
    if isinstance(declared, list | tuple):
        parts = tuple(_type(item, where) for item in declared)
    else:
        single = _type(declared, where)
        if isinstance(single.type, t.RowType):
            return single
        parts = (single,)
    fields = tuple(t.Field(f"f{at}", part.type) for at, part in enumerate(parts))
    return Bridged(t.RowType(fields=fields), None, parts)
