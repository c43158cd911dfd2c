"""Base classes of user-defined functions.

Source: FLIP-65, "Proposed Changes"; Flink's user-defined functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar

if TYPE_CHECKING:
    from compiled_plan.plans.functions.inference import TypeInference

T = TypeVar("T")
ACC = TypeVar("ACC")


class FunctionKind(Enum):
    """Kinds of functions: one value per row, any number of rows per row, one value for many rows."""

    SCALAR = "SCALAR"
    TABLE = "TABLE"
    AGGREGATE = "AGGREGATE"

    @property
    def method(self) -> str:
        """The name of the method that is called for a row."""
        return "accumulate" if self is FunctionKind.AGGREGATE else "eval"


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """Information about the job, passed to `open`.

    >>> import compiled_plan as cp
    >>> context = cp.FunctionContext("shout", {"sign": "?"})
    >>> context.get_job_parameter("sign"), context.get_job_parameter("times", "1")
    ('?', '1')

    Args:
        function_name: the function's name in the program.
        parameters: job parameters by name.
    """

    function_name: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

    def get_job_parameter(self, key: str, default_value: str = "") -> str:
        """The job parameter of that name, or the default."""
        return self.parameters.get(key, default_value)

    def get_metric_group(self) -> NoReturn:
        """Not supported: metrics of functions are not collected, as with Flink's `python.metric.enabled` = false.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            "metrics of functions are not collected; the run has metrics of its operators (--metrics-port), and the "
            "function may log or return its numbers"
        )

    def get_task_name(self) -> str:
        """The function's name in the program: tasks of Spark have no names."""
        return self.function_name

    def get_task_name_with_subtasks(self) -> NoReturn:
        """Raise RuntimeError, always: see `get_index_of_this_subtask`."""
        raise self._without_subtask("get_task_name_with_subtasks")

    def get_index_of_this_subtask(self) -> NoReturn:
        """Not supported: a worker process opens a function once, and calls it for the rows of many tasks.

        Raises:
            RuntimeError: always.
        """
        raise self._without_subtask("get_index_of_this_subtask")

    def get_attempt_number(self) -> NoReturn:
        """Raise RuntimeError, always: see `get_index_of_this_subtask`."""
        raise self._without_subtask("get_attempt_number")

    def get_number_of_parallel_subtasks(self) -> NoReturn:
        """Raise RuntimeError, always: see `get_index_of_this_subtask`."""
        raise self._without_subtask("get_number_of_parallel_subtasks")

    def get_max_number_of_parallel_subtasks(self) -> NoReturn:
        """Raise RuntimeError, always: see `get_index_of_this_subtask`."""
        raise self._without_subtask("get_max_number_of_parallel_subtasks")

    @staticmethod
    def _without_subtask(method: str) -> RuntimeError:
        return RuntimeError(
            f"{method} is not supported: a worker process opens a function once, and calls it for the rows of many "
            "tasks; read a number from a job parameter (get_job_parameter), and tell processes apart by os.getpid()"
        )


class UserDefinedFunction:
    """Base class of all user-defined functions.

    Types come from `get_type_inference()`, else from hints (`function_hint`, `DataTypeHint`), else from the Python
    annotations. `is_deterministic = False` declares that two calls with equal arguments may differ, as for a random
    number; such calls are neither moved nor shared between expressions.

    >>> import compiled_plan as cp
    >>> class Shout(cp.ScalarFunction):
    ...     is_deterministic = False
    ...     def open(self, function_context: cp.FunctionContext) -> None:
    ...         self.sign = function_context.get_job_parameter("sign", "!")
    ...     def eval(self, text: str) -> str:
    ...         return text + self.sign
    >>> shout = Shout()
    >>> shout.open(cp.FunctionContext(parameters={"sign": "?"}))
    >>> shout.eval("nut")
    'nut?'
    """

    KIND: ClassVar[FunctionKind]
    #: Methods that are called for a row have this name, or begin with this name and an underscore.
    METHOD: ClassVar[str] = "eval"

    #: True if equal arguments have equal results; may also be a method without parameters.
    is_deterministic: object = True

    def open(self, function_context: FunctionContext) -> None:
        """Initialize the function; called in the worker before the first row.

        A function that overrides `close` is opened and closed with every task (the rows of one partition in one
        micro-batch); any other function is opened once in a worker process.
        """

    def close(self) -> None:
        """Release resources; called in the worker after a task's last row."""

    @property
    def implementation(self) -> UserDefinedFunction | None:
        """The object of the user's class: the function itself, or the one it holds; None if it holds a callable."""
        return self

    @property
    def sources(self) -> tuple[Any, ...]:
        """The classes or functions with the user's code."""
        return (type(self),)

    @property
    def title(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}"

    def get_type_inference(self) -> TypeInference | None:
        """Types that neither annotations nor hints can express; None: annotations and hints hold."""
        return None


