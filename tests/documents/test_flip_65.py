"""FLIP-65, "New TypeInference for Table API UDFs": every example of the document, in Python.

The tests are named after the document's sections, in its order.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, overload

import numpy
import pandas
import pytest
from dateutil.relativedelta import relativedelta

from compiled_plan.environment import TableEnvironment
from compiled_plan.plans.errors import CompiledPlanError, ProgramError
from compiled_plan.plans.functions import (
    ANY,
    AggregateFunction,
    ArgumentCount,
    CallContext,
    DataTypeHint,
    InputTypeStrategies,
    Row,
    ScalarFunction,
    TableFunction,
    TypeInference,
    TypeStrategies,
    UserDefinedFunction,
    function_hint,
)
from compiled_plan.plans.functions.signatures import signatures_of
from compiled_plan.plans.types.python.extraction import Place, extract

PLACE = Place("here")


def signatures(class_: type[UserDefinedFunction]) -> list[str]:
    """`f(a => INT) -> STRING`, with STRING and BYTES abbreviated."""
    signatures = [f"{item.text('f')} -> {item.output.type}" for item in signatures_of(class_())]
    return [text.replace("VARCHAR(2147483647)", "STRING").replace("`", "") for text in signatures]


# --- Proposed Changes ------------------------------------------------------------------------------------------------


class Declared(ScalarFunction):
    """All three levels: the inference wins over the hint, the hint over the annotations."""

    def eval(self, value: int) -> int:
        return value


@function_hint(output="DECIMAL(20, 0)")
class Annotated_(ScalarFunction):
    def eval(self, value: int) -> Decimal: ...


class Inferred(Annotated_):
    def get_type_inference(self) -> TypeInference:
        return TypeInference(output="BOOLEAN", input=InputTypeStrategies.sequence("SMALLINT"))


def test_proposed_changes_precedence() -> None:
    from compiled_plan.plans.functions.calls import Callables, exactly
    from compiled_plan.plans.functions.inference import ArgumentInfo
    from compiled_plan.plans.types import BIGINT, SMALLINT

    def result(class_: type[UserDefinedFunction], type_: Any) -> str:
        return str(Callables(class_()).bind("f", [ArgumentInfo(type_.not_null())], [None], exactly).output.type)

    assert result(Declared, BIGINT) == "BIGINT NOT NULL"
    assert result(Annotated_, BIGINT) == "DECIMAL(20, 0)"
    assert result(Inferred, SMALLINT) == "BOOLEAN"
    with pytest.raises(ProgramError, match=r"supported signatures: f\(SMALLINT\)"):
        result(Inferred, BIGINT)


# --- Resolution Process ----------------------------------------------------------------------------------------------


def test_resolution_process_candidates() -> None:
    """Each of these accepts `(int, Long)`; the annotations only have to allow the values."""

    def fits(target: Any) -> list[str]:
        hint = function_hint(input=["INT NOT NULL", "BIGINT"], output="STRING")
        return signatures(type("F", (ScalarFunction,), {"eval": hint(target)}))

    def exact(self: Any, a: int, b: int | None) -> str: ...
    def nullable(self: Any, a: int | None, b: int | None) -> str: ...
    def objects(self: Any, a: int, b: object) -> str: ...
    def anything(self: Any, *args: object) -> str: ...
    def bare(self: Any, a, b) -> str: ...  # type: ignore[no-untyped-def]

    assert fits(exact) == ["f(a => INT NOT NULL, b => BIGINT) -> STRING"]
    assert fits(nullable) == fits(objects) == fits(bare) == fits(exact)
    assert fits(anything) == ["f(INT NOT NULL, BIGINT) -> STRING"]


def test_resolution_process_checked_when_registered() -> None:
    """A method that does not match its signature is refused at once, with the parameter and a remedy."""

    class TooFew(ScalarFunction):
        @function_hint(input=["INT", "INT"], output="INT")
        def eval(self, a: int) -> int: ...

    class Wrong(ScalarFunction):
        @function_hint(input=["INT"], output="INT")
        def eval(self, name: str) -> int: ...

    class NotRepeated(ScalarFunction):
        @function_hint(input=["INT"], is_varargs=True, output="INT")
        def eval(self, a: int) -> int: ...

    env = TableEnvironment()
    with pytest.raises(ProgramError, match=r"TooFew\.eval does not fit its function_hint: the input has 2 arguments"):
        env.create_temporary_function("f", TooFew)
    with pytest.raises(ProgramError, match=r"parameter `name` of .*Wrong.eval.*type INT are not what .* str says"):
        env.create_temporary_function("f", Wrong)
    with pytest.raises(ProgramError, match=r"the last one repeated, the method takes 1(.|\n)*\*args"):
        env.create_temporary_function("f", NotRepeated)


# --- New extraction --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, "VARCHAR(2147483647) NOT NULL"),
        (str | None, "VARCHAR(2147483647)"),
        (bool, "BOOLEAN NOT NULL"),
        (numpy.int8, "TINYINT NOT NULL"),
        (numpy.int16, "SMALLINT NOT NULL"),
        (numpy.int32, "INT NOT NULL"),
        (int, "BIGINT NOT NULL"),
        (int | None, "BIGINT"),
        (numpy.float32, "FLOAT NOT NULL"),
        (float, "DOUBLE NOT NULL"),
        (bytes, "VARBINARY(2147483647) NOT NULL"),
        (dt.date, "DATE NOT NULL"),
        (dt.time, "TIME(0) NOT NULL"),
        (dt.datetime, "TIMESTAMP(6) NOT NULL"),
        (pandas.Timestamp, "TIMESTAMP(9) NOT NULL"),
        (Annotated[dt.datetime, DataTypeHint("TIMESTAMP_LTZ(6)")], "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        (dt.timedelta, "INTERVAL SECOND(6) NOT NULL"),
        (relativedelta, "INTERVAL YEAR(4) TO MONTH NOT NULL"),
        (list[int], "ARRAY<BIGINT NOT NULL> NOT NULL"),
        (list[int | None] | None, "ARRAY<BIGINT>"),
        (tuple[str, ...], "ARRAY<VARCHAR(2147483647) NOT NULL> NOT NULL"),
        (dict[str, float], "MAP<VARCHAR(2147483647) NOT NULL, DOUBLE NOT NULL> NOT NULL"),
        (
            list[dict[str, list[bool]]],
            "ARRAY<MAP<VARCHAR(2147483647) NOT NULL, ARRAY<BOOLEAN NOT NULL> NOT NULL> NOT NULL> NOT NULL",
        ),
    ],
)
def test_new_extraction_classes(annotation: Any, expected: str) -> None:
    assert str(extract(annotation, PLACE).type) == expected


class Local:
    """A class without fields that could be columns."""

    def __init__(self, *parts: object) -> None: ...


@pytest.mark.parametrize(
    ("annotation", "remedy"),
    [
        (dict, "write dict[str, int]"),
        (list, "write list[int]"),
        (set[str], "MULTISET"),
        (Row, 'DataTypeHint("ROW<a INT, b STRING>")'),
        (tuple[int, str], 'DataTypeHint("ROW<a INT, b STRING>")'),
        (Decimal, 'DataTypeHint("DECIMAL(10, 2)")'),
        (Local, 'DataTypeHint("RAW")'),
        (object, "input_group=ANY"),
        (Any, "input_group=ANY"),
        (int | str, "DataTypeHint"),
    ],
)
def test_new_extraction_excluded_types(annotation: Any, remedy: str) -> None:
    """MULTISET, ROW, DECIMAL and ANY need an annotation: the error names parameter, annotation and remedy."""

    class F(ScalarFunction):
        def eval(self, value) -> int: ...  # type: ignore[no-untyped-def]

    F.eval.__annotations__["value"] = annotation
    with pytest.raises(ProgramError) as caught:
        TableEnvironment().create_temporary_function("f", F)
    assert "parameter `value` of" in caught.value.message and "F.eval" in caught.value.message
    assert remedy in caught.value.remedy


def test_new_extraction_varargs_and_names() -> None:
    class F(ScalarFunction):
        def eval(self, prefix: str, *numbers: int | None) -> str: ...

    assert signatures(F) == ["f(prefix => STRING NOT NULL, numbers => BIGINT...) -> STRING NOT NULL"]


def test_new_extraction_without_annotation() -> None:
    class F(ScalarFunction):
        def eval(self, value) -> int: ...  # type: ignore[no-untyped-def]

    with pytest.raises(ProgramError, match=r"parameter `value` of .*F.eval has no annotation(.|\n)*annotate it"):
        TableEnvironment().create_temporary_function("f", F)


# --- Structured Types ------------------------------------------------------------------------------------------------


@dataclass
class Mutable:
    field: int


class Plain:
    field: int


class Properties:
    def __init__(self, field: int) -> None:
        self._field = field

    @property
    def field(self) -> int:
        return self._field


class Named(NamedTuple):
    field: int


@dataclass(frozen=True)
class Nested:
    z: Mutable | None
    a: list[Named]
    price: Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")]


@pytest.mark.parametrize("class_", [Mutable, Plain, Properties, Named])
def test_structured_types_test_pojo(class_: type) -> None:
    """The document's three forms of `TestPojo`: public fields, accessors, an immutable one; and a named tuple."""
    name = f"{class_.__module__}.{class_.__qualname__}"
    assert str(extract(class_, PLACE).type) == f"STRUCTURED<'{name}', `field` BIGINT NOT NULL> NOT NULL"


