"""Groups: aggregates with and without DISTINCT, over a changelog, as the rows that remain."""

from compiled_plan.pyflink import DataTypes, EnvironmentSettings, TableEnvironment
from compiled_plan.pyflink.expressions import col, lit


def main(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    orders = t_env.from_elements(
        [("nut", 3, "a"), ("fig", 9, "b"), ("nut", 4, "a"), ("nut", 4, None)],
        DataTypes.ROW(
            [
                DataTypes.FIELD("item", DataTypes.STRING()),
                DataTypes.FIELD("price", DataTypes.INT()),
                DataTypes.FIELD("shop", DataTypes.VARCHAR(10)),
            ]
        ),
    )
    totals = orders.group_by(col("item")).select(
        col("item"),
        col("price").sum.alias("total"),
        col("price").count.distinct.alias("prices"),
        col("price").avg.alias("mean"),
        col("price").max.alias("most"),
        col("price").min.alias("least"),
        col("shop").count.alias("shops"),
        lit(1).count.alias("rows"),
        col("price").stddev_pop.alias("spread"),
    )
    print(totals.get_resolved_schema())
    print_last(totals)
    print_last(orders.select(col("price").sum0.alias("all"), col("item").count.distinct))
    print_last(orders.select(col("item"), col("shop")).distinct())
    print_last(totals.where(col("rows") > 1).group_by(col("most")).select(col("most"), col("total").sum))


def print_last(table):
    """Print the rows that remain after all changes."""
    left = []
    with table.execute().collect() as rows:
        for row in rows:
            if str(row.get_row_kind()) in ("+I", "+U"):
                left.append(str(row))
            else:
                left.remove(str(row))
    for line in sorted(left):
        print(line)
