"""Every example of the DataTypeConverter FLIP in Python; each test is named after its section."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiled_plan import DataTypes, Row, Schema, TableEnvironment, col
from compiled_plan.plans.errors import DataError, ProgramError
from compiled_plan.plans.types import STRING, DecimalType
from compiled_plan.plans.types.conversions import DataTypeConverter, converter_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def sample(root: Path) -> Any:
    """The classes and converters of samples/conversions."""
    folder = root / "samples" / "conversions"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("conversions_program", folder / "program.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("avro_types", None)


@pytest.fixture
def env(spark: SparkSession) -> TableEnvironment:
    return TableEnvironment()


class Colors(Enum):
    RED = 1
    GREEN = 2


class ColorName(DataTypeConverter[str, Colors]):
    """Count the calls of `open`."""

    opened = 0

    def open(self, class_loader: Any) -> None:
        self.opened += 1
        assert class_loader("com.example.User") is None

    def to_internal(self, external: Colors) -> str:
        return external.name

    def to_external(self, internal: str) -> Colors:
        return Colors[internal]


class Silent(ColorName):
    """A converter that violates the contract."""

    def to_internal(self, external: Colors) -> str:
        return None  # type: ignore[return-value]

    def to_external(self, internal: str) -> Colors:
        return None  # type: ignore[return-value]


# --- Current status


def test_current_status_varchar_is_str_or_bytes() -> None:
    string = converter_of("STRING", "s")
    assert string.to_internal("é") == string.to_internal("é".encode()) == "é"
    assert string.to_external("é") == "é"
    assert converter_of(DataTypes.STRING().bridged_to(bytes)).to_external("é") == "é".encode()


def test_current_status_a_structured_type_is_an_object() -> None:
    @dataclass
    class Pojo:
        name: str
        score: int

    converter = converter_of(Pojo, "p")
    assert converter.to_internal(Pojo("Bob", 42)) == ("Bob", 42)
    assert converter.to_external(("Bob", 42)) == Pojo("Bob", 42)


# --- Issues


def test_issues_an_avro_fixed_decimal_is_no_built_in_class(sample: Any) -> None:
    with pytest.raises(DataError) as caught:
        converter_of("DECIMAL(4, 2)", "price").to_internal(sample.Fixed2(b"\x04\xd2"))
    assert "Fixed2" in caught.value.message and "DECIMAL(4, 2)" in caught.value.message
    assert caught.value.where == "column price"
    converter = converter_of(sample.PRICE, "price")
    assert converter.to_internal(sample.Fixed2(b"\x04\xd2")) == Decimal("12.34")
    assert converter.to_external(Decimal("-1.00")) == sample.Fixed2(b"\xff\x9c")


def test_issues_an_enum_of_specific_and_of_generic_records(sample: Any) -> None:
    with pytest.raises(DataError, match="Colors"):
        converter_of("STRING").to_internal(sample.Colors.RED)
    assert converter_of(sample.COLOR).to_internal(sample.Colors.RED) == "RED"
    assert converter_of(sample.COLOR).to_external("BLUE") is sample.Colors.BLUE
    assert converter_of(sample.SYMBOL).to_external("BLUE") == sample.EnumSymbol("BLUE")


def test_issues_a_record_that_is_no_class_with_fields(sample: Any) -> None:
    converter = converter_of(sample.RECORD, "r")
    values = (Decimal("12.34"), "RED")
    assert converter.to_internal(sample.RECORDS[0]) == values
    assert converter.to_external(values) == sample.RECORDS[0]


# --- Public Interfaces, 1: DataTypeConverter


def test_public_interfaces_null_is_passed_by() -> None:
    converter = converter_of(DataTypes.STRING().bridged_to(Colors, ColorName()), "c")
    assert converter.to_internal(None) is None
    assert converter.to_external(None) is None


def test_public_interfaces_a_converter_may_not_give_none() -> None:
    converter = converter_of(DataTypes.STRING().bridged_to(Colors, Silent()), "c")
    for convert, value in ((converter.to_internal, Colors.RED), (converter.to_external, "RED")):
        with pytest.raises(DataError) as caught:
            convert(value)
        assert "gave None for" in caught.value.message and caught.value.where == "column c"


def test_public_interfaces_open_is_called_before_the_first_value() -> None:
    own = ColorName()
    converter_of(DataTypes.STRING().bridged_to(Colors, own))
    assert own.opened == 1


def test_public_interfaces_open_may_be_left_out_and_take_nothing() -> None:
    class Plain:
        opened = False

        def open(self) -> None:
            self.opened = True

        def to_internal(self, external: Colors) -> str:
            assert self.opened
            return external.name

        def to_external(self, internal: str) -> Colors:
            return Colors[internal]

    plain: Any = Plain()
    assert converter_of(DataTypes.STRING().bridged_to(Colors, plain)).to_internal(Colors.GREEN) == "GREEN"


def test_public_interfaces_converters_can_be_sent(sample: Any) -> None:
    sent = pickle.loads(pickle.dumps(DataTypes.STRING().bridged_to(Colors, ColorName())))
    assert converter_of(sent).to_external("RED") is Colors.RED


# --- Public Interfaces, 2: LogicalType


def test_public_interfaces_with_custom_conversion_makes_a_copy() -> None:
    custom = STRING.with_custom_conversion(Colors, ColorName())
    assert not STRING.conversions
    assert custom == STRING and str(custom) == str(STRING)
    assert converter_of(custom, "c").to_internal(Colors.RED) == "RED"
    assert converter_of(custom, "c").to_internal("anything") == "anything"
    assert converter_of(custom, "c").to_external("RED") == "RED"
    assert converter_of(DataTypes.of(custom).bridged_to(Colors)).to_external("RED") is Colors.RED


def test_public_interfaces_custom_conversions_stay_with_the_type() -> None:
    custom = DecimalType(precision=4, scale=2).with_custom_conversion(Colors, ColorName()).not_null()
    assert not custom.nullable and dict(custom.conversions).keys() == {Colors}


def test_public_interfaces_with_custom_conversions_takes_several() -> None:
    class Shade(str):
        pass

    class ShadeText(DataTypeConverter[str, Shade]):
        def to_internal(self, external: Shade) -> str:
            return f"shade of {external}"

        def to_external(self, internal: str) -> Shade:
            return Shade(internal)

    custom = STRING.with_custom_conversions({Colors: ColorName(), Shade: ShadeText(), int: None})
    converter = converter_of(custom, "c")
    assert [converter.to_internal(value) for value in (Colors.RED, Shade("red"), "red")] == [
        "RED",
        "shade of red",
        "red",
    ]
    with pytest.raises(DataError, match="of class int is no value"):
        converter.to_internal(5)


@pytest.mark.parametrize("converter", [None, ColorName, object()])
def test_public_interfaces_what_is_no_converter(converter: Any) -> None:
    if converter is None:
        assert not STRING.with_custom_conversions({Colors: None}).conversions
        return
    with pytest.raises(ProgramError, match="no converter for Colors"):
        STRING.with_custom_conversion(Colors, converter)


# --- Public Interfaces, 3: AbstractDataType.bridgedTo


def test_public_interfaces_bridged_to_with_a_converter() -> None:
    bridged = DataTypes.STRING().bridged_to(Colors, ColorName())
    assert bridged.conversion_class is Colors
    assert bridged.not_null().conversion_class is Colors
    assert DataTypes.STRING().conversion_class is str


@pytest.mark.parametrize(
    ("type_", "class_"),
    [("STRING", int), ("INT", str), ("ROW<a INT>", set), ("ARRAY<INT>", dict), ("DATE", str), ("BOOLEAN", int)],
)
def test_public_interfaces_bridged_to_an_unknown_class_names_those_there_are(type_: str, class_: type) -> None:
    with pytest.raises(ProgramError) as caught:
        DataTypes.of(type_).bridged_to(class_)
    assert class_.__name__ in caught.value.message
    assert "give a converter" in caught.value.remedy


def test_public_interfaces_bridged_to_inside_of_every_kind_of_type() -> None:
    color = DataTypes.STRING().bridged_to(Colors, ColorName())
    red = Colors.RED
    for type_, inside, outside in [
        (DataTypes.ARRAY(color), ["RED"], [red]),
        (DataTypes.MAP(color, color), {"RED": "RED"}, {red: red}),
        (DataTypes.MULTISET(color), {"RED": 2}, {red: 2}),
        (DataTypes.ROW(DataTypes.FIELD("c", color)), ("RED",), Row(c=red)),
        (DataTypes.STRUCTURED("com.example.C", DataTypes.FIELD("c", color)), ("RED",), Row(c=red)),
    ]:
        converter = converter_of(type_)
        assert converter.to_internal(outside) == inside
        assert converter.to_external(inside) == outside
        assert not converter.plain


# --- Proposed Changes


def test_proposed_changes_scenario_1_a_format_calls_the_converters(sample: Any) -> None:
    reader = converter_of(sample.RECORD)
    assert [reader.to_internal(record) for record in sample.RECORDS] == [
        (Decimal("12.34"), "RED"),
        (Decimal("0.01"), "GREEN"),
    ]


@pytest.mark.wide
def test_proposed_changes_scenario_2_objects_into_a_table_and_out(sample: Any, env: TableEnvironment) -> None:
    table = sample.specific(env)
    assert table.get_schema().get_column_names() == ["price", "color"]
    assert list(table.execute().collect()) == [(Decimal("12.34"), "RED"), (Decimal("-1.00"), "BLUE"), (None, "RED")]
    assert list(table.execute().collect(sample.SPECIFIC)) == sample.ROWS
    records = sample.generic(env).where(col("color") != "GREEN").execute().collect(sample.RECORD)
    assert list(records) == sample.RECORDS[:1]


@pytest.mark.wide
def test_proposed_changes_scenario_2_a_schema_declares_the_conversions(sample: Any, env: TableEnvironment) -> None:
    schema = Schema.new_builder().column("price", sample.PRICE).column("color", sample.COLOR).build()
    table = env.from_values(sample.ROWS, schema)
    assert list(table.execute().collect(schema.to_row_data_type())) == sample.ROWS
    with_key = Schema.new_builder().column("price", sample.PRICE).primary_key("price").build()
    with pytest.raises(ProgramError, match="columns alone"):
        env.from_values([(None,)], with_key)


@pytest.mark.wide
def test_proposed_changes_scenario_2_dataframes(sample: Any, env: TableEnvironment) -> None:
    import pandas as pd

    frame = pd.DataFrame(
        {"price": [sample.Fixed2(b"\x04\xd2"), None], "color": [sample.Colors.RED, sample.Colors.BLUE]}
    )
    table = env.from_dataframe(frame, sample.SPECIFIC)
    assert list(table.execute().collect()) == [(Decimal("12.34"), "RED"), (None, "BLUE")]
    with pytest.raises(ProgramError, match="the type of column 'price' cannot be inferred"):
        env.from_dataframe(frame)


def test_proposed_changes_an_error_names_column_type_and_value(sample: Any) -> None:
    with pytest.raises(DataError) as caught:
        TableEnvironment().from_values([("12.34", sample.Colors.RED)], sample.SPECIFIC)
    assert "'12.34' of class str is no value of DECIMAL(4, 2)" in caught.value.message
    assert caught.value.where == "from_values(), column price"
    assert "Fixed2" in caught.value.remedy
    with pytest.raises(DataError) as caught:
        TableEnvironment().from_values([(sample.Fixed2(b"\x7f\xff\xff"), sample.Colors.RED)], sample.SPECIFIC)
    assert caught.value.where == "from_values(), column price"


def test_a_converter_that_is_none_is_refused() -> None:
    """As the document's `Preconditions.checkNotNull`; of several classes, those without a converter are left out."""
    with pytest.raises(ProgramError, match=r"the converter of Colors for DECIMAL\(4, 2\) is None"):
        DecimalType(precision=4, scale=2).with_custom_conversion(Colors, None)
    assert STRING.with_custom_conversions({Colors: None}).conversions == ()