def test_structured_types_order_is_the_constructors() -> None:
    row_type = extract(Nested | None, PLACE).type
    assert [str(item).partition(" ")[0] for item in row_type.fields] == ["`z`", "`a`", "`price`"]  # type: ignore[attr-defined]
    assert row_type.nullable
    assert str(row_type.fields[2].type) == "DECIMAL(5, 2)"  # type: ignore[attr-defined]


@dataclass
class Unmapped:
    ok: int
    broken: Local


@dataclass
class Endless:
    next: Endless | None


def test_structured_types_errors() -> None:
    """ANY is not allowed implicitly: an uninterpretable type is an error that names the field."""
    with pytest.raises(ProgramError, match=r"field `broken` of Unmapped of here: no SQL type .* Local"):
        extract(Unmapped, PLACE)
    with pytest.raises(ProgramError, match="holds itself"):
        extract(Endless, PLACE)


# --- FunctionHint ----------------------------------------------------------------------------------------------------


def test_function_hint_output_of_the_class() -> None:
    """Takes (INT, BIGINT, BIGINT) and returns ROW."""

    @function_hint(output=DataTypeHint("ROW<a STRING, b INT>"))
    class F(TableFunction[Row]):
        def eval(self, a: numpy.int32, b: int, c: int) -> None: ...

    assert signatures(F) == ["f(a => INT NOT NULL, b => BIGINT NOT NULL, c => BIGINT NOT NULL) -> ROW<a STRING, b INT>"]


