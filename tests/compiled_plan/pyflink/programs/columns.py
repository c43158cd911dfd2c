"""Columns: expressions of texts, numbers, conditions; add, rename, drop and replace columns."""

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expressions import coalesce, col, concat, if_then_else, lit, null_of


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    people = t_env.from_elements(
        [(1, "ada", 36.5, True), (2, "grace", None, False), (3, None, 41.25, None)], ["id", "name", "age", "member"]
    )
    table = (
        people.add_columns(concat(col("name"), "!").alias("loud"), (col("age") * 2).alias("twice"))
        .add_or_replace_columns(col("name").upper_case.alias("name"))
        .rename_columns(col("id").alias("number"))
        .drop_columns(col("member"))
    )
    print(table.get_resolved_schema())
    print_all(table)
    print_all(
        people.select(
            col("id"),
            if_then_else(col("age") > 40, "senior", "junior").alias("band"),
            coalesce(col("name"), "nobody").alias("who"),
            col("name").char_length.alias("letters"),
            col("name").substring(2, 2),
            col("age").is_null,
            (col("id") % 2 == 1) & col("member").is_true,
            col("id").cast(DataTypes.STRING()),
            null_of(DataTypes.INT()),
            lit(2.5),
            col("id").between(2, 3),
            col("name").in_("ada", "grace"),
            col("age").floor(),
            -col("id"),
            col("id") ** 2,
        )
    )
    print_all(people.where((col("id") != 2) | ~col("member")).select(col("*")))


def print_all(table):
    with table.execute().collect() as rows:
        for line in sorted(f"{row.get_row_kind()} {row}" for row in rows):
            print(line)
