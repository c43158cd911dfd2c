"""FLIP-65 one step beyond its examples: classes, hints and methods that each sentence implies.

Types are extracted, and functions refused, at registration; runs are in the tests of the executor.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import KW_ONLY, InitVar, dataclass, field
from decimal import Decimal
from types import FunctionType
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy
import numpy.typing
import pandas
import pytest

from compiled_plan import DataTypes, TableEnvironment
from compiled_plan.plans.errors import ProgramError
from compiled_plan.plans.functions import (
    ANY,
    AggregateFunction,
    DataTypeHint,
    InputTypeStrategies,
    Row,
    ScalarFunction,
    TableFunction,
    TypeInference,
    TypeStrategies,
    function_hint,
)
from compiled_plan.plans.functions.signatures import signatures_of
from compiled_plan.plans.types import BIGINT
from compiled_plan.plans.types.python.extraction import Place, extract

T = TypeVar("T")
HERE = __name__


def short(text: object) -> str:
    return str(text).replace("VARCHAR(2147483647)", "STRING").replace("`", "").replace(f"{HERE}.", "")


def type_of(annotation: Any, **hint: Any) -> str:
    return short(extract(annotation, Place("here"), DataTypeHint(**hint)).type)


def error_of(action: Callable[[], Any]) -> str:
    with pytest.raises(ProgramError) as caught:
        action()
    return f"{caught.value.message} -> {caught.value.remedy}"


def register(function: Any) -> None:
    TableEnvironment().create_temporary_function("f", function)


def texts(class_: Any) -> list[str]:
    register(class_)
    return [short(f"{item.text('f')} -> {item.output.type}") for item in signatures_of(class_())]


# --- Structured Types ------------------------------------------------------------------------------------------------


class Accessors:
    """The document's second kind: private fields, with getter and setter; a getter alone is no field."""

    def __init__(self) -> None:
        self._zip, self._name = 0, ""

    def get_zip(self) -> int:
        return self._zip

    def set_zip(self, value: int) -> None:
        self._zip = value

    def getName(self) -> str | None:
        return self._name

    def setName(self, value: str | None) -> None:
        self._name = value or ""

    def get_length(self) -> int:
        return 0


class Inheriting(Accessors): ...


class WithProperty:
    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, value: int) -> None:
        self._size = value

    @property
    def double(self) -> int:
        return 2 * self._size


class Immutable:
    """The third kind: its constructor declares the fields, and getters return them."""

    def __init__(self, field: int) -> None:
        self._field = field

    def get_field(self) -> int:
        return self._field


class Annotated_:
    count: ClassVar[int] = 0
    texts: ClassVar[list[str]] = []
    b: int
    a: str | None
    _hidden: int


class Sub(Annotated_):
    c: bool


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, b: int, a: str) -> None:
        self.a, self.b = a, b


@dataclass
class Counted:
    a: int
    COUNT: ClassVar[int] = 0
    _: KW_ONLY
    b: str = ""


@dataclass
class Pair(Generic[T]):
    left: T
    right: list[T]


@dataclass
class IntPair(Pair[int]):
    third: int | None


class NamedPair(NamedTuple, Generic[T]):
    left: T
    right: dict[str, T]


@DataTypeHint("ROW<a INT, b STRING>")
@dataclass
class AsRow:
    a: int
    b: str


@DataTypeHint("RAW")
class AsRaw: ...


@DataTypeHint(default_decimal_precision=7, default_decimal_scale=1, allow_raw_pattern=[HERE])
@dataclass
class Steered:
    price: Decimal
    opaque: AsOpaque


class AsOpaque:
    def __init__(self, *parts: object) -> None: ...


