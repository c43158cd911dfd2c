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

#: Where we differ, and why.
TAKEN = {
    # Flink cannot write these types into a plan; they are held with the precision that plans have, which loses nothing.
    ("INTERVAL MINUTE(3) TO SECOND(3)", "cast"): "INTERVAL MINUTE TO SECOND(3)",
    ("INTERVAL HOUR(3)", "cast"): "INTERVAL HOUR",
    ("INTERVAL MINUTE(3)", "cast"): "INTERVAL MINUTE",
    # Flink loads the class and its serializer; here a RAW type is a name.
    ("RAW('java.lang.Object', '')", "column"): "RAW('java.lang.Object', '')",
    ("RAW('java.lang.Object', '')", "cast"): "RAW('java.lang.Object', '')",
    ("RAW('java.lang.Object', '')", "text"): "RAW('java.lang.Object', '')",
    # Flink takes names of classes of Java; those of Python's local classes have other characters.
    **{("STRUCTURED<'1x', a INT>", place): "STRUCTURED<'1x', `a` INT>" for place in ("column", "cast", "text")},
    # The type of flags in plans, which Flink writes in another way.
    ("SYMBOL", "text"): "SYMBOL",
    ("NULL NOT NULL", "text"): "NULL NOT NULL",
}
REFUSED = {
    *((spelling, place) for spelling in ("BITMAP",) for place in ("column", "cast", "text")),  # not supported
    *(("STRUCTURED<'x.Y', a INT, a INT>", place) for place in ("column", "cast", "text")),  # never readable again
    *(("STRUCTURED<'x.Y'>", place) for place in ("column", "cast", "text")),  # Flink cannot read it again
    ("ROW<a: INT>", "text"),  # a name that must be quoted
}


def rows() -> list[tuple[str, str, str]]:
    """Spelling, place, Flink's type or `-`."""
    lines = Path(__file__).with_name("flink_types.txt").read_text().splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            spelling, *answers = line.split(" | ")
            found += [(spelling, place, answer) for place, answer in zip(PLACES, answers, strict=True)]
    return found


def column(spelling: str) -> LogicalType:
    env = TableEnvironment()
    env.execute_sql(f"CREATE TABLE t (a {spelling}) WITH ('connector'='datagen')")
    return env.from_path("t").get_schema().columns[0].data_type


def cast(spelling: str) -> LogicalType:
    return TableEnvironment().sql_query(f"SELECT CAST(NULL AS {spelling})").get_schema().columns[0].data_type


def uncommented(text: str) -> str:
    """Without the comments of fields: SQL's are kept here, and dropped by Flink."""
    return re.sub(r" '[a-z]+'(?=[,>])", "", text)


PLACES: dict[str, Callable[[str], LogicalType]] = {"column": column, "cast": cast, "text": parse_type}


@pytest.mark.parametrize(("spelling", "place", "flink"), rows(), ids=lambda value: str(value) if value else "empty")
def test_a_spelling_is_what_flink_makes_of_it(spelling: str, place: str, flink: str) -> None:
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


def test_texts_in_the_table_api_are_those_of_types_not_of_sql() -> None:
    env = TableEnvironment()
    schema = Schema.new_builder().column("a", "VARCHAR").column("b", "ROW<c VARBINARY>").column("d", DataTypes.STRING())
    descriptor = TableDescriptor.for_connector("filesystem").schema(schema.build()).format("json").option("path", "x")
    env.create_temporary_table("t", descriptor.build())
    found = env.from_path("t").get_schema().get_column_data_types()
    assert [str(type_) for type_ in found] == ["VARCHAR(1)", "ROW<`c` VARBINARY(1)>", "VARCHAR(2147483647)"]
    casts = env.from_path("t").select(lit(5).cast("VARCHAR"), lit(5).cast("STRING"), lit(5).try_cast("CHAR(3)"))
    assert [type_.text() for type_ in casts.get_schema().get_column_data_types()] == [
        "VARCHAR(1)",
        "VARCHAR(2147483647)",
        "CHAR(3)",
    ]


def test_a_refused_type_is_told_what_to_write() -> None:
    with pytest.raises(CompiledPlanError, match="REAL") as fault:
        column("REAL")
    assert "FLOAT" in str(fault.value.remedy)