# --- results of converters are checked; their exceptions are reported in the user's terms


@dataclass(frozen=True)
class Point:
    x: int
    y: int


class Points(DataTypeConverter[Any, Point]):
    """Return a fixed value."""

    def __init__(self, gives: Any) -> None:
        self.gives = gives

    def open(self, class_loader: Any) -> None:
        if self.gives == "open":
            raise OSError("no catalog")

    def to_internal(self, external: Point) -> Any:
        return self._given(external)

    def to_external(self, internal: Any) -> Any:
        return self._given(internal)

    def _given(self, value: Any) -> Any:
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


WRONG: list[tuple[str, Any, str]] = [
    ("ROW<x INT, y INT>", (1, 2, 3), "it has 3 fields, the type 2: x, y"),
    ("ROW<x INT, y INT>", (1, "2"), "'2' of class str is no value of INT"),
    ("ROW<x INT NOT NULL, y INT>", (None, 2), "None is no value of INT NOT NULL"),
    ("ARRAY<INT>", ["1"], "'1' of class str is no value of INT"),
    ("ARRAY<INT>", 5, "5 of class int is no value of ARRAY<INT>"),
    ("MAP<STRING, INT>", {"a": 1.5}, "1.5 of class float is no value of INT"),
    ("MULTISET<STRING>", {"a": -1}, "-1 is no count"),
    ("STRUCTURED<'x.Y', x INT, y ROW<z TINYINT>>", (1, (300,)), "300 is no value of TINYINT"),
    ("TIME(3)", 86_400_000, "the milliseconds of a day are 0 to 86399999"),
    ("DECIMAL(4, 2)", Decimal(1000), "it does not fit DECIMAL(4, 2)"),
    ("STRING", 5, "5 of class int is no value of"),
]