@pytest.mark.parametrize(
    ("annotation", "fields"),
    [
        (Accessors, "name STRING, zip BIGINT NOT NULL"),
        (Inheriting, "name STRING, zip BIGINT NOT NULL"),
        (WithProperty, "size BIGINT NOT NULL"),
        (Immutable, "field BIGINT NOT NULL"),
        (Annotated_, "b BIGINT NOT NULL, a STRING"),
        (Sub, "b BIGINT NOT NULL, a STRING, c BOOLEAN NOT NULL"),
        (Slots, "b BIGINT NOT NULL, a STRING NOT NULL"),
        (Counted, "a BIGINT NOT NULL, b STRING NOT NULL"),
        (Pair[int], "left BIGINT NOT NULL, right ARRAY<BIGINT NOT NULL> NOT NULL"),
        (Pair[str | None], "left STRING, right ARRAY<STRING> NOT NULL"),
        (
            Pair[Immutable],
            "left STRUCTURED<'Immutable', field BIGINT NOT NULL> NOT NULL,"
            " right ARRAY<STRUCTURED<'Immutable', field BIGINT NOT NULL> NOT NULL> NOT NULL",
        ),
        (IntPair, "left BIGINT NOT NULL, right ARRAY<BIGINT NOT NULL> NOT NULL, third BIGINT"),
        (NamedPair[float], "left DOUBLE NOT NULL, right MAP<STRING NOT NULL, DOUBLE NOT NULL> NOT NULL"),
        (Steered, "price DECIMAL(7, 1) NOT NULL, opaque RAW('AsOpaque', 'pickle') NOT NULL"),
    ],
)
def test_structured_types_of_every_kind(annotation: Any, fields: str) -> None:
    name = getattr(annotation, "__origin__", annotation).__name__
    assert type_of(annotation) == f"STRUCTURED<'{name}', {fields}> NOT NULL"


def test_structured_types_a_hint_above_the_class_says_the_type() -> None:
    assert type_of(AsRow) == "ROW<a INT, b STRING>"
    assert type_of(list[AsRow | None]) == "ARRAY<ROW<a INT, b STRING>> NOT NULL"
    assert type_of(AsRaw) == "RAW('AsRaw', 'pickle') NOT NULL"


@dataclass
class Computed:
    a: int
    b: int = field(init=False, default=0)


class Partial:
    a: int
    b: int

    def __init__(self, a: int) -> None:
        self.a = a


class Settable:
    def __init__(self, a: int) -> None:
        self.a, self._b = a, 0

    def get_b(self) -> int:
        return self._b

    def set_b(self, value: int) -> None:
        self._b = value


class Hidden:
    def __init__(self, field: int) -> None:
        self._other = field


@dataclass
class Initial:
    a: int
    start: InitVar[int]


class Bare:
    def __init__(self, a, b):  # type: ignore[no-untyped-def]
        self.a, self.b = a, b


@pytest.mark.parametrize(
    ("class_", "message"),
    [
        (Computed, "class Computed is no structured type: its constructor does not take the field `b`"),
        (Partial, "its constructor does not take the field `b` -> let the constructor take all fields"),
        (Settable, "its constructor does not take the field `b`"),
        (Hidden, "its constructor takes `field`, which is no field"),
        (Initial, "its constructor takes `start`, which is no field"),
        (Bare, "field `a` of Bare of here has no annotation, and so no SQL type -> annotate it"),
        (Pair, "it is a type variable that nothing says -> write what it stands for: Pair[int]"),
    ],
)
def test_structured_types_constructors_that_do_not_assign_all(class_: type, message: str) -> None:
    assert message in error_of(lambda: type_of(class_))