def test_function_hint_inputs_of_the_method() -> None:
    """Takes (INT, BOOLEAN) or (STRING) and returns a STRING."""

    class F(TableFunction[str]):
        @function_hint(input=[DataTypeHint("INT"), DataTypeHint("BOOLEAN")])
        @function_hint(input=[DataTypeHint("STRING")])
        def eval(self, *args: object) -> None: ...

    assert signatures(F) == ["f(INT, BOOLEAN) -> STRING NOT NULL", "f(STRING) -> STRING NOT NULL"]


def test_function_hint_arbitrary_input() -> None:
    """Takes arbitrary input parameters and returns a STRING."""

    @function_hint(input=DataTypeHint(input_group=ANY), is_varargs=True, output=DataTypeHint("STRING"))
    class F(TableFunction[object]):
        def eval(self, *args: object) -> None: ...

    assert signatures(F) == ["f(ANY...) -> STRING"]


def test_function_hint_output_of_the_class_with_inputs_of_the_method() -> None:
    """Takes (INT) or (BOOLEAN) and returns ROW. The class-level hint is applied to all method-level hints."""

    @function_hint(output=DataTypeHint("ROW<a INT, b STRING>"))
    class F(TableFunction[Row]):
        @function_hint(input=[DataTypeHint("INT")])
        @function_hint(input=[DataTypeHint("BOOLEAN")])
        def eval(self, *args: object) -> None: ...

    assert signatures(F) == ["f(INT) -> ROW<a INT, b STRING>", "f(BOOLEAN) -> ROW<a INT, b STRING>"]


