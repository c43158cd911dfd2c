"""Values of all types: literals, arrays, maps, rows, times, JSON; and the classes that come back."""

import datetime
from decimal import Decimal

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.common import Row
from compiled_plan.pyflink.expression import JsonValueOnEmptyOrError, TimeIntervalUnit, TimePointUnit
from compiled_plan.pyflink.expressions import (
    array,
    col,
    lit,
    map_,
    range_,
    row,
    timestamp_diff,
    with_columns,
    without_columns,
)


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table = t_env.from_elements(
        [(1, "x", Decimal("1.50"), datetime.date(2024, 2, 29), [1, 2], {"k": 3}, '{"a": {"b": 7}}')],
        DataTypes.ROW(
            [
                DataTypes.FIELD("i", DataTypes.TINYINT()),
                DataTypes.FIELD("s", DataTypes.CHAR(1)),
                DataTypes.FIELD("d", DataTypes.DECIMAL(10, 2)),
                DataTypes.FIELD("day", DataTypes.DATE()),
                DataTypes.FIELD("l", DataTypes.ARRAY(DataTypes.BIGINT())),
                DataTypes.FIELD("m", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
                DataTypes.FIELD("j", DataTypes.STRING(False)),
            ]
        ),
    )
    print(table.get_resolved_schema())
    show(table)
    show(table.select(with_columns(range_("i", "d"))))
    show(table.select(without_columns(range_(2, 7))))
    show(
        table.select(
            col("l").at(1),
            col("l").cardinality,
            col("m").at("k"),
            array(1, 2, 3),
            map_("a", 1, "b", 2),
            row(1, "y").alias("r"),
            col("j").json_value("$.a.b", DataTypes.INT()),
            col("j").json_value("$.z", DataTypes.INT(), JsonValueOnEmptyOrError.DEFAULT, -1),
            col("j").json_query("$.a"),
            col("j").json_exists("$.a.c"),
            col("j").is_json(),
        )
    )
    show(
        table.select(
            col("day").extract(TimeIntervalUnit.YEAR),
            col("day").floor(TimeIntervalUnit.MONTH),
            (col("day") + lit(1).days),
            lit("2024-03-01 10:00:00").to_timestamp,
            lit("2024-03-01").to_date,
            timestamp_diff(TimePointUnit.DAY, lit("2024-02-01").to_timestamp, lit("2024-03-01").to_timestamp),
            lit(True),
            lit(5),
            lit(2**40),
            lit(0.5),
            lit(Decimal("3.25")),
            lit("text"),
        )
    )
    Person = Row("name", "age")
    ann = Person("Ann", 34)
    ann["age"] += 1
    print(ann, ann.name, ann.age, "age" in ann, ann.as_dict(), Row(1, "a"), Row(a=1) == Row(a=1), len(ann))


def show(table):
    with table.execute().collect() as rows:
        for one in rows:
            print(one, ["Row" if isinstance(value, Row) else type(value).__name__ for value in one])