# --- DataTypeHint ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "hint", "expected"),
    [
        (Decimal, {"allow_raw_globally": True}, "RAW('decimal.Decimal', 'pickle') NOT NULL"),
        (Decimal | None, {"allow_raw_globally": True}, "RAW('decimal.Decimal', 'pickle')"),
        (list[Decimal], {"allow_raw_globally": True}, "ARRAY<RAW('decimal.Decimal', 'pickle') NOT NULL> NOT NULL"),
        (Decimal, {"allow_raw_globally": True, "default_decimal_precision": 5}, "DECIMAL(5, 0) NOT NULL"),
        (Decimal, {"allow_raw_pattern": ["decimal."]}, "RAW('decimal.Decimal', 'pickle') NOT NULL"),
        (Decimal, {"allow_raw_pattern": ["decimal.Decimal"], "default_decimal_scale": 2}, "DECIMAL(38, 2) NOT NULL"),
        (
            Decimal,
            {"force_raw_pattern": ["decimal"], "default_decimal_precision": 5},
            "RAW('decimal.Decimal', 'pickle') NOT NULL",
        ),
        (list, {"allow_raw_globally": True}, "RAW('builtins.list', 'pickle') NOT NULL"),
        (set[int], {"allow_raw_globally": True}, "RAW('builtins.set', 'pickle') NOT NULL"),
        (tuple[int, str], {"allow_raw_globally": True}, "RAW('builtins.tuple', 'pickle') NOT NULL"),
        (object, {"allow_raw_globally": True}, "RAW('builtins.object', 'pickle') NOT NULL"),
        (Partial, {"allow_raw_globally": True}, "RAW('Partial', 'pickle') NOT NULL"),
        (int, {"allow_raw_globally": True}, "BIGINT NOT NULL"),
        (list[int], {"force_raw_pattern": ["builtins."]}, "ARRAY<RAW('builtins.int', 'pickle') NOT NULL> NOT NULL"),
        (dt.date, {"force_raw_pattern": ["datetime.date"]}, "RAW('datetime.date', 'pickle') NOT NULL"),
    ],
)
def test_data_type_hint_raw(annotation: Any, hint: dict[str, Any], expected: str) -> None:
    """ "For example, BigDecimal cannot be mapped because decimals have a fixed precision and scale"; without arrays."""
    assert type_of(annotation, **hint) == expected


def test_data_type_hint_a_pattern_is_a_prefix() -> None:
    assert "no SQL type for the annotation Decimal" in error_of(lambda: type_of(Decimal, allow_raw_pattern=["ecimal"]))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (Annotated[Decimal, DataTypes.DECIMAL(5, 2)], "DECIMAL(5, 2)"),
        (Annotated[Decimal, DataTypes.DECIMAL(5, 2).not_null()] | None, "DECIMAL(5, 2)"),
        (list[Annotated[Decimal, DataTypes.DECIMAL(4, 1).not_null()]], "ARRAY<DECIMAL(4, 1) NOT NULL> NOT NULL"),
        (Annotated[Row, DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])], "ROW<a INT>"),
        (Annotated[int, "what it is", BIGINT], "BIGINT"),
        (Annotated[dt.datetime, DataTypes.TIMESTAMP_LTZ(3)], "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
        (DataTypes.INT(), "INT"),
        (Annotated[numpy.ndarray, DataTypeHint("ARRAY<DOUBLE>")], "ARRAY<DOUBLE>"),
    ],
)
def test_data_type_hint_data_types_in_annotations(annotation: Any, expected: str) -> None:
    assert type_of(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (numpy.ndarray, 'ndarray: its elements have no type -> write Annotated[numpy.ndarray, DataTypeHint("ARRAY'),
        (numpy.typing.NDArray[numpy.int64], "its elements have no type"),
        (numpy.uint8, "uint8: SQL has no such type -> write int, float, or one of numpy's bool, int8"),
        (numpy.datetime64, "it may be a date or a time -> write datetime.datetime"),
        (numpy.str_, "str_: texts are those of Python -> write str"),
        (pandas.Series, "Series: SQL has no such type"),
        (Annotated[str, DataTypes.INT()], "values of type INT are not what the annotation str says"),
    ],
)
def test_data_type_hint_refusals_of_classes(annotation: Any, message: str) -> None:
    assert message in error_of(lambda: type_of(annotation))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DataTypeHint("INT", bridged_to=5), "bridged_to is 5 -> give a class"),  # type: ignore[arg-type]
        (lambda: DataTypeHint(default_decimal_precision="5"), "default_decimal_precision is '5'"),  # type: ignore[arg-type]
        (lambda: DataTypeHint(allow_raw_pattern=[5]), "allow_raw_pattern is [5]"),  # type: ignore[list-item]
        (lambda: DataTypeHint(input_group=ANY)(AsOpaque), "above class AsOpaque has input_group"),
        (lambda: DataTypeHint(bridged_to=int)(AsOpaque), "has bridged_to without a type"),
        (lambda: function_hint(input=[DataTypeHint(version=1)]), "argument 1 of the input names no type"),
        (lambda: function_hint(is_varargs="YES"), "is_varargs is 'YES' -> write True or False"),  # type: ignore[arg-type]
    ],
)
def test_data_type_hint_wrong_hints(make: Callable[[], Any], message: str) -> None:
    assert message in error_of(make)