def test_function_hint_method_over_class() -> None:
    @function_hint(input=["INT"], output="INT")
    class F(ScalarFunction):
        @function_hint(input=["STRING"], output="STRING")
        def eval(self, *args: object) -> object: ...

    assert signatures(F) == ["f(STRING) -> STRING"]


def test_function_hint_overloads_of_python() -> None:
    """Python's overloads, and separate methods."""

    class F(ScalarFunction):
        @overload
        def eval(self, value: int) -> int: ...
        @overload
        def eval(self, value: str, second: str) -> str: ...
        def eval(self, value: Any, second: Any = None) -> Any: ...

    class G(ScalarFunction):
        def eval(self, value: int) -> int: ...
        def eval_text(self, value: str) -> str: ...

    assert signatures(F) == [
        "f(value => BIGINT NOT NULL) -> BIGINT NOT NULL",
        "f(value => STRING NOT NULL, second => STRING NOT NULL) -> STRING NOT NULL",
    ]
    assert [item.method for item in signatures_of(G())] == ["eval", "eval_text"]


def test_function_hint_accumulator() -> None:
    @function_hint(accumulator=DataTypeHint("ROW<total BIGINT, n INT>"), output="DOUBLE")
    class F(AggregateFunction[float, Row]):
        def create_accumulator(self) -> Row: ...
        def accumulate(self, accumulator: Row, value: int) -> None: ...
        def get_value(self, accumulator: Row) -> float: ...

    assert signatures(F) == ["f(value => BIGINT NOT NULL) -> DOUBLE"]
    declared = signatures_of(F())[0].accumulator
    assert declared is not None and str(declared.type) == "ROW<`total` BIGINT, `n` INT>"


# --- DataTypeHint ----------------------------------------------------------------------------------------------------


def test_data_type_hint_responsibilities() -> None:
    """A logical type; a data type with another class; parameters of the extraction alone."""
    assert str(extract(Annotated[int, DataTypeHint("INT")], PLACE).type) == "INT"
    bridged = extract(Annotated[Any, DataTypeHint("TIMESTAMP(3)", bridged_to=pandas.Timestamp)], PLACE)
    assert (str(bridged.type), bridged.class_) == ("TIMESTAMP(3)", pandas.Timestamp)
    raw = extract(Annotated[Local, DataTypeHint(version=1, allow_raw_globally=True)], PLACE)
    assert str(raw.type) == f"RAW('{__name__}.Local', 'pickle') NOT NULL"


def test_data_type_hint_decimal_parameter() -> None:
    """Help the extraction with some of the parameters."""

    class F(ScalarFunction):
        def eval(self, dec: Annotated[Decimal, DataTypeHint("DECIMAL(5, 2)")], i: int, b: bool) -> int: ...

    assert signatures(F) == ["f(dec => DECIMAL(5, 2), i => BIGINT NOT NULL, b => BOOLEAN NOT NULL) -> BIGINT NOT NULL"]


def test_data_type_hint_any() -> None:
    """Help the extraction by explicitly specifying an ANY type, which is RAW in Flink today."""

    class F(ScalarFunction):
        def eval(self, t: Annotated[Local, DataTypeHint("RAW")]) -> int: ...

    assert signatures(F) == [f"f(t => RAW('{__name__}.Local', 'pickle') NOT NULL) -> BIGINT NOT NULL"]


@dataclass
class User:
    name: str
    born: Local
    age: int


