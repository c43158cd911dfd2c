"""The classes that an author of functions derives from.

Source: FLIP-65, "Proposed Changes"; Flink's user-defined functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from compiled_plan.plans.functions.inference import TypeInference

T = TypeVar("T")
ACC = TypeVar("ACC")


class FunctionKind(Enum):
    """What a function makes of rows: a value of each, rows of each, a value of many."""

    SCALAR = "SCALAR"
    TABLE = "TABLE"
    AGGREGATE = "AGGREGATE"

    @property
    def method(self) -> str:
        """The method that takes a row's arguments."""
        return "accumulate" if self is FunctionKind.AGGREGATE else "eval"


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """What a function may know of where it runs; given to `open`.

    Args:
        function_name: the function's name in the program.
        parameters: values for the whole job, by name.
    """

    function_name: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

    def get_job_parameter(self, key: str, default: str = "") -> str:
        """The job's value of a name, or the default."""
        return self.parameters.get(key, default)


class UserDefinedFunction:
    """Base of all functions of a user's own.

    Types are those of `get_type_inference()`, else of the hints (`function_hint`, `DataTypeHint`), else of the Python
    annotations. `is_deterministic = False` says that two calls with equal arguments may differ, as with a random
    number; such calls are neither moved nor done once for several places.
    """

    KIND: ClassVar[FunctionKind]
    #: The methods that take a row's arguments: of this name, or of this name and an underscore and more.
    METHOD: ClassVar[str] = "eval"

    #: Whether equal arguments give equal results; a method of no parameters is fine too.
    is_deterministic: Any = True

    def open(self, context: FunctionContext) -> None:
        """Called in the worker before the first row.

        A function with a `close` of its own is opened and closed with every task (the rows of one partition in one
        micro-batch); another one is opened once in the life of a worker process.
        """

    def close(self) -> None:
        """Called in the worker after a task's last row."""

    def get_type_inference(self) -> TypeInference | None:
        """The types of the function where neither annotations nor hints can say them; None: they do."""
        return None


class ScalarFunction(UserDefinedFunction):
    """A value for the arguments of each row: `eval(self, ...)`."""

    KIND = FunctionKind.SCALAR


class TableFunction(UserDefinedFunction, Generic[T]):
    """Any number of rows for the arguments of each row.

    `eval` yields the rows, returns them as a list or other iterable, or gives each to `self.collect(row)`. A row is a
    tuple, `Row`, dataclass or dict of the columns; where there is one column, the value itself. Where `eval` does not
    say the type of a row (`Iterator[...]`), that of the class holds: `class Split(TableFunction[str])`.
    """

    KIND = FunctionKind.TABLE

    def collect(self, row: T) -> None:
        """Give one row."""
        self.__dict__.setdefault("_collected", []).append(row)


class AggregateFunction(UserDefinedFunction, Generic[T, ACC]):
    """One value for many rows, kept in an accumulator.

    `accumulate(self, accumulator, ...)` takes the arguments of a row and changes the accumulator, or returns the one
    that takes its place. `retract`, with the same parameters, takes a row back: it is needed where the input has
    updates or deletes, and over bounded OVER windows. `merge(self, accumulator, others)` adds other accumulators: it
    is needed by session windows. An accumulator is kept as a value of its type: that of a hint, else of the annotation
    of `create_accumulator`. Another object that pickles is kept pickled, see `plans.functions.pickles`.
    """

    KIND = FunctionKind.AGGREGATE
    METHOD = "accumulate"

    def create_accumulator(self) -> ACC:
        """An accumulator of no rows."""
        raise NotImplementedError(f"{type(self).__name__}.create_accumulator")

    def get_value(self, accumulator: ACC) -> T | None:
        """The aggregate's value."""
        raise NotImplementedError(f"{type(self).__name__}.get_value")


class TableAggregateFunction(UserDefinedFunction, Generic[T, ACC]):
    """Any number of rows for many. Flink runs these, but its plans have no operator for them, so they are refused."""


def deterministic(function: UserDefinedFunction) -> bool:
    """Whether a function gives equal results for equal arguments."""
    declared = function.is_deterministic
    return bool(declared() if callable(declared) else declared)


def overrides(function: UserDefinedFunction, name: str) -> bool:
    """Whether a function's class has a method `name` of its own."""
    own = getattr(type(function), name, None)
    return own is not None and own is not getattr(UserDefinedFunction, name, None)


def collected(function: UserDefinedFunction, returned: Iterable[Any] | None) -> list[Any]:
    """The rows of one call of a table function: those collected, and then those given back."""
    rows: list[Any] = function.__dict__.pop("_collected", [])
    if returned is not None:
        rows.extend(returned)
    return rows