# --- FunctionHint ----------------------------------------------------------------------------------------------------


def anything(self, *args: object) -> object: ...  # type: ignore[no-untyped-def]
def one(self, a: int) -> str: ...  # type: ignore[no-untyped-def]
def rest(self, a: int, *b: str) -> str: ...  # type: ignore[no-untyped-def]
def price(self, a: Decimal) -> Decimal: ...  # type: ignore[no-untyped-def]


def hinted(method: Any, *hints: Any, above: Any = None) -> Any:
    """A function class whose `eval` is a copy of a method, with hints; hints apply in the order written."""
    copy: Any = FunctionType(method.__code__, method.__globals__, "eval", method.__defaults__)
    copy.__annotations__ = dict(method.__annotations__)
    for hint in reversed(hints):
        copy = hint(copy)
    class_ = type("F", (ScalarFunction,), {"eval": copy})
    return class_ if above is None else above(class_)


INT_TO_INT, INT_TO_TEXT = function_hint(input=["INT"], output="INT"), function_hint(input=["INT"], output="STRING")


@pytest.mark.parametrize(
    ("class_", "expected"),
    [
        (hinted(anything, INT_TO_INT, INT_TO_INT), ["f(INT) -> INT"]),
        (
            hinted(anything, INT_TO_INT, function_hint(input=["INT NOT NULL"], output="STRING")),
            ["f(INT) -> INT", "f(INT NOT NULL) -> STRING"],
        ),
        (
            hinted(anything, INT_TO_INT, function_hint(input=["INT"], is_varargs=True, output="STRING")),
            ["f(INT) -> INT", "f(INT...) -> STRING"],
        ),
        (hinted(rest), ["f(a => BIGINT NOT NULL, b => STRING NOT NULL...) -> STRING NOT NULL"]),
        (
            hinted(rest, function_hint(is_varargs=False)),
            ["f(a => BIGINT NOT NULL, b => STRING NOT NULL) -> STRING NOT NULL"],
        ),
        (
            hinted(rest, function_hint(input=["INT", "STRING"], is_varargs=True)),
            ["f(a => INT, STRING...) -> STRING NOT NULL"],
        ),
        (hinted(rest, function_hint(input=["INT"])), ["f(a => INT) -> STRING NOT NULL"]),
        (
            hinted(price, above=DataTypeHint(default_decimal_precision=5, default_decimal_scale=2)),
            ["f(a => DECIMAL(5, 2) NOT NULL) -> DECIMAL(5, 2) NOT NULL"],
        ),
        (
            hinted(price, above=DataTypeHint(allow_raw_globally=True)),
            ["f(a => RAW('decimal.Decimal', 'pickle') NOT NULL) -> RAW('decimal.Decimal', 'pickle') NOT NULL"],
        ),
        (hinted(one, function_hint(argument_names="number")), ["f(number => BIGINT NOT NULL) -> STRING NOT NULL"]),
    ],
)
def test_function_hint_signatures(class_: Any, expected: list[str]) -> None:
    assert texts(class_) == expected