def test_data_type_hint_force_any_pattern() -> None:
    """Extract all the fields automatically but leave out some classes and treat them as ANY type."""

    class F(ScalarFunction):
        def eval(self, u: Annotated[User, DataTypeHint(version=1, force_raw_pattern=[f"{__name__}.Local"])]) -> int: ...

    raw = f"RAW('{__name__}.Local', 'pickle') NOT NULL"
    assert signatures(F) == [
        f"f(u => STRUCTURED<'{__name__}.User', name STRING NOT NULL, born {raw}, age BIGINT NOT NULL> NOT NULL)"
        " -> BIGINT NOT NULL"
    ]


def test_data_type_hint_arbitrary_parameter() -> None:
    """Takes a string and an arbitrary input parameter and returns a STRING."""

    class F(TableFunction[str]):
        def eval(self, prefix: str, obj: Annotated[object, DataTypeHint(input_group=ANY)]) -> None: ...

    assert signatures(F) == ["f(prefix => STRING NOT NULL, obj => ANY) -> STRING NOT NULL"]


@pytest.mark.parametrize(
    ("hint", "annotation", "expected"),
    [
        (DataTypeHint(allow_raw_pattern=[__name__]), Local, f"RAW('{__name__}.Local', 'pickle') NOT NULL"),
        (DataTypeHint(force_raw_pattern=f"{__name__}.Mut"), Mutable, f"RAW('{__name__}.Mutable', 'pickle') NOT NULL"),
        (DataTypeHint(default_decimal_precision=8, default_decimal_scale=3), Decimal, "DECIMAL(8, 3) NOT NULL"),
        (DataTypeHint(default_decimal_precision=8), list[Decimal], "ARRAY<DECIMAL(8, 0) NOT NULL> NOT NULL"),
        (DataTypeHint(default_decimal_scale=2), Decimal, "DECIMAL(38, 2) NOT NULL"),
        (DataTypeHint(default_year_precision=2), relativedelta, "INTERVAL YEAR(2) TO MONTH NOT NULL"),
        (DataTypeHint(default_year_precision=0), relativedelta, "INTERVAL MONTH NOT NULL"),
        (DataTypeHint(default_second_precision=3), dt.datetime, "TIMESTAMP(3) NOT NULL"),
        (DataTypeHint(default_second_precision=3), dt.timedelta, "INTERVAL SECOND(3) NOT NULL"),
        (DataTypeHint(default_second_precision=3), dt.time, "TIME(3) NOT NULL"),
    ],
)
def test_data_type_hint_parameters(hint: DataTypeHint, annotation: Any, expected: str) -> None:
    assert str(extract(Annotated[annotation, hint], PLACE).type) == expected


def test_data_type_hint_of_a_class_and_of_a_result() -> None:
    @DataTypeHint(default_decimal_precision=6, default_decimal_scale=1)
    @dataclass
    class Price:
        amount: Decimal

    class F(ScalarFunction):
        @DataTypeHint("DECIMAL(4, 1)")
        def eval(self, price: Price) -> Decimal: ...

    assert "`amount` DECIMAL(6, 1) NOT NULL" in str(extract(Price, PLACE).type)
    assert signatures(F)[0].endswith("-> DECIMAL(4, 1)")


def test_data_type_hint_wrong_parameters() -> None:
    with pytest.raises(ProgramError, match="no version 7"):
        DataTypeHint(version=7)
    with pytest.raises(ProgramError, match="patterns of RAW classes say nothing where allow_raw_globally"):
        DataTypeHint(allow_raw_globally=True, force_raw_pattern=["x"])
    with pytest.raises(ProgramError, match=r"values of type INT cannot be str(.|\n)*one of int"):
        extract(Annotated[int, DataTypeHint("INT", bridged_to=str)], PLACE)
    with pytest.raises(CompiledPlanError, match="here"):
        extract(Annotated[int, DataTypeHint("INTT")], PLACE)


# --- Manual Definition -----------------------------------------------------------------------------------------------