@pytest.mark.parametrize(("type_", "gives", "message"), WRONG)
def test_public_interfaces_what_to_internal_gives_is_an_internal_value(type_: str, gives: Any, message: str) -> None:
    convert = converter_of(DataTypes.of(type_).bridged_to(Point, Points(gives)), "p", place="f()").to_internal
    with pytest.raises(DataError) as fault:
        convert(Point(1, 2))
    assert "Points.to_internal gave what is no value for Point(x=1, y=2)" in fault.value.message
    assert message in fault.value.message and fault.value.where.startswith("f(), column p")


def test_public_interfaces_what_to_internal_gives_may_be_nested() -> None:
    row = DataTypes.of("ROW<x INT, y ARRAY<ROW<z TIME(3)>>>").bridged_to(Point, Points([1, [(5,), None]]))
    assert converter_of(row).to_internal(Point(1, 2)) == (1, [(5,), None])


def test_public_interfaces_what_to_external_gives_is_of_the_class() -> None:
    convert = converter_of(DataTypes.STRING().bridged_to(Point, Points("a text")), "p", place="collect()").to_external
    with pytest.raises(DataError, match=r"gave 'a text' of class str for 'x' of .*not of class Point") as fault:
        convert("x")
    assert fault.value.where == "collect(), column p"