@pytest.mark.parametrize(
    ("class_", "message"),
    [
        (
            hinted(anything, INT_TO_INT, INT_TO_TEXT),
            "two signatures that take (INT), of different results: INT and VARCHAR",
        ),
        (INT_TO_INT(hinted(anything, above=INT_TO_TEXT)), "two signatures that take (INT), of different results"),
        (hinted(one, function_hint(input=["STRING"])), "type VARCHAR(2147483647) are not what the annotation int says"),
        (hinted(one, function_hint(output="INT")), "the result of F.eval: values of type INT are not what"),
        (hinted(one, function_hint(input=["INT", "INT"])), "the input has 2 arguments, the method takes 1"),
        (hinted(one, above=function_hint(input=["STRING"])), "values of type VARCHAR(2147483647) are not what"),
        (
            hinted(one, above=lambda f: function_hint(input=["BIGINT"])(function_hint(input=["INT", "INT"])(f))),
            "the input has 2 arguments, the method takes 1",
        ),
        (
            hinted(rest, function_hint(input=["INT"], is_varargs=True)),
            "the last one repeated, the method takes 1 or more",
        ),
        (hinted(one, function_hint(is_varargs=True)), "is_varargs, but its last parameter takes one argument"),
        (hinted(one, function_hint(accumulator="INT")), "has an accumulator, and it is no aggregate function"),
        (hinted(one, above=DataTypeHint("INT")), "the DataTypeHint above function class F says a type"),
    ],
)
def test_function_hint_refused_when_registered(class_: Any, message: str) -> None:
    assert message in error_of(lambda: register(class_))


# --- New extraction: methods -----------------------------------------------------------------------------------------


class Base(TableFunction[T], Generic[T]):
    def eval(self, value: T, more: list[T] | None = None) -> Iterator[T]: ...


class OfText(Base[str]): ...


class OfPairs(Base[Pair[int]]): ...


def test_new_extraction_generic_function_bases() -> None:
    assert texts(OfText) == ["f(value => STRING NOT NULL, [more => ARRAY<STRING NOT NULL>]) -> STRING NOT NULL"]
    assert texts(OfPairs)[0].endswith(
        "-> STRUCTURED<'Pair', left BIGINT NOT NULL, right ARRAY<BIGINT NOT NULL> NOT NULL> NOT NULL"
    )


class NoTypes(ScalarFunction):
    def eval(self, a, b): ...  # type: ignore[no-untyped-def]


class NoResult(ScalarFunction):
    def eval(self, a: int): ...  # type: ignore[no-untyped-def]


class NoParameter(ScalarFunction):
    def eval(self, a) -> int: ...  # type: ignore[no-untyped-def]


class NoSelf(ScalarFunction):
    def eval(a: int) -> int: ...  # type: ignore[misc]


class NothingTaken(ScalarFunction):
    def eval() -> int: ...  # type: ignore[misc]


class Awaited(ScalarFunction):
    async def eval(self, a: int) -> int: ...


class AwaitedRows(TableFunction[int]):
    async def eval(self, a: int) -> AsyncIterator[int]:
        yield a


class NoMethod(ScalarFunction):
    eval = 5


class NotMade(ScalarFunction):
    def __init__(self) -> None:
        raise RuntimeError("no file")

    def eval(self, a: int) -> int: ...


class Curried(ScalarFunction):
    eval = functools.partialmethod(lambda self, a, b: a, 1)


class Sums(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]: ...
    def accumulate(self, accumulator: list[int], value: int, weight: int) -> None: ...
    def get_value(self, accumulator: list[int]) -> int: ...


class Short(Sums):
    def retract(self, accumulator: list[int], value: int) -> None: ...


class Merging(Sums):
    def merge(self) -> None: ...


class Making(Sums):
    def create_accumulator(self, start: int) -> list[int]: ...  # type: ignore[override]


class AwaitedSums(Sums):
    async def accumulate(self, accumulator: list[int], value: int) -> None: ...  # type: ignore[override]