class Parsed(ScalarFunction):
    """The result type is the one that a literal names."""

    def eval(self, text: str | None, type: str) -> Any: ...

    def get_type_inference(self) -> TypeInference:
        def output(call: CallContext) -> str:
            if call.is_argument_null(1):
                call.fail("the type must not be NULL")
            return str(call.get_argument_value(1))

        return TypeInference(
            input=InputTypeStrategies.sequence("STRING", InputTypeStrategies.LITERAL, names=("text", "type")),
            output=output,
        )


class First(ScalarFunction):
    """The result type is that of the first argument."""

    def eval(self, *args: Any) -> Any: ...

    def get_type_inference(self) -> TypeInference:
        from compiled_plan.plans.types import NumericType

        first = InputTypeStrategies.logical(NumericType, text="NUMERIC")
        strategy = InputTypeStrategies.varying_sequence(first, InputTypeStrategies.ANY)
        return (
            TypeInference.new_builder()
            .input_type_strategy(strategy)
            .output_type_strategy(TypeStrategies.force_nullable(TypeStrategies.argument(0)))
            .build()
        )


def plan_call(function: Any, call: str, columns: str = "i INT, l BIGINT, s STRING, b BOOLEAN") -> dict[str, Any]:
    """The JSON of the call in the plan of `INSERT INTO o SELECT CAST(call AS STRING)`."""
    import json

    env = TableEnvironment()
    env.create_temporary_function("f", function)
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'datagen')")
    env.execute_sql("CREATE TABLE o (x BOOLEAN) WITH ('connector' = 'blackhole')")
    plan = json.loads(env.compile_plan_sql(f"INSERT INTO o SELECT {call} IS NULL FROM t").to_json())
    projected = plan["nodes"][1]["projection"][0]["operands"][0]
    assert isinstance(projected, dict)
    return projected


def test_manual_definition_by_literal() -> None:
    assert plan_call(Parsed, "f(s, 'DECIMAL(7, 2)')")["type"] == "DECIMAL(7, 2)"
    assert plan_call(Parsed, "f(type => 'DATE', text => s)")["type"] == "DATE"
    with pytest.raises(ProgramError, match=r"invalid function call: f\(VARCHAR.*\)(.|\n)*<LITERAL NOT NULL>"):
        plan_call(Parsed, "f(s, s)")


def test_manual_definition_by_argument_types() -> None:
    assert plan_call(First, "f(i, s, b)")["type"] == "INT"
    assert plan_call(First, "f(CAST(i AS DECIMAL(9, 1)))")["type"] == "DECIMAL(9, 1)"
    with pytest.raises(ProgramError, match=r"supported signatures: f\(<NUMERIC>, ANY\.\.\.\)"):
        plan_call(First, "f(s)")


def test_manual_definition_argument_counts() -> None:
    assert str(ArgumentCount.between(1, 3)) == "1 to 3" and ArgumentCount.from_(2).takes(5)
    assert not ArgumentCount.of(2).takes(3) and ArgumentCount.any().takes(0)

    class F(ScalarFunction):
        def eval(self, a: Any) -> Any: ...

        def get_type_inference(self) -> TypeInference:
            return TypeInference("INT", InputTypeStrategies.sequence("INT", "INT"))

    with pytest.raises(ProgramError, match=r"F.eval does not fit its type inference: that has 2 arguments"):
        TableEnvironment().create_temporary_function("f", F)


# --- Compatibility, Deprecation, and Migration Plan ------------------------------------------------------------------


def test_create_temporary_function() -> None:
    class F(ScalarFunction):
        def eval(self, a: int | None, b: str = "x") -> Iterator[int]: ...

    F.eval.__annotations__["return"] = "int | None"
    call = plan_call(F, "f(i)")
    assert call["catalogName"] == "`default_catalog`.`default_database`.`f`"
    assert call["python"]["signature"] == "f(a => BIGINT, [b => VARCHAR(2147483647) NOT NULL])"
    assert [item["type"] for item in call["operands"]] == ["BIGINT", "CHAR(1) NOT NULL"]