class ScalarFunction(UserDefinedFunction):
    """A function with one value per row: `eval(self, ...)`.

    >>> import compiled_plan as cp
    >>> class Shout(cp.ScalarFunction):
    ...     def eval(self, text: str, times: int = 1) -> str:
    ...         return text.upper() + "!" * times
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Shout, cp.col("item"), 2).alias("x"))
    Table(x STRING NOT NULL)
    """

    KIND = FunctionKind.SCALAR


class TableFunction(UserDefinedFunction, Generic[T]):
    """A function with any number of result rows per input row.

    `eval` yields the rows, returns them as an iterable, or passes each to `self.collect(row)`. A row is a tuple, `Row`,
    dataclass or dict of the columns; with a single column, the value itself. If the annotation of `eval` does not name
    the row's type (`Iterator[...]`), the type argument of the class holds: `class Split(TableFunction[str])`.

    >>> import compiled_plan as cp
    >>> class Split(cp.TableFunction[str]):
    ...     def eval(self, text: str):
    ...         yield from text.split()
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.join_lateral(cp.call(Split, cp.col("item")).alias("word"))
    Table(item CHAR(3) NOT NULL, price INT NOT NULL, word STRING NOT NULL)
    """

    KIND = FunctionKind.TABLE

    def collect(self, row: T) -> None:
        """Emit one row, beside those that `eval` returns or yields."""
        self.__dict__.setdefault("_collected", []).append(row)


class AggregateFunction(UserDefinedFunction, Generic[T, ACC]):
    """A function that aggregates rows in an accumulator.

    `accumulate(self, accumulator, ...)` takes the arguments of a row and updates the accumulator, or returns its
    replacement. `retract`, with the same parameters, removes a row: inputs with updates or deletes and bounded OVER
    windows need it. `merge(self, accumulator, others)` merges other accumulators: session windows need it. The state
    holds an accumulator as a value of its type: that of a hint, else of the annotation of `create_accumulator`. Any
    other object is pickled, see `plans.functions.pickles`.

    >>> import compiled_plan as cp
    >>> class Longest(cp.AggregateFunction[str, list[str]]):
    ...     def create_accumulator(self) -> list[str]:
    ...         return [""]
    ...     def accumulate(self, accumulator: list[str], text: str) -> None:
    ...         accumulator[0] = max(accumulator[0], text, key=len)
    ...     def get_value(self, accumulator: list[str]) -> str:
    ...         return accumulator[0]
    >>> items = cp.TableEnvironment().from_values([("nut", 3)], ["item", "price"])
    >>> items.select(cp.call(Longest, cp.col("item")).alias("longest"))
    Table(longest STRING NOT NULL)
    """

    KIND = FunctionKind.AGGREGATE
    METHOD = "accumulate"

    def create_accumulator(self) -> ACC:
        """Create an accumulator of no rows."""
        raise NotImplementedError(f"{type(self).__name__}.create_accumulator")

    def get_value(self, accumulator: ACC) -> T | None:
        """The result for the rows accumulated so far."""
        raise NotImplementedError(f"{type(self).__name__}.get_value")


class AsyncScalarFunction(UserDefinedFunction):
    """A function with one value per row, awaited: `async def eval(self, ...)`. Declare its types with `udf`."""


class TableAggregateFunction(UserDefinedFunction, Generic[T, ACC]):
    """A function that aggregates rows to several rows. Declare its types with `udtaf`, and call it in `flat_aggregate`.

    `emit_value(self, accumulator)` yields the rows; the methods are otherwise those of `AggregateFunction`.
    """


class FunctionHolder:
    """An object that stands for a function in programs: the result of `udf`, `udtf`, `udaf` and `udtaf`.

    Args:
        function: the function.
        aliases: names for the columns of its rows; empty: their own.
    """

    def __init__(self, function: UserDefinedFunction, aliases: tuple[str, ...] = ()) -> None:
        self.function, self.aliases = function, aliases


def deterministic(function: UserDefinedFunction) -> bool:
    """Return True if equal arguments have equal results."""
    declared = function.is_deterministic
    return bool(declared() if callable(declared) else declared)


def overrides(function: UserDefinedFunction, name: str) -> bool:
    """Return True if a function's class overrides the method `name`."""
    own = getattr(type(function.implementation), name, None)
    return own is not None and own is not getattr(UserDefinedFunction, name, None)


def collected(function: UserDefinedFunction, returned: Iterable[object] | None) -> list[object]:
    """The rows of one call of a table function: first the collected, then the returned ones."""
    rows: list[object] = function.__dict__.pop("_collected", [])
    if returned is not None:
        rows.extend(returned)
    return rows