@pytest.mark.parametrize(
    ("class_", "message"),
    [
        (
            NoTypes,
            "the result of NoTypes.eval has no annotation, and so no SQL type -> write its type after the parameters",
        ),
        (NoResult, "the result of NoResult.eval has no annotation"),
        (
            NoParameter,
            "parameter `a` of NoParameter.eval has no annotation, and so no SQL type -> annotate it, `name: int`",
        ),
        (
            NoSelf,
            "the first parameter of NoSelf.eval, `a`, would be the function itself -> write `def eval(self, ...)`",
        ),
        (NothingTaken, "NothingTaken.eval lacks its first parameters -> write `def eval(self, ...)`"),
        (Awaited, "Awaited.eval is an `async` function, and rows are not awaited -> write `def eval`"),
        (AwaitedRows, "AwaitedRows.eval is an `async` function"),
        (NoMethod, "function class NoMethod has no method `eval`"),
        (NotMade, "making an object of class NotMade raised RuntimeError: no file -> correct its __init__"),
        (Curried, "the result of Curried.eval has no annotation"),
        (Short, "Short.retract does not take the arguments of `accumulate` -> give it the same parameters"),
        (Merging, "Merging.merge does not take what it is called with -> write `def merge(self, accumulator, others)`"),
        (Making, "Making.create_accumulator does not take what it is called with"),
        (AwaitedSums, "AwaitedSums.accumulate is an `async` function"),
    ],
)
def test_new_extraction_errors_in_the_users_terms(class_: type, message: str) -> None:
    error = error_of(lambda: register(class_))
    assert message in error
    assert "_empty" not in error and "internal" not in error


# --- Manual Definition -----------------------------------------------------------------------------------------------


def inferring(inference: Callable[[], Any]) -> Any:
    def eval_(self: Any, a: Any) -> Any: ...

    return type("G", (ScalarFunction,), {"eval": eval_, "get_type_inference": lambda self: inference()})


INT = InputTypeStrategies.sequence("INT")


class ByName(ScalarFunction):
    def eval(self, *, a: Any) -> Any: ...

    def get_type_inference(self) -> TypeInference:
        return TypeInference("INT", InputTypeStrategies.WILDCARD)


class Accumulating(Sums):
    @function_hint(input=["BIGINT", "BIGINT"], accumulator="ARRAY<INT>")
    @function_hint(input=["BIGINT", "BIGINT"], accumulator="ARRAY<BIGINT>")
    def accumulate(self, accumulator: list[int], value: int, weight: int) -> None: ...


class Holding(ScalarFunction):
    def __init__(self, step: int) -> None:
        self.step, self.inference = step, TypeInference("INT", INT)

    def get_type_inference(self) -> TypeInference:
        return self.inference

    def eval(self, a: Any) -> Any: ...


def test_manual_definition_methods_and_attributes() -> None:
    assert "parameter `a` can only be given by its Python name" in error_of(lambda: register(ByName))
    assert "of different accumulators: ARRAY<INT> and ARRAY<BIGINT>" in error_of(lambda: register(Accumulating))
    assert "holds what a plan cannot: inference -> " in error_of(lambda: register(Holding(3)))


@pytest.mark.parametrize(
    ("inference", "message"),
    [
        (lambda: 1 / 0, "G.get_type_inference raised ZeroDivisionError: division by zero -> correct it"),
        (lambda: "INT", "G.get_type_inference gave 'INT' -> return a compiled_plan.TypeInference"),
        (lambda: TypeInference("INT", "INT"), "the input is 'INT', and no strategy -> write InputTypeStrategies"),  # type: ignore[arg-type]
        (lambda: TypeInference("INT", InputTypeStrategies.sequence("FOO")), "G.get_type_inference: "),
        (lambda: TypeInference("INT", InputTypeStrategies.sequence()), "that has 0 arguments, the method takes 1"),
    ],
)
def test_manual_definition_errors_when_registered(inference: Callable[[], Any], message: str) -> None:
    assert message in error_of(lambda: register(inferring(inference)))


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (TypeStrategies.argument(3), "the output strategy of the type inference of function f raised IndexError"),
        (lambda call: 1 / 0, "raised ZeroDivisionError: division by zero -> correct it in get_type_inference"),
        (lambda call: None, "the result of function f has no type for these arguments"),
        (lambda call: 5, "the result of function f: 5 is no data type"),
        ("FOO", "the result of function f: not a type: 'FOO'"),
    ],
)
def test_manual_definition_errors_in_calls(output: Any, message: str) -> None:
    env = TableEnvironment()
    env.create_temporary_function("f", inferring(lambda: TypeInference(output, INT)))
    with pytest.raises(ProgramError) as caught:
        env.sql_query("SELECT f(1)")
    assert message in f"{caught.value.message} -> {caught.value.remedy}"
    assert "line 1, column 8" in caught.value.where
