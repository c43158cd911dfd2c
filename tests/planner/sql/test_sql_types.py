"""Every spelling of every type against Flink: in a column, in CAST and as the text of a type (flink_types.txt)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from compiled_plan import DataTypes, Schema, TableDescriptor, TableEnvironment, lit
from compiled_plan.plans.errors import CompiledPlanError
from compiled_plan.plans.types import LogicalType
from compiled_plan.plans.types.parse import parse_type
from tests.support.tables import failures

#: Differences from Flink, with reasons.
TAKEN = {
    # Flink cannot write these types into a plan; here they have the precision of plans, which loses nothing.
    ("INTERVAL MINUTE(3) TO SECOND(3)", "cast"): "INTERVAL MINUTE TO SECOND(3)",
    ("INTERVAL HOUR(3)", "cast"): "INTERVAL HOUR",
    ("INTERVAL MINUTE(3)", "cast"): "INTERVAL MINUTE",
    # Flink loads the class and its serializer; here a RAW type is only a name.
    ("RAW('java.lang.Object', '')", "cast"): "RAW('java.lang.Object', '')",
    ("RAW('java.lang.Object', '')", "text"): "RAW('java.lang.Object', '')",
    # Flink accepts names of Java classes; names of local Python classes have other characters.
    **{("STRUCTURED<'1x', a INT>", place): "STRUCTURED<'1x', `a` INT>" for place in ("column", "cast", "text")},
    # The type of flags in plans, which Flink spells differently.
    ("SYMBOL", "text"): "SYMBOL",
    ("NULL NOT NULL", "text"): "NULL NOT NULL",
}
REFUSED = {
    *(("STRUCTURED<'x.Y', a INT, a INT>", place) for place in ("column", "cast", "text")),  # never readable again
    ("ROW<a: INT>", "text"),  # a name that needs quotes
}


def rows() -> list[tuple[str, str, str]]:
    """Spelling, place, Flink's type or `-`."""
    lines = Path(__file__).with_name("flink_types.txt").read_text().splitlines()
    result = []
    for line in lines:
        if line and not line.startswith("#"):
            spelling, *answers = line.split(" | ")
            result += [(spelling, place, answer) for place, answer in zip(PLACES, answers, strict=True)]
    return result


def column(spelling: str) -> LogicalType:
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE t (a {spelling}) WITH ('connector'='datagen')")
    return env.from_path("t").get_schema().columns[0].data_type


def cast(spelling: str) -> LogicalType:
    return TableEnvironment().sql_query(f"SELECT CAST(NULL AS {spelling})").get_schema().columns[0].data_type


def uncommented(text: str) -> str:
    """The type without field comments: SQL keeps them here, and Flink drops them."""
    return re.sub(r" '[a-z]+'(?=[,>])", "", text)


PLACES: dict[str, Callable[[str], LogicalType]] = {"column": column, "cast": cast, "text": parse_type}


def check_parsed_as_in_flink(spelling: str, place: str, flink: str) -> None:
    if (spelling, place) in REFUSED:
        assert flink != "-"
        flink = "-"
    elif (spelling, place) in TAKEN:
        assert flink == "-"
        flink = TAKEN[spelling, place]
    if flink == "-":
        with pytest.raises(CompiledPlanError):
            PLACES[place](spelling)
    else:
        assert uncommented(str(PLACES[place](spelling))) == uncommented(str(parse_type(flink)))


def test_type_spellings_parse_as_in_flink() -> None:
    assert len(rows()) > 1000
    assert failures(check_parsed_as_in_flink, rows()) == {}


SET = "CHARACTER SET"


@pytest.mark.parametrize(
    ("spelling", "in_column", "in_cast"),
    [
        (f"VARCHAR(10) {SET} `UTF-16LE`", "VARCHAR(10)", "VARCHAR(10)"),
        (f"VARCHAR(10) {SET} UTF16", "VARCHAR(10)", "VARCHAR(10)"),
        (f"CHARACTER VARYING(5) {SET} `UTF-16`", "VARCHAR(5)", "VARCHAR(5)"),
        (f"CHAR(3) {SET} `UTF-16LE` NOT NULL", "CHAR(3) NOT NULL", None),
        (f"VARCHAR {SET} `UTF-8`", "VARCHAR(2147483647)", None),
        (f"CHAR {SET} `ISO-8859-1`", "CHAR(1)", None),
        (f"ARRAY<VARCHAR(10) {SET} `UTF-16LE`>", "ARRAY<VARCHAR(10)>", None),
        (f"ROW<a VARCHAR(10) {SET} `UTF-16LE`>", "ROW<`a` VARCHAR(10)>", None),
        (f"MAP<VARCHAR(10) {SET} `UTF-16LE`, INT>", "MAP<VARCHAR(10), INT>", None),
        (f"VARCHAR(10) {SET} `UTF-16LE` ARRAY", "ARRAY<VARCHAR(10)>", None),
        (f"VARCHAR(10) {SET} 'UTF-16LE'", None, None),
        (f"VARCHAR(10) {SET} latin1", None, None),
        (f"VARCHAR(10) {SET} `US-ASCII`", None, None),
        (f"VARCHAR(10) {SET} a.b", None, None),
        (f"STRING {SET} `UTF-16LE`", None, None),
        (f"INT {SET} `UTF-16LE`", None, None),
        (f"VARBINARY(4) {SET} `UTF-16LE`", None, None),
    ],
)
def test_the_character_set_of_a_text(spelling: str, in_column: str | None, in_cast: str | None) -> None:
    """Flink 2.3's answers; the cast is that of a STRING."""

    def cast_text(spelling: str) -> LogicalType:
        query = f"SELECT CAST(s AS {spelling}) FROM (VALUES (CAST(NULL AS STRING))) AS t(s)"
        return TableEnvironment().sql_query(query).get_schema().columns[0].data_type

    for place, expected in ((column, in_column), (cast_text, in_cast)):
        if expected is None:
            with pytest.raises(CompiledPlanError):
                place(spelling)
        else:
            assert place(spelling).text() + ("" if place(spelling).nullable else " NOT NULL") == expected


def test_texts_in_the_table_api_are_those_of_types_not_of_sql() -> None:
    env = TableEnvironment()
    schema = Schema.new_builder().column("a", "VARCHAR").column("b", "ROW<c VARBINARY>").column("d", DataTypes.STRING())
    descriptor = TableDescriptor.for_connector("filesystem").schema(schema.build()).format("json").option("path", "x")
    env.create_temporary_table("t", descriptor.build())
    data_types = env.from_path("t").get_schema().get_column_data_types()
    assert [str(type_) for type_ in data_types] == ["VARCHAR(1)", "ROW<`c` VARBINARY(1)>", "VARCHAR(2147483647)"]
    casts = env.from_path("t").select(lit(5).cast("VARCHAR"), lit(5).cast("STRING"), lit(5).try_cast("CHAR(3)"))
    assert [type_.logical_type.text() for type_ in casts.get_schema().get_column_data_types()] == [
        "VARCHAR(1)",
        "VARCHAR(2147483647)",
        "CHAR(3)",
    ]


def test_a_refused_type_names_the_supported_spelling() -> None:
    with pytest.raises(CompiledPlanError, match="REAL") as fault:
        column("REAL")
    assert "FLOAT" in str(fault.value.remedy)