@pytest.mark.parametrize(
    "raised", [KeyError("RED"), ValueError("bad"), RuntimeError(), OSError(2, "none"), StopIteration()]
)
def test_public_interfaces_an_exception_names_column_and_type(raised: Exception) -> None:
    data_type = DataTypes.ROW(DataTypes.FIELD("p", DataTypes.STRING().bridged_to(Point, Points(raised))))
    converter = converter_of(data_type, "r", place="collect()")
    for convert, value, method in (
        (converter.to_internal, (Point(1, 2),), "to_internal"),
        (converter.to_external, ("x",), "to_external"),
    ):
        with pytest.raises(DataError) as fault:
            convert(value)
        assert f"Points.{method} failed for " in fault.value.message and "VARCHAR(2147483647)" in fault.value.message
        assert str(raised) in fault.value.message or type(raised).__name__ in fault.value.message
        assert fault.value.where == "collect(), column r.p"


def test_public_interfaces_a_converter_that_does_not_open() -> None:
    with pytest.raises(DataError, match=r"Points, the converter of Point for .*cannot be opened: OSError: no catalog"):
        converter_of(DataTypes.STRING().bridged_to(Point, Points("open")), "p")


class Halved:
    def to_internal(self, external: Any) -> Any:
        return external


class Wide(Halved):
    def to_external(self, internal: Any, type_: Any) -> Any:
        return internal


@pytest.mark.parametrize(
    ("class_", "converter", "message"),
    [
        (Point, Points, "Points is no converter for Point"),
        (Point, Halved(), "to_external"),
        (Point, Wide(), r"Wide.to_external does not take one value: its parameters are \(internal"),
        (Point, 5, "int is no converter for Point"),
        ("Point", Points(1), "a conversion class must be a class, not 'Point'"),
        (list[int], Points(1), "a conversion class must be a class"),
        (None, Points(1), "a conversion class must be a class, not None"),
    ],
)
def test_public_interfaces_what_is_no_converter_is_refused(class_: Any, converter: Any, message: str) -> None:
    for refuse in (
        lambda: DataTypes.STRING().bridged_to(class_, converter),
        lambda: STRING.with_custom_conversion(class_, converter),
        lambda: STRING.with_custom_conversions({class_: converter}),
    ):
        with pytest.raises(ProgramError, match=message):
            refuse()
